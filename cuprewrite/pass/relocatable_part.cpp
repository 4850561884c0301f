#include "relocatable_part.h"

#include "column_map.h"
#include "plan.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <map>

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<std::string> symbolsFile("cupr-part-symbols", cl::init(""), cl::value_desc("file"),
                                 cl::desc("Where cupr-part writes what the part offers and wants"));

/// Clang gives a static variable that the host uses a name of its own kind, `x__static__HASH`. Code
/// that was generated before it saw the host's use names it `x` all the same: join the two.
void joinExternalised(Module &module) {
  SmallVector<std::pair<GlobalVariable *, GlobalVariable *>, 4> pairs;
  for (GlobalVariable &variable : module.globals())
    if (const auto at = variable.getName().find("__static__");
        !variable.isDeclaration() && at != StringRef::npos)
      if (GlobalVariable *early = module.getNamedGlobal(variable.getName().take_front(at));
          early && early->isDeclaration() && early->getType() == variable.getType())
        pairs.push_back({early, &variable});
  for (const auto &[early, variable] : pairs) {
    early->replaceAllUsesWith(variable);
    early->eraseFromParent();
  }
}

/// Clang lists what host code of this file uses and another file may define, as an aid for linkers that drop
/// what is not used. It would count as a use by device code.
void dropHostUses(Module &module) {
  GlobalVariable *const list = module.getNamedGlobal("__clang_gpu_used_external");
  if (!list)
    return;
  removeFromUsedLists(module, [&](Constant *constant) { return constant->stripPointerCasts() == list; });
  list->eraseFromParent();
  for (GlobalValue &value : module.global_values())
    value.removeDeadConstantUsers();
}

/// The flag answers libdevice's question whether denormals are flushed (--use_fast_math), for the whole
/// module: files may differ, and would not be linked. By now it is answered, and what code generation needs
/// stands at each function.
void dropAnsweredFlag(Module &module) {
  if (const Function *question = module.getFunction("__nvvm_reflect"); question && !question->use_empty())
    return;
  NamedMDNode *const flags = module.getModuleFlagsMetadata();
  if (!flags)
    return;
  SmallVector<MDNode *, 8> kept;
  for (MDNode *flag : flags->operands())
    if (cast<MDString>(flag->getOperand(1))->getString() != "nvvm-reflect-ftz")
      kept.push_back(flag);
  flags->clearOperands();
  for (MDNode *flag : kept)
    flags->addOperand(flag);
}

/// The functions by which kernels launch kernels (cuda_device_runtime_api.h), and as the host's runtime has
/// them: the tool links the toolkit's library for them (tool/device_code.cpp).
bool isDeviceRuntime(StringRef name) {
  return name.starts_with("__cudaCDP") || (name.size() > 4 && name.starts_with("cuda") && isUpper(name[4]));
}

/// What the GPU's own system, the pass, or a library of the toolkit's or ours brings.
bool isProvided(StringRef name) {
  return StringSwitch<bool>(name).Cases({"vprintf", "malloc", "free", "__assertfail"}, true).Default(false) ||
         name.starts_with("llvm.") || name.starts_with("__cupr_") || name.starts_with("__nvvm_") ||
         name.starts_with("__cuda_") || isDeviceRuntime(name);
}

/// Kernels, too: those of other files may launch them.
bool isOffered(const GlobalValue &value) {
  return !value.isDeclarationForLinker() && !value.hasLocalLinkage() && !value.getName().starts_with("llvm.");
}

void writeSymbols(const Module &module) {
  std::error_code problem;
  raw_fd_ostream out(symbolsFile, problem);
  if (problem) {
    module.getContext().emitError("cuprewrite: " + symbolsFile + " can't be written: " + problem.message());
    return;
  }
  std::map<std::string, StringRef> symbols; // constructors of one class come in several kinds with one name
  for (const GlobalValue &value : module.global_values()) {
    if (isWanted(value))
      symbols.emplace(partName(value.getName()), "wanted");
    else if (isOffered(value))
      symbols[partName(value.getName())] = value.isWeakForLinker() ? "weak" : "strong";
  }
  for (const auto &[name, kind] : symbols)
    out << kind << ' ' << name << '\n';
}

} // namespace

std::string partName(StringRef mangled) {
  std::string name = demangle(mangled);
  static constexpr StringLiteral kTrace = "(cupr::argument::Trace const&";
  if (const std::size_t at = name.find(kTrace); at != std::string::npos) {
    std::size_t end = at + kTrace.size();
    if (name.compare(end, 2, ", ") == 0)
      end += 2;
    name.erase(at + 1, end - at - 1);
  }
  return name;
}

bool isWanted(const GlobalValue &value) {
  return value.isDeclaration() && !value.hasExternalWeakLinkage() && !value.use_empty() &&
         !isProvided(value.getName()) && value.getAddressSpace() != NVPTXAS::ADDRESS_SPACE_SHARED;
}

PreservedAnalyses RelocatablePartPass::run(Module &module, ModuleAnalysisManager &) {
  dropHostUses(module);
  joinExternalised(module);
  ColumnMap::qualify(module);
  dropAnsweredFlag(module);
  if (!symbolsFile.empty())
    writeSymbols(module);
  return PreservedAnalyses::none();
}

} // namespace cupr::pass
