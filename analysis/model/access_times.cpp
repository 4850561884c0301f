#include "access_times.h"

#include <algorithm>
#include <bit>

namespace cupr::analysis {

std::optional<AccessTimes> accessTimes(const Record &record) {
  if (!record.values.shape.hasDuration)
    return std::nullopt;
  AccessTimes times;
  for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    times.start = std::min(times.start, record.values.clock(lane));
    times.duration = std::max(times.duration, record.values.duration(lane));
  }
  return times;
}

} // namespace cupr::analysis
