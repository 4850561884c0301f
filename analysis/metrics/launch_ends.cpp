#include "launch_ends.h"

#include <algorithm>

namespace cupr::analysis {

LaunchEnds::LaunchEnds(const Model &model) {
  for (const LaunchInfo &launch : model.launches())
    if (launch.deviceTime())
      done_.emplace_back(launch.launch.order,
                         std::max(done_.empty() ? 0 : done_.back().second, launch.totals.end.ended));
    else
      firstUnknown_ = std::min(firstUnknown_, launch.launch.order);
}

std::uint64_t LaunchEnds::doneBefore(std::uint64_t order) const {
  const auto next =
      std::ranges::lower_bound(done_, order, {}, [](const auto &launch) { return launch.first; });
  return next == done_.begin() ? 0 : std::prev(next)->second;
}

} // namespace cupr::analysis
