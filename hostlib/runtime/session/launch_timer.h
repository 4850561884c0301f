/// How long the device takes for what one call puts into a stream.
///
/// Problem: events around a launch, of a stream that has nothing else to do, count from when the first event was put there, and so the
/// time in which the host makes the launch: some 7 us, of kernels that take 30. So a kernel that only waits goes in front, and what is
/// timed, with its events, is in the stream by the time that it is over.
///
/// Threads: any at a time.
#ifndef CUPR_RUNTIME_LAUNCH_TIMER_H
#define CUPR_RUNTIME_LAUNCH_TIMER_H

#include "hostlib/runtime/driver/driver.h"

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace cupr::host {

class LaunchTimer {
public:
  /// Makes the call, in the current context, and waits for the stream. Nanoseconds; nothing: the device has failed.
  std::optional<std::uint64_t> time(cudaStream_t stream, const std::function<void()> &make);
  /// The current context is about to go.
  void forget();

private:
  /// The current context's delay kernel; null: it can't be had, and times are with gaps.
  CUfunction delay(const Driver &driver);

  std::mutex mutex_;
  std::unordered_map<CUcontext, CUfunction> delays_;
};

} // namespace cupr::host

#endif
