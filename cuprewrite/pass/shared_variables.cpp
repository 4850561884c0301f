#include "shared_variables.h"

#include "named_globals.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {

SmallVector<GlobalVariable *, 4> sharedVariablesOf(Function &kernel) {
  SmallSetVector<GlobalValue *, 16> reached;
  reached.insert(&kernel);
  for (std::size_t at = 0; at < reached.size(); ++at)
    forEachGlobal(*reached[at], [&](GlobalValue &global) { reached.insert(&global); });
  SmallVector<GlobalVariable *, 4> variables;
  for (GlobalVariable &variable : kernel.getParent()->globals())
    if (variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED && reached.contains(&variable) &&
        !variable.getName().starts_with("__cupr_"))
      variables.push_back(&variable);
  return variables;
}

VariableName nameInSource(const GlobalVariable &variable) {
  // Parts that the optimiser has made of a variable, and variables of the same name, have `.0` and the like behind it.
  const auto [mangled, suffix] = variable.getName().split('.');
  VariableName result{{}, demangle(mangled)};
  if (const std::size_t scope = result.name.rfind("::"); mangled.starts_with("_ZZ")) {
    result.function = result.name.substr(0, scope);
    result.name = result.name.substr(scope + 2);
  }
  if (!suffix.empty())
    result.name += "." + suffix.str();
  return result;
}

} // namespace cupr::pass
