/// The blocks of a function as its threads go through them if nothing fails, and which branches decide what runs.
///
/// Ways that end in a trap or a failed assertion are left out: a launch that takes one fails as a whole, and nothing is
/// claimed of it. So `assert(i < n)` decides nothing.
///
/// Terms: block x *is decided by* block a if a ends in a branch that x runs behind one of whose ways and may not run behind another
/// (control dependence: J. Ferrante, K. J. Ottenstein, J. D. Warren, The Program Dependence Graph and Its Use in Optimization,
/// 1987).
#ifndef CUPR_PASS_BLOCK_GRAPH_H
#define CUPR_PASS_BLOCK_GRAPH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace cupr::pass {

class BlockGraph {
public:
  explicit BlockGraph(llvm::Function &function);

  /// Some block that may run leads to no end: there is no telling what comes behind it, and nothing below is known.
  bool isEndless() const { return endless_; }
  /// The blocks that may run, each behind one of those that lead to it.
  llvm::ArrayRef<llvm::BasicBlock *> blocks() const { return blocks_; }
  bool contains(const llvm::BasicBlock *block) const { return number_.contains(block); }
  /// Where a block leads, each once.
  llvm::ArrayRef<llvm::BasicBlock *> successors(const llvm::BasicBlock *block) const {
    return successors_[number_.lookup(block)];
  }
  /// The first block that runs behind this one whatever way is taken; null: there is none, threads end first.
  llvm::BasicBlock *meeting(const llvm::BasicBlock *block) const { return meetings_[number_.lookup(block)]; }
  /// The blocks that decide this one.
  llvm::ArrayRef<llvm::BasicBlock *> deciders(const llvm::BasicBlock *block) const {
    return deciders_[number_.lookup(block)];
  }

private:
  void findMeetings();
  void findDeciders();

  bool endless_ = false;
  llvm::SmallVector<llvm::BasicBlock *, 16> blocks_;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> number_;
  llvm::SmallVector<llvm::SmallVector<llvm::BasicBlock *, 2>, 16> successors_, deciders_;
  llvm::SmallVector<llvm::BasicBlock *, 16> meetings_;
};

} // namespace cupr::pass

#endif
