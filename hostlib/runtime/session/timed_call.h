/// How long the device takes for what one call puts into a stream.
#ifndef CUPR_RUNTIME_TIMED_CALL_H
#define CUPR_RUNTIME_TIMED_CALL_H

#include "hostlib/runtime/driver/driver.h"
#include "hostlib/runtime/driver/in_runtime.h"

#include <cstdint>
#include <cuda_runtime_api.h>
#include <optional>

namespace cupr::host {

/// A pair of events around what is put into `stream`, in the current context. The stream is waited for: what is timed is alone in it.
class TimedCall {
public:
  explicit TimedCall(cudaStream_t stream) : driver_(*Driver::get()), stream_(stream) {
    const InRuntime inRuntime;
    isGood_ = driver_.cuEventCreate(&begin_, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
              driver_.cuEventCreate(&end_, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
              driver_.cuEventRecord(begin_, stream_) == CUDA_SUCCESS;
  }
  ~TimedCall() {
    const InRuntime inRuntime;
    for (const CUevent event : {begin_, end_})
      if (event)
        driver_.cuEventDestroy(event);
  }
  TimedCall(const TimedCall &) = delete;
  TimedCall &operator=(const TimedCall &) = delete;

  /// Waits for the stream. Nanoseconds since the beginning; nothing: the device has failed.
  std::optional<std::uint64_t> finish() {
    const InRuntime inRuntime;
    float milliseconds = 0;
    if (!isGood_ || driver_.cuEventRecord(end_, stream_) != CUDA_SUCCESS ||
        driver_.cuEventSynchronize(end_) != CUDA_SUCCESS ||
        driver_.cuEventElapsedTime(&milliseconds, begin_, end_) != CUDA_SUCCESS)
      return std::nullopt;
    return static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6);
  }

private:
  const Driver &driver_;
  const cudaStream_t stream_;
  CUevent begin_ = nullptr, end_ = nullptr;
  bool isGood_ = false;
};

} // namespace cupr::host

#endif
