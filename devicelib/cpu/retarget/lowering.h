/// The steps that turn a device module into a host module, in the order in which
/// Retarget runs them.
#ifndef CUPR_CPU_LOWERING_H
#define CUPR_CPU_LOWERING_H

#include "device_builder.h"
#include "retarget.h"

#include "devicelib/abi/hooks.h"
#include "devicelib/abi/memory_space.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <vector>

namespace cupr::cpu {

/// LLVM's numbers for the spaces of pointers in device code.
constexpr unsigned kGenericSpace = 0, kGlobalSpace = abi::addressSpaceOf(abi::MemorySpace::Global),
                   kSharedSpace = abi::addressSpaceOf(abi::MemorySpace::Shared),
                   kConstantSpace = abi::addressSpaceOf(abi::MemorySpace::Constant);

/// Rounds products and sums together where the GPU's code would.
void contractSums(llvm::Module &module, DeviceBuilder &builder);
/// Puts zeros in the place of denormal numbers where the program's flags ask for it.
void flushDenormals(llvm::Module &module, DeviceBuilder &builder);
/// Divides as the GPU's `div.approx` does, where the program's flags ask for it.
void approximateDivisions(llvm::Module &module, DeviceBuilder &builder);
/// Lets other lanes run where a loop may be waiting for one: at volatile and atomic
/// accesses in loops whose result is looked at.
void yieldInSpinLoops(llvm::Module &module, DeviceBuilder &builder,
                      const std::vector<llvm::Function *> &kernels);
/// Whether it is a volatile access of what may be shared memory.
bool isWarpStep(const llvm::Instruction &instruction);
/// Lets a warp take these accesses together.
void stepWarps(llvm::Module &module, DeviceBuilder &builder);
/// Integer division by zero, and overflow, must not stop the process: on the device
/// they have a result.
void guardDivisions(llvm::Module &module, DeviceBuilder &builder);
/// Shifts by as many bits as there are, or more, give what they give on a GPU: zeros, or of `>>` of a signed number its sign (PTX ISA, "shl",
/// "shr"). C++ leaves it open, and programs for GPUs rely on it; a processor shifts by the low bits of the number.
void clampShifts(llvm::Module &module, DeviceBuilder &builder);
void markIterations(llvm::Module &module, DeviceBuilder &builder);
/// Whether a function of that name is called by instrumented code in order to record.
bool isHook(llvm::StringRef name);
void forEachHookCall(llvm::Module &module,
                     llvm::function_ref<void(llvm::CallInst *, const abi::HookNames &)> visit);
void expandHooks(llvm::Module &module, DeviceBuilder &builder);
/// Makes inline PTX of the intrinsics for textures and surfaces.
void spellImageIntrinsics(llvm::Module &module);
void lowerInlineAssembly(llvm::Module &module, DeviceBuilder &builder);
void lowerIntrinsics(llvm::Module &module, DeviceBuilder &builder);

/// An intrinsic for matrices, by the parts of its name behind `llvm.nvvm.`; `result` is set if it has one.
/// False: it is not known.
bool lowerMatrix(DeviceBuilder &builder, llvm::CallInst &call, llvm::ArrayRef<llvm::StringRef> parts,
                 llvm::Value *&result);

/// Bytes of static shared memory of each kernel, without kSharedReserved.
using SharedSizes = llvm::DenseMap<const llvm::Function *, std::uint32_t>;
/// Gives each shared variable its place in the block's frame.
SharedSizes lowerSharedMemory(llvm::Module &module, DeviceBuilder &builder,
                              const std::vector<llvm::Function *> &kernels);

/// Looks whether addresses belong to anything before they are used.
void insertAccessChecks(llvm::Module &module, DeviceBuilder &builder);

/// Reports every access of memory to the runtime's witness; `withValues`: and what memory holds before and after.
void insertWitnessCalls(llvm::Module &module, DeviceBuilder &builder, bool withValues);

/// Emits the CpuModule and the constructor that registers it.
void emitTables(llvm::Module &module, const std::vector<llvm::Function *> &kernels, const SharedSizes &shared,
                const std::vector<llvm::GlobalVariable *> &variables, const RetargetOptions &options,
                std::uint32_t architecture);

} // namespace cupr::cpu

#endif
