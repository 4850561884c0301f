/// Takes from a kernel the slice that its accesses follow from (devicelib/abi/slice.h).
///
/// Before:
///
///     entry:
///       %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
///       %in = icmp ult i32 %x, %n
///       br i1 %in, label %then, label %done
///     then:
///       %p = getelementptr float, ptr %a, i32 %x
///       %v = load float, ptr %p                            ; site 0
///       %w = fmul float %v, %v
///       store float %w, ptr %p                             ; site 1
///
/// The slice: what the addresses need, and what the branches need that decide whether an access is made. The
/// product is gone.
///
///     0: lt.u r0 <- threadIdx.x parameter1 i32
///     1: branch r0 to 2 else 7 meet nowhere
///     2: sext r1 <- threadIdx.x i64 of 32
///     3: mul r2 <- r1 4 i64
///     4: add r3 <- parameter0 r2 i64
///     5: access r3 site 0
///     6: access r3 site 1
///     7: exit
///
/// Blocks that hold nothing of it are passed by: a way that led to one leads to the next block behind it that is
/// in the slice and runs in any case. There is only one, since every branch in between decides nothing that is kept.
#ifndef CUPR_PASS_SLICE_BUILDER_H
#define CUPR_PASS_SLICE_BUILDER_H

#include "block_graph.h"
#include "devicelib/abi/slice.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace cupr::pass {

struct Slice {
  std::uint32_t registerCount = 0;
  std::vector<abi::SliceInput> inputs;
  std::vector<std::uint64_t> constants;
  std::vector<abi::SliceInstruction> code;
};

/// An access that is derived: it is made where `instruction` runs, at `pointer + offset`.
struct SlicedAccess {
  const llvm::Instruction *instruction = nullptr;
  const llvm::Value *pointer = nullptr;
  std::int64_t offset = 0;
  std::uint32_t site = 0;
};

/// The slice of the accesses, in the order in which they stand in their blocks. All that they need must be
/// determined. `variableNumber` gives a variable's number among those whose addresses slices of the module need; of a shared one, of which
/// `shared` are the kernel's, the site at which launches say where it lies. Nothing: the slice would be larger than slices may be.
std::optional<Slice>
buildSlice(llvm::Function &kernel, const BlockGraph &graph, llvm::ArrayRef<SlicedAccess> accesses,
           llvm::ArrayRef<llvm::GlobalVariable *> shared,
           llvm::function_ref<std::uint32_t(const llvm::GlobalVariable &)> variableNumber);

} // namespace cupr::pass

#endif
