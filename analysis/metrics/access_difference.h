/// Whether two traces hold the same accesses, thread by thread: those of a GPU and of the CPU device, or of
/// two versions of a program.
///
/// Traced launches that are selected are matched by their order. Two are the same if their kernels' names, grids and blocks
/// are, and if each thread made the same accesses (thread_access.h), each as often, in whatever order.
#ifndef CUPR_ANALYSIS_ACCESS_DIFFERENCE_H
#define CUPR_ANALYSIS_ACCESS_DIFFERENCE_H

#include "analysis/engine/thread_access.h"
#include "analysis/model/launch_selection.h"
#include "analysis/model/record_selection.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// Accesses by threads, by abi::Operation.
using OperationCounts = std::array<std::uint64_t, abi::kOperationCount>;
std::uint64_t countOf(const OperationCounts &counts);

/// All that was looked at of one trace.
struct ComparedTrace {
  std::uint64_t launches = 0; ///< that were traced and selected
  std::uint64_t accesses = 0; ///< compared ones
  std::uint64_t local = 0;    ///< accesses to local memory, which are left out
  std::uint64_t unknown = 0;  ///< accesses outside of known allocations, compared without the offset
};

/// An access that a trace has `count` times more often than the other one.
struct OneSidedAccess {
  ThreadAccess access;
  std::uint64_t count;
  bool isBefore; ///< whose it is
};

/// What one launch has and the other has not.
struct OneSidedAccesses {
  std::uint64_t before = 0, after = 0;  ///< accesses that only this one has
  std::uint64_t ctas = 0;               ///< that made them
  bool areAll = true;                   ///< false: there are more, which were not counted
  std::vector<OneSidedAccess> examples; ///< the first ones
};

struct LaunchDifference {
  std::size_t position = 0;                             ///< among these launches, from 0
  const LaunchInfo *before = nullptr, *after = nullptr; ///< null: this trace has fewer launches
  OperationCounts countsBefore{}, countsAfter{};
  std::optional<OneSidedAccesses> oneSided; ///< of the first few launches that match but for their accesses

  bool matches() const; ///< kernel, grid and block
};

struct AccessDifference {
  ComparedTrace before, after;
  std::uint64_t different = 0;            ///< launches
  std::vector<LaunchDifference> launches; ///< the first ones of these

  bool isSame() const { return different == 0; }
};

struct AccessDifferenceOptions {
  unsigned threads = 0;       ///< 0: one per processor
  std::size_t launches = 40;  ///< how many that differ are told apart
  std::size_t examples = 10;  ///< for each launch
  bool quiet = true;          ///< no progress on stderr
  LaunchSelection selected{}; ///< launches of both that are compared
  RecordSelection records{};  ///< and accesses of these
};

/// Needs about 250 MiB at most beside what it keeps of each launch, however large the traces are. The result
/// does not depend on the number of threads. It names launches of the models, which must outlive it. Throws
/// BadTrace; std::runtime_error where a trace has nothing of what is selected.
AccessDifference accessDifference(const Model &before, const Model &after,
                                  const AccessDifferenceOptions &options = {});

} // namespace cupr::analysis

#endif
