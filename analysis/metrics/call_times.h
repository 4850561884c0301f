/// How long calls took that moved data, and what the host did behind them.
///
/// A call that blocks waits for launches that are under way, and then does its own work. Where the device's times of all launches before it
/// are known, the two are told apart. On the CPU device there is no link between host and device, so the times of calls say nothing there.
#ifndef CUPR_ANALYSIS_CALL_TIMES_H
#define CUPR_ANALYSIS_CALL_TIMES_H

#include "analysis/model/host_paths.h"
#include "launch_ends.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// The model and the paths must outlive this.
class CallTimes {
public:
  CallTimes(const Model &model, const HostPaths &paths);

  /// What the call took that made this act, and nothing else; in seconds. Nothing: it is not known.
  std::optional<double> took(std::uint64_t order) const;
  /// The same without waiting for launches that were called before it.
  std::optional<double> tookItself(std::uint64_t order) const;
  /// What the calling thread did behind the call, outside of calls, up to its next one that is no launch, asynchronous copy or set; in seconds.
  /// 0: it is not known, or less than kLeastWork (advice_limits.h).
  double workBehind(std::uint64_t order) const;

private:
  /// The call of an act, if it made no other one.
  std::optional<std::uint64_t> onlyCallOf(std::uint64_t order) const;

  const Model &model_;
  const HostPaths &paths_;
  const bool isOfGpu_;
  const LaunchEnds ends_;
  std::vector<std::uint32_t> actsOf_; ///< by call
  std::vector<double> workBehind_;    ///< by call
};

} // namespace cupr::analysis

#endif
