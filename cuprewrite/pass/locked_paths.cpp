#include "locked_paths.h"

#include "constant_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Whether it comes of what is not made anew once `taking` was come to: through arithmetic, but through no memory and no loop.
bool isKnownBefore(const Value &value, const Instruction &taking, const DominatorTree &dominators) {
  constexpr std::size_t kMost = 64;
  SmallVector<const Value *, 8> left = {&value};
  SmallPtrSet<const Value *, 16> seen = {&value};
  while (!left.empty()) {
    const auto *const instruction = dyn_cast<Instruction>(left.pop_back_val());
    if (!instruction || !isPotentiallyReachable(&taking, instruction, nullptr, &dominators))
      continue;
    if (isa<PHINode>(instruction) || instruction->mayReadFromMemory() || instruction->mayHaveSideEffects() ||
        (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)) || seen.size() > kMost)
      return false;
    for (const Use &operand : instruction->operands())
      if (seen.insert(operand).second)
        left.push_back(operand);
  }
  return true;
}

bool isReachable(const BasicBlock &from, const BasicBlock &to, const DominatorTree &dominators) {
  return &from == &to || isPotentiallyReachable(&from, &to, nullptr, &dominators);
}

/// Whether all branches behind `taking` on which it depends that this block is come to are decided by what was known before.
bool isAlwaysComeTo(const BasicBlock &block, const Instruction &taking, const DominatorTree &dominators,
                    const PostDominatorTree &postDominators) {
  SmallVector<const BasicBlock *, 8> left = {&block};
  SmallPtrSet<const BasicBlock *, 16> seen = {&block};
  while (!left.empty()) {
    const BasicBlock &to = *left.pop_back_val();
    for (const BasicBlock &from : *block.getParent()) {
      const bool decides = !postDominators.properlyDominates(&to, &from) &&
                           any_of(successors(&from), [&](const BasicBlock *next) {
                             return postDominators.dominates(&to, next);
                           });
      if (!decides || !isReachable(*taking.getParent(), from, dominators))
        continue;
      const auto *const branch = dyn_cast<BranchInst>(from.getTerminator());
      if (!branch || !branch->isConditional() || !isKnownBefore(*branch->getCondition(), taking, dominators))
        return false;
      if (seen.insert(&from).second)
        left.push_back(&from);
    }
  }
  return true;
}

} // namespace

LockedPaths::LockedPaths(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    SmallVector<Untraced, 1> untraced;
    if (instruction.mayWriteToMemory() && any_of(accessesOf(instruction, untraced), [](const Access &access) {
          return access.operation == abi::Operation::AtomicCAS && isOfLock(access);
        }))
      takings_.push_back(&instruction);
  }
  if (takings_.empty())
    return;
  dominators_.emplace(function);
  postDominators_.emplace(function);
}

bool LockedPaths::isRegardless(const Access &access) const {
  if (takings_.empty() || !access.pointer || !access.conditions.empty() || access.length || access.tensor)
    return false;
  bool isBehindOne = false;
  for (const Instruction *const taking : takings_) {
    const Instruction &made = *access.instruction;
    if (&made == taking || !isPotentiallyReachable(taking, &made, nullptr, &*dominators_))
      continue;
    if (!isKnownBefore(*access.pointer, *taking, *dominators_) ||
        !isAlwaysComeTo(*made.getParent(), *taking, *dominators_, *postDominators_))
      return false;
    isBehindOne = true;
  }
  return isBehindOne;
}

} // namespace cupr::pass
