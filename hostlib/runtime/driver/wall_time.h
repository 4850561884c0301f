/// The clock that all times of a trace are of.
#ifndef CUPR_RUNTIME_WALL_TIME_H
#define CUPR_RUNTIME_WALL_TIME_H

#include <chrono>
#include <cstdint>

namespace cupr::host {

/// Nanoseconds since the epoch.
inline std::uint64_t wallTime() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

} // namespace cupr::host

#endif
