#include "slice_needs.h"

#include "slice_terms.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::pass {

void SliceNeeds::add(const BasicBlock *block, const Value *value) {
  keep(block);
  if (value)
    need(value);
}

void SliceNeeds::close() {
  while (!work_.empty())
    needOperands(*work_.pop_back_val());
}

void SliceNeeds::keep(const BasicBlock *block) {
  if (!kept_.insert(block).second)
    return;
  for (const BasicBlock *decider : graph_.deciders(block))
    decide(decider);
}

/// The branch at the block's end matters.
void SliceNeeds::decide(const BasicBlock *block) {
  if (!deciding_.insert(block).second)
    return;
  keep(block);
  const Instruction *end = block->getTerminator();
  if (const auto *branch = dyn_cast<BranchInst>(end))
    need(branch->getCondition());
  else
    need(cast<SwitchInst>(end)->getCondition());
}

void SliceNeeds::need(const Value *value) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !needed_.insert(instruction).second)
    return;
  if (sliceInputOf(*instruction)) // is there from the start
    return;
  keep(instruction->getParent());
  work_.push_back(instruction);
}

void SliceNeeds::needOperands(const Instruction &instruction) {
  if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const BasicBlock *from = phi->getIncomingBlock(i);
      if (!graph_.contains(from))
        continue;
      need(phi->getIncomingValue(i));
      keep(from);
      if (graph_.successors(from).size() > 1)
        decide(from);
    }
    return;
  }
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    for (const Use &argument : call->args())
      need(argument);
    return;
  }
  for (const Use &operand : instruction.operands())
    need(operand);
}

} // namespace cupr::pass
