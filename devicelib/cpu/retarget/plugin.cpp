/// The pass plugin: `opt -load-pass-plugin=cupr-retarget.so -passes=cupr-retarget
/// -cupr-module-id=<32 hex digits>`.
#include "retarget.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

namespace {

cl::opt<std::string>
    moduleId("cupr-module-id",
             cl::desc("identity of the image that the host code registers: 32 hex digits, the low "
                      "64 bits first"));
cl::opt<std::string> hostCpu("cupr-host-cpu", cl::init("x86-64-v3"),
                             cl::desc("processor that the CPU device's code may count on, as for -march"));
cl::opt<std::string>
    logAccesses("cupr-log-accesses", cl::ValueOptional, cl::value_desc("values"),
                cl::desc("for tests: the program writes all its accesses of global memory to the "
                         "file that CUPR_CPU_ACCESS_LOG names, with what is read and written"));

struct RetargetPass : PassInfoMixin<RetargetPass> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    cupr::cpu::RetargetOptions options;
    const StringRef id = moduleId;
    if (id.size() != 32 || id.take_front(16).getAsInteger(16, options.id[0]) ||
        id.drop_front(16).getAsInteger(16, options.id[1]))
      report_fatal_error("cupr-retarget: -cupr-module-id needs 32 hexadecimal digits, not '" + id + "'",
                         false);
    options.hostCpu = hostCpu;
    if (!options.hostCpu.empty() && X86::parseArchX86(options.hostCpu, /*Only64Bit=*/true) == X86::CK_None)
      report_fatal_error("cupr-retarget: -cupr-host-cpu: no processor '" + Twine(hostCpu) + "' is known",
                         false);
    options.logAccesses = logAccesses.getNumOccurrences() != 0;
    options.logValues = logAccesses == "values";
    std::string error;
    if (!cupr::cpu::retarget(module, options, error))
      report_fatal_error("cupr-retarget: " + Twine(module.getName()) + ": " + error, false);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cupr-retarget", "1", [](PassBuilder &builder) {
            builder.registerPipelineParsingCallback(
                [](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name != "cupr-retarget")
                    return false;
                  manager.addPass(RetargetPass());
                  return true;
                });
          }};
}
