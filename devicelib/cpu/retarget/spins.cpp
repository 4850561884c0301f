#include "lowering.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::cpu {

void insertSpins(Module &module, DeviceBuilder &builder) {
  for (Function &function : module) {
    SmallVector<Instruction *> candidates;
    for (Instruction &instruction : instructions(function)) {
      if (auto *load = dyn_cast<LoadInst>(&instruction)) {
        if (load->isVolatile() || load->isAtomic())
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
    for (Instruction *instruction : candidates)
      if (loops.getLoopFor(instruction->getParent())) {
        builder.SetInsertPoint(instruction);
        builder.call(Call::Spin);
      }
  }
}

} // namespace cupr::cpu
