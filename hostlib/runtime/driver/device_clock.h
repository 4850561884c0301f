/// A GPU's clock (`%globaltimer`) beside the session's.
///
/// Nobody can read both at once without waiting for the GPU. But what the GPU has stamped is seen by the host
/// a little later, never earlier: of all differences the least is the nearest. Clocks drift, so the
/// difference may grow again, by kDrift.
///
/// Threads: one at a time.
#ifndef CUPR_RUNTIME_DEVICE_CLOCK_H
#define CUPR_RUNTIME_DEVICE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace cupr::host {

class DeviceClock {
public:
  /// The host sees now, at `host`, what the device stamped at `device`. In nanoseconds.
  void seen(std::uint64_t device, std::uint64_t host) {
    const auto difference = static_cast<std::int64_t>(host - device);
    if (difference_)
      difference_ = std::min(difference, *difference_ + static_cast<std::int64_t>((host - last_) / kDrift));
    else
      difference_ = difference;
    last_ = host;
  }
  /// The session's time of a stamp; something must have been seen.
  std::uint64_t hostTime(std::uint64_t device) const {
    return device + static_cast<std::uint64_t>(*difference_);
  }

private:
  static constexpr std::uint64_t kDrift = 50'000; ///< a nanosecond in so many
  std::optional<std::int64_t> difference_;
  std::uint64_t last_ = 0;
};

} // namespace cupr::host

#endif
