/// Launches taken apart where all their blocks wait for each other.
///
/// A barrier of the grid (cooperative groups, `grid.sync()`) orders what every block did in front of it before
/// what any does behind: the parts of a launch between two barriers, its *phases*, follow each other as launches
/// of a stream do. So they become launches of the model, one behind the other in the order of the host's calls,
/// and all that is said of launches is said of them: supersteps, who reads whose data, dependences.
///
/// The trace holds no barrier as such, but the accesses that it makes (devicelib/abi/site_table.h,
/// kSiteGridBarrier). Records of a warp are in order, and those of other warps of its block in the same order
/// at the atomic access with which the block arrives: it comes behind what all threads of the block did before,
/// and in front of what they do after. So a block's records are of phase n if it has arrived n times; looks at
/// the barrier are still of the phase in front of it.
///
/// A launch whose records are not all there stays whole, and so does one whose blocks arrived differently
/// often. Of `barrier_arrive()` and `barrier_wait()` apart, what stands between is of the phase behind.
#ifndef CUPR_ANALYSIS_PHASES_H
#define CUPR_ANALYSIS_PHASES_H

#include "model.h"

#include <memory>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// Whether this access is one of a barrier of the grid, and no data.
inline bool isGridBarrier(const trace::Site &site) { return (site.flags & abi::kSiteGridBarrier) != 0; }

/// For all launches of one model, one after the other.
class Phases {
public:
  explicit Phases(const Model &model) : model_(model) {}

  /// The phases of a launch, if it has at least two. Numbers of launches are left as they are.
  std::optional<std::vector<LaunchInfo>> of(const LaunchInfo &launch);
  /// When no launch is to come.
  void finish();

private:
  bool hasBarrier(const LaunchInfo &launch) const;

  const Model &model_;
  std::shared_ptr<PhaseRecords> records_; ///< null: there are none yet
};

} // namespace cupr::analysis

#endif
