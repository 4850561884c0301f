/// Shuffles, votes, matches and reductions: what lanes of a warp do together, with a mask that names them.
///
/// A sum over a warp is five shuffles, and a kernel that adds up much would have more records of them than of its accesses. Two things
/// make them few:
///
/// - those that come one behind the other, with one mask and nothing between at which a lane may wait or leave, are one record;
/// - where nothing can be wrong there is none: in kernels all of whose lane operations and barriers all lanes of a warp come to
///   together, and name all of them. Whether lanes come to a place together follows from the branches that it depends on, none of which may be one
///   at which lanes part (LLVM's uniformity).
#ifndef CUPR_PASS_LANE_OPERATIONS_H
#define CUPR_PASS_LANE_OPERATIONS_H

#include "devicelib/abi/operation.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>
#include <optional>

namespace cupr::pass {

struct LaneOperation {
  abi::Operation operation;
  llvm::Value *mask;
  friend bool operator==(const LaneOperation &, const LaneOperation &) = default;
};
/// Of an intrinsic; nothing: it is none such.
std::optional<LaneOperation> laneOperationOf(const llvm::Instruction &instruction);

/// How many one record stands for in front of `first`; 0: one that stands in front has it, or none is needed.
std::uint64_t laneOperationsFrom(const llvm::Instruction &first, const LaneOperation &what);

/// Notes of each kernel whether records of lane operations are needed.
void markLaneOperations(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

} // namespace cupr::pass

#endif
