#include "lowering.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::cpu {

void yieldInSpinLoops(Module &module, DeviceBuilder &builder, const std::vector<Function *> &kernels) {
  const SmallPtrSet<Function *, 16> isKernel(kernels.begin(), kernels.end());
  for (Function &function : module) {
    SmallVector<Instruction *> candidates;
    for (Instruction &instruction : instructions(function)) {
      if (auto *load = dyn_cast<LoadInst>(&instruction)) {
        if ((load->isVolatile() || load->isAtomic()) && !isWarpStep(*load))
          candidates.push_back(load);
      } else if (isa<AtomicCmpXchgInst>(instruction) ||
                 (isa<AtomicRMWInst>(instruction) && !instruction.use_empty())) {
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
