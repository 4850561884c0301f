#include "link_hooks.h"

#include "defer_block_hooks.h"
#include "devicelib/abi/hooks.h"
#include "group_hooks.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
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
#include "llvm/Transforms/Utils/Local.h"

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

/// Tells the hooks whether they are for an architecture with thread-block clusters, and drops what they then can't come to: instructions
/// among it that other architectures don't have.
void answerAboutClusters(Module &library, StringRef cpu) {
  Function *const question = library.getFunction("__cupr_may_have_clusters");
  if (!question)
    return;
  constexpr unsigned kFirstWithClusters = 90;
  unsigned architecture = 0;
  cpu.consume_front("sm_");
  const bool has = !cpu.consumeInteger(10, architecture) && architecture >= kFirstWithClusters;
  std::set<Function *> askers;
  for (User *user : make_early_inc_range(question->users()))
    if (auto *call = dyn_cast<CallInst>(user)) {
      askers.insert(call->getFunction());
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), has));
      call->eraseFromParent();
    }
  for (Function *asker : askers) {
    for (BasicBlock &block : *asker)
      SimplifyInstructionsInBlock(&block);
    for (BasicBlock &block : *asker)
      ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
    removeUnreachableBlocks(*asker);
  }
}

/// In functions that call themselves, or each other in a cycle, hooks are called: what an inlined one takes of the stack lies there once for
/// each of them that has not returned, and a thread has 1 KiB of it.
void callHooksInCycles(Module &module, const Module &library) {
  CallGraph graph(module);
  std::set<const Function *> inCycles;
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    if (component.hasCycle())
      for (const CallGraphNode *node : *component)
        inCycles.insert(node->getFunction());
  for (const abi::HookNames &hook : abi::kHooks) {
    const Function *const twin = hook.twin ? library.getFunction(hook.twin) : nullptr;
    Function *const used = twin ? module.getFunction(hook.symbol) : nullptr;
    if (!used)
      continue;
    for (User *user : make_early_inc_range(used->users()))
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledFunction() == used && inCycles.contains(call->getFunction()))
        call->setCalledFunction(
            module.getOrInsertFunction(hook.twin, call->getFunctionType(), used->getAttributes()));
  }
}

/// Many inlined hooks make the assembler, not the program, slow: then they are called. Those of timed kernels are counted by themselves.
/// Whether they are called now.
bool callHooksIfMany(Module &module, Module &library, bool areTimed) {
  SmallVector<std::pair<Function *, const char *>, 8> twins;
  std::size_t calls = 0;
  for (const abi::HookNames &hook : abi::kHooks) {
    Function *const used = module.getFunction(hook.symbol);
    if (!used || !hook.twin || abi::isTimed(hook) != areTimed)
      continue;
    calls += used->getNumUses() * hook.accesses;
    if (library.getFunction(hook.twin))
      twins.push_back({used, hook.twin});
  }
  if (calls <= inlineLimit)
    return false;
  for (const auto &[used, twin] : twins)
    if (Function *const called = module.getFunction(twin)) { // by functions in cycles
      used->replaceAllUsesWith(called);
      used->eraseFromParent();
    } else {
      used->setName(twin);
    }
  return true;
}

void callHooksIfMany(Module &module, Module &library) {
  callHooksIfMany(module, library, /*areTimed=*/true);
  if (!callHooksIfMany(module, library, /*areTimed=*/false))
    return;
  if (Function *recording = library.getFunction(CUPR_RECORDING_HOOK)) {
    recording->removeFnAttr(Attribute::AlwaysInline);
    recording->addFnAttr(Attribute::NoInline);
  }
}

/// The calls of a hook whose site is no constant: lanes that different calls of the function have led there have different ones.
SmallVector<CallInst *, 8> callsApart(Module &module, const abi::HookNames &hook) {
  SmallVector<CallInst *, 8> calls;
  if (Function *const used = module.getFunction(hook.symbol))
    for (User *user : used->users())
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == used &&
                                                 !isa<Constant>(call->getArgOperand(siteArgument(hook))))
        calls.push_back(call);
  return calls;
}

void keepSitesApart(Module &module) {
  for (const abi::HookNames &hook : abi::kHooks)
    if (hook.apart)
      for (CallInst *call : callsApart(module, hook))
        call->setCalledFunction(module.getOrInsertFunction(hook.apart, call->getFunctionType(),
                                                           call->getCalledFunction()->getAttributes()));
}

/// A hook that the module calls and the library lacks, if there is one.
const char *missingHook(Module &module, const Module &library) {
  const auto lacks = [&](const char *symbol) {
    const Function *const used = module.getFunction(symbol);
    return used && used->isDeclaration() && !library.getFunction(symbol);
  };
  for (const abi::HookNames &hook : abi::kHooks)
    if (lacks(hook.symbol))
      return hook.symbol;
    else if (hook.apart && !library.getFunction(hook.apart) && !callsApart(module, hook).empty())
      return hook.apart;
  for (const char *symbol :
       {CUPR_RECORDING_HOOK, CUPR_BLOCK_HOOK, CUPR_PLACE_HOOK, CUPR_STAGE_HOOK, CUPR_UNSTAGE_HOOK})
    if (lacks(symbol))
      return symbol;
  return nullptr;
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
  groupHooks(module);
  deferBlockHooks(module);
  if (const char *missing = missingHook(module, *library)) {
    module.getContext().emitError("cuprewrite: the device library " + path + " has no hook " + missing +
                                  ": it was made for another version of cuprewrite, or is not complete");
    return PreservedAnalyses::all();
  }
  callHooksInCycles(module, *library);
  callHooksIfMany(module, *library);
  keepSitesApart(module);
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
  answerAboutClusters(*library, cpu);
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
