/// What of a kernel has to be in a slice of it: the values that addresses and branches need, the branches that decide
/// whether something of this runs, and the blocks that hold it (M. Weiser, Program Slicing, 1981).
#ifndef CUPR_PASS_SLICE_NEEDS_H
#define CUPR_PASS_SLICE_NEEDS_H

#include "block_graph.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"

namespace cupr::pass {

class SliceNeeds {
public:
  explicit SliceNeeds(const BlockGraph &graph) : graph_(graph) {}

  /// The block does something that a slice says, at which this value is needed; null: none is.
  void add(const llvm::BasicBlock *block, const llvm::Value *value);
  /// When all is added: follows what is needed for it.
  void close();

  bool keeps(const llvm::BasicBlock *block) const { return kept_.contains(block); }
  /// The branch at the end of the block is in the slice.
  bool decides(const llvm::BasicBlock *block) const { return deciding_.contains(block); }
  bool needs(const llvm::Instruction *instruction) const { return needed_.contains(instruction); }

private:
  void keep(const llvm::BasicBlock *block);
  void decide(const llvm::BasicBlock *block);
  void need(const llvm::Value *value);
  void needOperands(const llvm::Instruction &instruction);

  const BlockGraph &graph_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> kept_, deciding_;
  llvm::SmallPtrSet<const llvm::Instruction *, 32> needed_;
  llvm::SmallVector<const llvm::Instruction *, 16> work_;
};

} // namespace cupr::pass

#endif
