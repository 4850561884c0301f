/// A plugin for opt that makes of each `atomicrmw nand` one whose operation nobody knows, as a later LLVM's may be.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace {

struct SpoilAtomics : PassInfoMixin<SpoilAtomics> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    for (Instruction &instruction : instructions(function))
      if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
          atomic && atomic->getOperation() == AtomicRMWInst::Nand)
        atomic->setOperation(AtomicRMWInst::BAD_BINOP);
    return PreservedAnalyses::none();
  }
};

} // namespace

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "spoil-atomics", "1", [](PassBuilder &builder) {
            builder.registerPipelineParsingCallback(
                [](StringRef name, FunctionPassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name != "spoil-atomics")
                    return false;
                  manager.addPass(SpoilAtomics());
                  return true;
                });
          }};
}
