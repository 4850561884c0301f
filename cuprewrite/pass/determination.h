/// What of a kernel its launch determines: the values that follow from kernel arguments, thread and block indices, what the
/// launch finds in memory that stays as it is (unchanged_memory.h) and integer arithmetic alone, and the blocks whose execution does.
///
/// Problem: a value may be a plain sum, and yet depend on data, since data decided how often a loop had run when
/// it was computed. So a value that merges several ways (a phi) is determined only if what decides between these ways is. All is
/// taken for determined at first, and falls until nothing moves: values in loops depend on themselves.
/// What has no meaning in a slice (slice_terms.h) is not determined.
#ifndef CUPR_PASS_DETERMINATION_H
#define CUPR_PASS_DETERMINATION_H

#include "block_graph.h"
#include "unchanged_memory.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"

namespace cupr::pass {

class Determination {
public:
  /// Both must outlive this.
  Determination(llvm::Function &kernel, const BlockGraph &graph, const UnchangedMemory &memory);

  bool isDetermined(const llvm::Value *value) const;
  /// Whether the block runs, and how often, in each thread.
  bool isDetermined(const llvm::BasicBlock *block) const { return !undeterminedBlocks_.contains(block); }
  /// The instruction that makes the value, which must not be determined, depend on data: mostly a load. It follows the first
  /// operand that does.
  const llvm::Value *causeOf(const llvm::Value *value) const;
  /// The same for a block: what decides whether it runs.
  const llvm::Value *causeOf(const llvm::BasicBlock *block) const;

private:
  bool falls(const llvm::Instruction &instruction) const;
  bool decidesUndetermined(const llvm::BasicBlock *block) const;
  const llvm::Value *decisionOf(const llvm::BasicBlock *block) const;

  const BlockGraph &graph_;
  const UnchangedMemory &memory_;
  const llvm::DataLayout &layout_;
  llvm::SmallPtrSet<const llvm::Value *, 32> undetermined_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> undeterminedBlocks_;
};

} // namespace cupr::pass

#endif
