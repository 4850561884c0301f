#include "local_arrays.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace cupr::pass {

static constexpr Align kLargestVector = Align::Constant<16>();

PreservedAnalyses LocalArraysPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  const DataLayout &layout = module.getDataLayout();
  bool changed = false;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *const variable = dyn_cast<AllocaInst>(&instruction);
      if (!variable || !variable->getAllocatedType()->isArrayTy())
        continue;
      const std::uint64_t bytes = layout.getTypeAllocSize(variable->getAllocatedType());
      const Align wanted = bytes == 0 ? Align() : commonAlignment(kLargestVector, bytes);
      if (wanted > variable->getAlign()) {
        variable->setAlignment(wanted);
        changed = true;
      }
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace cupr::pass
