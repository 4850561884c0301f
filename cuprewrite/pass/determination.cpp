#include "determination.h"

#include "slice_terms.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// What decides between the ways behind the block; the end itself where that is something else.
const Value *conditionOf(const BasicBlock &block) {
  const Instruction *end = block.getTerminator();
  if (const auto *branch = dyn_cast<BranchInst>(end))
    return branch->isConditional() ? branch->getCondition() : end;
  const auto *choice = dyn_cast<SwitchInst>(end);
  return choice ? choice->getCondition() : end;
}

} // namespace

Determination::Determination(Function &kernel, const BlockGraph &graph, const UnchangedMemory &memory)
    : graph_(graph), memory_(memory), layout_(kernel.getDataLayout()) {
  for (bool moved = true; moved;) {
    moved = false;
    for (BasicBlock *block : graph.blocks()) {
      if (isDetermined(block) && any_of(graph.deciders(block), [&](const BasicBlock *decider) {
            return decidesUndetermined(decider) || !isDetermined(decider);
          }))
        moved |= undeterminedBlocks_.insert(block).second;
      for (const Instruction &instruction : *block)
        if (!instruction.getType()->isVoidTy() && !undetermined_.contains(&instruction) && falls(instruction))
          moved |= undetermined_.insert(&instruction).second;
    }
  }
}

bool Determination::isDetermined(const Value *value) const {
  if (const auto *constant = dyn_cast<Constant>(value)) {
    if (isa<UndefValue>(constant)) // poison, too
      return false;
    if (isa<ConstantFP>(constant))
      return isComparable(constant->getType(), layout_);
    if (isa<ConstantInt>(constant) || isa<ConstantPointerNull>(constant))
      return isScalar(constant->getType(), layout_);
    return variablePlaceOf(*constant, layout_).has_value();
  }
  if (isa<Argument>(value))
    return sliceInputOf(*value).has_value();
  return isa<Instruction>(value) && !undetermined_.contains(value);
}

const Value *Determination::causeOf(const Value *value) const {
  SmallPtrSet<const Value *, 16> seen;
  while (seen.insert(value).second) {
    const auto *instruction = dyn_cast<Instruction>(value);
    const Value *next = nullptr;
    const auto consider = [&](const Value *other) {
      if (!next && other && !seen.contains(other))
        next = other;
    };
    const auto *load = dyn_cast_or_null<LoadInst>(instruction);
    if (load && !memory_.holds(*load))
      return value;
    if (instruction && (isa<PHINode>(instruction) || sliceOperationOf(*instruction)))
      for (const Use &operand : instruction->operands())
        if (!isa<BasicBlock>(operand) && !isa<Function>(operand) && !isDetermined(operand))
          consider(operand);
    if (const auto *phi = dyn_cast_or_null<PHINode>(instruction))
      for (const BasicBlock *from : phi->blocks())
        if (graph_.contains(from))
          consider(decidesUndetermined(from) ? conditionOf(*from) : decisionOf(from));
    if (!next)
      return value;
    value = next;
  }
  return value;
}

const Value *Determination::causeOf(const BasicBlock *block) const {
  const Value *decision = decisionOf(block);
  return decision ? causeOf(decision) : block->getTerminator();
}

/// A condition that is not determined and that the execution of the block depends on; null: there is none.
const Value *Determination::decisionOf(const BasicBlock *block) const {
  SmallPtrSet<const BasicBlock *, 8> seen;
  while (block && seen.insert(block).second) {
    const BasicBlock *undetermined = nullptr;
    for (const BasicBlock *decider : graph_.deciders(block)) {
      if (decidesUndetermined(decider))
        return conditionOf(*decider);
      if (!isDetermined(decider) && !seen.contains(decider))
        undetermined = decider;
    }
    block = undetermined;
  }
  return nullptr;
}

/// What is behind a branch on the value that ends `block`.
bool Determination::decidesUndetermined(const BasicBlock *block) const {
  const Instruction *end = block->getTerminator();
  if (const auto *branch = dyn_cast<BranchInst>(end))
    return branch->isConditional() && !isDetermined(branch->getCondition());
  if (const auto *choice = dyn_cast<SwitchInst>(end))
    return !isDetermined(choice->getCondition()) || !isScalar(choice->getCondition()->getType(), layout_);
  return true;
}

bool Determination::falls(const Instruction &instruction) const {
  if (sliceInputOf(instruction))
    return false;
  if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
    if (!isScalar(phi->getType(), layout_))
      return true;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const BasicBlock *from = phi->getIncomingBlock(i);
      if (graph_.contains(from) && (!isDetermined(phi->getIncomingValue(i)) || !isDetermined(from) ||
                                    (graph_.successors(from).size() > 1 && decidesUndetermined(from))))
        return true;
    }
    return false;
  }
  if (!sliceOperationOf(instruction) || isPlaceUsed(instruction))
    return true;
  if (const auto *load = dyn_cast<LoadInst>(&instruction); load && !memory_.holds(*load))
    return true;
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return any_of(call->args(), [&](const Use &argument) { return !isDetermined(argument); });
  return any_of(instruction.operands(), [&](const Use &operand) { return !isDetermined(operand); });
}

} // namespace cupr::pass
