#include "reach.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace cupr::cpu {

Reach::Reach(Module &module) {
  for (Function &function : module) {
    if (function.hasAddressTaken())
      addressTaken_.insert(&function);
    Node &node = nodes_[&function];
    SmallVector<Constant *> work;
    SmallPtrSet<Constant *, 32> seen;
    auto push = [&](Value *value) {
      if (auto *constant = dyn_cast<Constant>(value); constant && seen.insert(constant).second)
        work.push_back(constant);
    };
    for (Instruction &instruction : instructions(function)) {
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isIndirectCall() && !call->isInlineAsm())
        node.callsIndirectly = true;
      for (Value *operand : instruction.operands())
        push(operand);
    }
    while (!work.empty()) {
      Constant *constant = work.pop_back_val();
      if (auto *callee = dyn_cast<Function>(constant)) {
        node.references.insert(callee);
        continue;
      }
      if (auto *variable = dyn_cast<GlobalVariable>(constant)) {
        if (variable->hasInitializer())
          push(variable->getInitializer());
        continue;
      }
      for (Value *operand : constant->operands())
        push(operand);
    }
  }
}

SetVector<Function *> Reach::from(Function *function) const {
  SetVector<Function *> reached;
  reached.insert(function);
  bool indirect = false;
  for (unsigned i = 0; i < reached.size(); ++i) {
    const auto found = nodes_.find(reached[i]);
    if (found == nodes_.end())
      continue;
    for (Function *callee : found->second.references)
      reached.insert(callee);
    if (found->second.callsIndirectly && !indirect) {
      indirect = true;
      for (Function *taken : addressTaken_)
        reached.insert(taken);
    }
  }
  return reached;
}

} // namespace cupr::cpu
