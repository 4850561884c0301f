#include "lowering.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

/// Atomic operations of a scope are intrinsics until lowerIntrinsics.
bool isScopedAtomic(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("llvm.nvvm.atomic.");
}

} // namespace

void yieldInSpinLoops(Module &module, DeviceBuilder &builder, const std::vector<Function *> &kernels) {
  const SmallPtrSet<Function *, 16> isKernel(kernels.begin(), kernels.end());
  for (Function &function : module) {
    SmallVector<Instruction *> candidates;
    for (Instruction &instruction : instructions(function)) {
      if (auto *load = dyn_cast<LoadInst>(&instruction)) {
        if ((load->isVolatile() || load->isAtomic()) && !isWarpStep(*load))
          candidates.push_back(load);
      } else if (isa<AtomicCmpXchgInst>(instruction) ||
                 ((isa<AtomicRMWInst>(instruction) || isScopedAtomic(instruction)) &&
                  !instruction.use_empty())) {
        candidates.push_back(&instruction);
      }
    }
    if (candidates.empty())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    // The loop may also be around a call of this function.
    const bool maybeCalledInLoop = !isKernel.contains(&function);
    for (Instruction *instruction : candidates)
      if (maybeCalledInLoop || loops.getLoopFor(instruction->getParent())) {
        builder.SetInsertPoint(instruction);
        builder.call(Call::Spin);
      }
  }
}

} // namespace cupr::cpu
