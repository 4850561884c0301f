#include "whole_program.h"

#include "plan.h"
#include "relocatable_part.h"
#include "thunks.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace cupr::pass {
namespace {

void refuseUndefined(Module &module) {
  std::string names;
  for (const GlobalValue &value : module.global_values())
    if (isWanted(value))
      names += "\n  " + partName(value.getName());
  if (!names.empty())
    module.getContext().emitError("device code uses what none of the linked files defines:" + names);
}

/// A function without C++ linkage has one name, whatever its signature: files that know it with and
/// without the trace parameter meet unnoticed.
void refuseDifferentSignatures(Module &module) {
  for (const Function &function : module)
    for (const User *user : function.users())
      if (const auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledOperand() == &function &&
          call->getFunctionType() != function.getFunctionType()) {
        module.getContext().emitError(
            "device function " + partName(function.getName()) +
            " is called with another signature than it is defined with; if one file takes "
            "its address, give it C++ linkage");
        break;
      }
}

bool isKnownToHost(const GlobalValue &value) {
  if (const auto *variable = dyn_cast<GlobalVariable>(&value))
    return variable->isExternallyInitialized();
  const auto *function = dyn_cast<Function>(&value);
  return function && isKernel(*function);
}

} // namespace

PreservedAnalyses WholeProgramPass::run(Module &module, ModuleAnalysisManager &) {
  buildThunks(module);
  refuseUndefined(module);
  refuseDifferentSignatures(module);
  internalizeModule(module, isKnownToHost);
  return PreservedAnalyses::none();
}

} // namespace cupr::pass
