/// Meetings are immediate post-dominators, found as K. D. Cooper, T. J. Harvey and K. Kennedy do (A Simple, Fast
/// Dominance Algorithm, 2001), on the reversed graph.
#include "block_graph.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::pass {

namespace {

/// The blocks all of whose ways fail.
SmallPtrSet<const BasicBlock *, 8> failuresIn(Function &function) {
  SmallPtrSet<const BasicBlock *, 8> failures;
  for (bool moved = true; moved;) {
    moved = false;
    for (BasicBlock &block : function)
      if (!isa<ReturnInst>(block.getTerminator()) &&
          all_of(llvm::successors(&block), [&](const BasicBlock *next) { return failures.contains(next); }))
        moved |= failures.insert(&block).second;
  }
  return failures;
}

} // namespace

BlockGraph::BlockGraph(Function &function) {
  const auto failures = failuresIn(function);
  if (failures.contains(&function.getEntryBlock())) {
    endless_ = true;
    return;
  }
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    if (failures.contains(block))
      continue;
    number_[block] = static_cast<unsigned>(blocks_.size());
    blocks_.push_back(block);
  }
  for (BasicBlock *block : blocks_) {
    SmallVector<BasicBlock *, 2> &to = successors_.emplace_back();
    for (BasicBlock *next : llvm::successors(block))
      if (number_.contains(next) && !is_contained(to, next))
        to.push_back(next);
  }
  findMeetings();
  if (!endless_)
    findDeciders();
}

void BlockGraph::findMeetings() {
  const unsigned exit = static_cast<unsigned>(blocks_.size()); // behind every return
  SmallVector<SmallVector<unsigned, 2>, 16> before(exit + 1), behind(exit + 1);
  for (unsigned block = 0; block < exit; ++block) {
    for (BasicBlock *next : successors_[block])
      behind[block].push_back(number_.lookup(next));
    if (behind[block].empty())
      behind[block].push_back(exit);
    for (const unsigned next : behind[block])
      before[next].push_back(block);
  }
  // From the exit backwards: a block comes behind all that it leads to, but for loops.
  constexpr unsigned kUnseen = ~0u;
  SmallVector<unsigned, 16> order, place(exit + 1, kUnseen);
  SmallVector<std::pair<unsigned, unsigned>, 16> path{{exit, 0}};
  place[exit] = 0; // on the path
  while (!path.empty()) {
    auto &[block, edge] = path.back();
    if (edge == before[block].size()) {
      place[block] = static_cast<unsigned>(order.size());
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const unsigned next = before[block][edge++];
    if (place[next] == kUnseen) {
      place[next] = 0;
      path.push_back({next, 0});
    }
  }
  endless_ |= order.size() != exit + 1;
  meetings_.assign(exit, nullptr);
  if (endless_)
    return;
  SmallVector<unsigned, 16> meeting(exit + 1, kUnseen);
  meeting[exit] = exit;
  const auto common = [&](unsigned a, unsigned b) {
    while (a != b) {
      while (place[a] < place[b])
        a = meeting[a];
      while (place[b] < place[a])
        b = meeting[b];
    }
    return a;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (const unsigned block : reverse(order)) {
      if (block == exit)
        continue;
      unsigned found = kUnseen;
      for (const unsigned next : behind[block])
        if (meeting[next] != kUnseen)
          found = found == kUnseen ? next : common(found, next);
      if (found != meeting[block]) {
        meeting[block] = found;
        moved = true;
      }
    }
  }
  for (unsigned block = 0; block < exit; ++block)
    meetings_[block] = meeting[block] == exit ? nullptr : blocks_[meeting[block]];
}

void BlockGraph::findDeciders() {
  deciders_.resize(blocks_.size());
  for (unsigned block = 0; block < blocks_.size(); ++block) {
    if (successors_[block].size() < 2)
      continue;
    for (BasicBlock *next : successors_[block])
      for (BasicBlock *decided = next; decided && decided != meetings_[block];
           decided = meetings_[number_.lookup(decided)])
        if (auto &deciders = deciders_[number_.lookup(decided)]; !is_contained(deciders, blocks_[block]))
          deciders.push_back(blocks_[block]);
  }
}

} // namespace cupr::pass
