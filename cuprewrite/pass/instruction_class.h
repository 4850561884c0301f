/// What kind of instruction the machine is given for one of the optimised code: the classes of an instruction mix.
///
/// Names go from the general to the special, so that who sums by a beginning sums by a kind (docs/profile.md lists them):
///
///     memory.global.load.128    compute.fp32.fma    compute.tensor.m16n8k16.f32.f16    warp.shuffle    control.branch
///
/// (The classes of K. Zhou, J. Mellor-Crummey, Optimizing GPU-accelerated Applications with HPCToolkit, 2019, slide 29.)
/// Memory, floating-point arithmetic, tensor cores, barriers and what the lanes of a warp exchange are one instruction of the machine
/// each, but for divisions and roots. How many whole-number and control instructions there are ptxas decides: it unrolls, computes
/// addresses in its own ways and puts predicates in place of branches.
#ifndef CUPR_PASS_INSTRUCTION_CLASS_H
#define CUPR_PASS_INSTRUCTION_CLASS_H

#include "access.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace cupr::pass {

/// Gets a class, and how many instructions of it there are.
using ClassVisitor = llvm::function_ref<void(const llvm::Twine &name, std::uint64_t count)>;

/// Of an instruction, without the accesses that it makes. Many have none: what only names a value, constants and copies of registers.
void visitClasses(const llvm::Instruction &instruction, ClassVisitor visit);

/// Of the accesses that an instruction makes. `spaceOf`: where each is; none: it is not known before it runs.
void visitAccessClasses(llvm::ArrayRef<Access> accesses,
                        llvm::function_ref<std::optional<abi::MemorySpace>(const Access &)> spaceOf,
                        ClassVisitor visit);

} // namespace cupr::pass

#endif
