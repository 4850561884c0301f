/// When the device had done what was launched, as far as that is known: what a call that blocks waited for.
#ifndef CUPR_ANALYSIS_LAUNCH_ENDS_H
#define CUPR_ANALYSIS_LAUNCH_ENDS_H

#include "analysis/model/model.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace cupr::analysis {

class LaunchEnds {
public:
  explicit LaunchEnds(const Model &model);

  /// When the device had done the launches before the act of this order whose times are known, in nanoseconds as times of calls are; 0: there is none.
  std::uint64_t doneBefore(std::uint64_t order) const;
  /// Those are all launches before it.
  bool areAllKnownBefore(std::uint64_t order) const { return order <= firstUnknown_; }

private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      done_;                                ///< order of a launch, and when it and those before it were done
  std::uint64_t firstUnknown_ = UINT64_MAX; ///< order of the first launch whose time isn't known
};

} // namespace cupr::analysis

#endif
