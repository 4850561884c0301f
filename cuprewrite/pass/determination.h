/// What of a kernel its launch determines: the values that follow from kernel arguments, thread and block indices
/// and integer arithmetic alone, and the blocks whose execution does.
///
/// Problem: a value may be a plain sum, and yet depend on data, since data decided how often a loop had run when
/// it was computed. So a value that merges several ways (a phi) is determined only if what decides between these ways is. All is
/// taken for determined at first, and falls until nothing moves: values in loops depend on themselves.
///
/// Also here: what an instruction means in a slice (devicelib/abi/slice.h), where that is more than its operands. Determined and
/// having a meaning there is the same.
#ifndef CUPR_PASS_DETERMINATION_H
#define CUPR_PASS_DETERMINATION_H

#include "block_graph.h"
#include "devicelib/abi/slice.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace cupr::pass {

/// How slices name the value of this instruction or argument if it is an input of theirs: an index, or (part of)
/// a kernel parameter.
std::optional<abi::SliceInput> sliceInputOf(const llvm::Value &value);

/// The operation that computes an instruction from its operands; none: it is something else.
std::optional<abi::SliceOperation> sliceOperationOf(const llvm::Instruction &instruction);

/// A constant address: a variable of the device, and bytes behind its start.
struct VariablePlace {
  const llvm::GlobalVariable *variable = nullptr;
  std::int64_t offset = 0;
};
std::optional<VariablePlace> variablePlaceOf(const llvm::Constant &constant, const llvm::DataLayout &layout);

/// What a block does that decides in which order accesses are made, or whether all are.
enum class BarrierKind : std::uint8_t {
  None,
  Block,   ///< waits for all threads of the block
  Unknown, ///< may be anything of the kind, or end the thread
};
BarrierKind barrierKindOf(const llvm::Instruction &instruction);

class Determination {
public:
  Determination(llvm::Function &kernel, const BlockGraph &graph);

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
  const llvm::DataLayout &layout_;
  llvm::SmallPtrSet<const llvm::Value *, 32> undetermined_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> undeterminedBlocks_;
};

} // namespace cupr::pass

#endif
