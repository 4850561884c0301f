/// Makes the passes known to clang (`-fpass-plugin=`) and opt (`-load-pass-plugin=`).
///
/// In clang the instrumentation runs by itself, at the very end of the
/// optimisation of device code, so that what is traced is what is executed. What nvcc has and clang
/// lacks runs at the start, for host code, too.
/// With opt the passes have names: `cupr-compatibility`, `cupr-instrument`, `cupr-link-hooks`, for device
/// linking `cupr-part`, `cupr-whole-program`, and for tests `cupr-library-contraction`,
/// `cupr-approximate-division`, `cupr-mark-loads`.
#include "byte_offsets.h"
#include "instrument.h"
#include "kernel_attributes.h"
#include "link_hooks.h"
#include "local_arrays.h"
#include "lower_copies.h"
#include "managed_variables.h"
#include "nvcc_arithmetic.h"
#include "plain_code.h"
#include "relocatable_part.h"
#include "speculated_loads.h"
#include "whole_program.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

namespace {

cl::opt<bool> automatic("cupr-automatic", cl::init(true),
                        cl::desc("Instrument device code at the end of clang's own pipeline"));

void addCompatibility(ModulePassManager &manager) {
  manager.addPass(cupr::pass::KernelAttributesPass());
  manager.addPass(cupr::pass::ManagedVariablesPass());
  manager.addPass(cupr::pass::LocalArraysPass());
}

void addDivisions(ModulePassManager &manager) {
  manager.addPass(createModuleToFunctionPassAdaptor(cupr::pass::ApproximateDivisionPass()));
}

/// The back end's own lowering of copies comes first, whatever the level: the accesses in its loops are
/// what is executed.
void instrument(ModulePassManager &manager, bool mergesAccesses) {
  ModulePassManager passes;
  if (mergesAccesses) {
    passes.addPass(createModuleToFunctionPassAdaptor(cupr::pass::ByteOffsetsPass()));
    passes.addPass(createModuleToFunctionPassAdaptor(LoadStoreVectorizerPass()));
  }
  passes.addPass(createModuleToFunctionPassAdaptor(cupr::pass::LowerCopiesPass()));
  passes.addPass(cupr::pass::InstrumentPass());
  manager.addPass(cupr::pass::KeepPlainCodePass(std::move(passes)));
}

/// The device pipeline after optimisation. The back end merges neighbouring loads
/// and stores; done here first, since the hooks would keep it from doing so.
void instrumentAtEnd(ModulePassManager &manager, OptimizationLevel level) {
  instrument(manager, /*mergesAccesses=*/level != OptimizationLevel::O0);
}

/// For a pipeline that serves host code as well.
class OnDevice : public PassInfoMixin<OnDevice> {
public:
  explicit OnDevice(ModulePassManager passes) : passes_(std::move(passes)) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    return module.getTargetTriple().isNVPTX() ? passes_.run(module, analyses) : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  ModulePassManager passes_;
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cuprewrite", "1", [](PassBuilder &builder) {
            builder.registerPipelineParsingCallback(
                [](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name == "cupr-compatibility")
                    addCompatibility(manager);
                  else if (name == "cupr-library-contraction")
                    manager.addPass(cupr::pass::LibraryContractionPass());
                  else if (name == "cupr-mark-loads")
                    manager.addPass(cupr::pass::MarkLoadsPass());
                  else if (name == "cupr-approximate-division")
                    addDivisions(manager);
                  else if (name == "cupr-instrument")
                    instrument(manager, /*mergesAccesses=*/false);
                  else if (name == "cupr-instrument-optimized")
                    instrumentAtEnd(manager, OptimizationLevel::O2);
                  else if (name == "cupr-link-hooks")
                    manager.addPass(cupr::pass::LinkHooksPass());
                  else if (name == "cupr-part")
                    manager.addPass(cupr::pass::RelocatablePartPass());
                  else if (name == "cupr-whole-program")
                    manager.addPass(cupr::pass::WholeProgramPass());
                  else
                    return false;
                  return true;
                });
            builder.registerPipelineStartEPCallback([](ModulePassManager &manager, OptimizationLevel) {
              addCompatibility(manager);
              manager.addPass(cupr::pass::LibraryContractionPass());
              ModulePassManager onDevice;
              onDevice.addPass(cupr::pass::MarkLoadsPass());
              manager.addPass(OnDevice(std::move(onDevice)));
            });
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager &manager, OptimizationLevel level, ThinOrFullLTOPhase) {
                  addDivisions(manager);
                  if (!automatic)
                    return;
                  ModulePassManager onDevice;
                  instrumentAtEnd(onDevice, level);
                  onDevice.addPass(cupr::pass::LinkHooksPass());
                  manager.addPass(OnDevice(std::move(onDevice)));
                });
          }};
}
