#include "named_globals.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace cupr::pass {

void forEachGlobal(const GlobalValue &global, function_ref<void(GlobalValue &)> visit) {
  SmallPtrSet<const Constant *, 16> seen;
  SmallVector<Constant *, 16> work;
  const auto look = [&](const User &user) {
    for (const Use &operand : user.operands())
      if (auto *constant = dyn_cast<Constant>(operand.get()); constant && seen.insert(constant).second)
        work.push_back(constant);
  };
  const auto lookWithin = [&](const User &user) {
    look(user);
    while (!work.empty()) {
      Constant *const constant = work.pop_back_val();
      if (auto *named = dyn_cast<GlobalValue>(constant))
        visit(*named);
      else
        look(*constant);
    }
  };
  if (const auto *function = dyn_cast<Function>(&global))
    for (const Instruction &instruction : instructions(*function))
      lookWithin(instruction);
  else
    lookWithin(global);
}

} // namespace cupr::pass
