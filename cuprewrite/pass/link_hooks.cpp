#include "link_hooks.h"

#include "devicelib/abi/site_table.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <dlfcn.h>
#include <set>

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<std::string> deviceLibrary("cupr-device-library", cl::init(""), cl::value_desc("file"),
                                   cl::desc("The device library's bitcode (default: beside the plugin)"));

cl::opt<unsigned> inlineLimit("cupr-inline-limit", cl::init(32), cl::value_desc("calls"),
                              cl::desc("Hooks are inlined in modules with at most so many calls of them"));

cl::opt<bool> stripLines("cupr-strip-lines",
                         cl::desc("Leave line information out of the GPU's code: the site table has it"));

/// Many inlined hooks make the assembler, not the program, slow: then they are called.
void callHooksIfMany(const Module &module, Module &library) {
  static constexpr const char *kSymbols[] = {
#define CUPR_HOOK(identifier, symbol) symbol,
#include "devicelib/abi/hooks.def"
  };
  SmallVector<Function *, 4> hooks;
  unsigned calls = 0;
  for (const char *const symbol : kSymbols)
    if (const Function *used = module.getFunction(symbol))
      if (Function *hook = library.getFunction(symbol)) {
        hooks.push_back(hook);
        calls += used->getNumUses();
      }
  if (calls <= inlineLimit)
    return;
  if (Function *recording = library.getFunction(CUPR_RECORDING_HOOK))
    hooks.push_back(recording);
  for (Function *hook : hooks) {
    hook->removeFnAttr(Attribute::AlwaysInline);
    hook->addFnAttr(Attribute::NoInline);
  }
}

/// The library lies beside this plugin.
std::string defaultLibrary() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void *>(&defaultLibrary), &info) || !info.dli_fname)
    return "cupr-device.bc";
  SmallString<128> path(info.dli_fname);
  sys::path::remove_filename(path);
  sys::path::append(path, "cupr-device.bc");
  return path.str().str();
}

} // namespace

PreservedAnalyses LinkHooksPass::run(Module &module, ModuleAnalysisManager &analyses) {
  const std::string path = deviceLibrary.empty() ? defaultLibrary() : deviceLibrary;
  SMDiagnostic problem;
  std::unique_ptr<Module> library = parseIRFile(path, problem, module.getContext());
  if (!library) {
    module.getContext().emitError("cuprewrite: the device library can't be read: " + path + ": " +
                                  problem.getMessage() + "; name it with -cupr-device-library");
    return PreservedAnalyses::all();
  }
  callHooksIfMany(module, *library);
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  // The hooks take the architecture of the user's code: they are inlined into it.
  std::string cpu, features;
  for (const Function &function : module)
    if (function.hasFnAttribute("target-cpu")) {
      cpu = function.getFnAttribute("target-cpu").getValueAsString();
      features = function.getFnAttribute("target-features").getValueAsString();
      break;
    }
  for (Function &function : *library)
    if (!cpu.empty() && !function.isDeclaration()) {
      function.addFnAttr("target-cpu", cpu);
      function.addFnAttr("target-features", features);
    }
  if (NamedMDNode *flags = library->getModuleFlagsMetadata())
    library->eraseNamedMetadata(flags); // the user's module decides
  std::set<std::string> linked;
  if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded,
                          [&](Module &destination, const StringSet<> &symbols) {
                            for (const auto &symbol : symbols)
                              linked.insert(symbol.getKey().str());
                            internalizeModule(destination, [&](const GlobalValue &value) {
                              return !value.hasName() || !linked.count(value.getName().str());
                            });
                          })) {
    module.getContext().emitError("cuprewrite: the device library " + path + " can't be linked");
    return PreservedAnalyses::none();
  }
  AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses);
  if (stripLines)
    StripDebugInfo(module);
  return PreservedAnalyses::none();
}

} // namespace cupr::pass
