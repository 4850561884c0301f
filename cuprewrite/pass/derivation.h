/// Decides which kernels' accesses are derived from their launches instead of recorded (devicelib/abi/slice.h): those of which every
/// traced access is determined in address and execution, and whose barriers are. Nothing in the module changes.
#ifndef CUPR_PASS_DERIVATION_H
#define CUPR_PASS_DERIVATION_H

#include "block_graph.h"
#include "plan.h"

#include <map>
#include <memory>
#include <string>

namespace cupr::pass {

/// Why an access, or all of a kernel, has to be recorded.
struct RecordedBecause {
  const llvm::Instruction *instruction = nullptr; ///< null: the kernel as a whole
  std::string reason;                             ///< "its address depends on data"
  const llvm::Value *cause = nullptr;             ///< what makes it so; null: that is all
};

struct Derivation {
  std::unique_ptr<BlockGraph> graph;
  /// Empty: the kernel's accesses are derived. Each access has at most one.
  std::vector<RecordedBecause> obstacles;
  bool isDerived() const { return obstacles.empty(); }
};

/// Of the kernels among the plans of a module.
using Derivations = std::map<const Context *, Derivation>;
Derivations planDerivations(const std::vector<ContextPlan> &plans);

} // namespace cupr::pass

#endif
