/// When an access of a warp began, and how long it took, where its launch was timed.
///
/// Lanes that were not together measured for themselves: the access begins with the first of them, and takes as long as the longest. A
/// duration is as many cycles as 32 bits hold; what took longer is the largest number.
#ifndef CUPR_ANALYSIS_ACCESS_TIMES_H
#define CUPR_ANALYSIS_ACCESS_TIMES_H

#include "records.h"

#include <cstdint>
#include <optional>

namespace cupr::analysis {

struct AccessTimes {
  std::uint64_t start = UINT64_MAX; ///< the multiprocessor's clock
  std::uint32_t duration = 0;       ///< cycles
};

/// None: nothing was measured. The record's values have been read.
std::optional<AccessTimes> accessTimes(const Record &record);

} // namespace cupr::analysis

#endif
