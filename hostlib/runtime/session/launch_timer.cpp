#include "launch_timer.h"

#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/driver/relaxed_capture.h"

extern "C" const char cuprDelayPtx[];

namespace cupr::host {

namespace {

/// More than a host takes to make a launch, but for a kernel's first, which is loaded then.
constexpr unsigned kDelayNanoseconds = 40'000;

/// Two events in the stream.
class Interval {
public:
  Interval(const Driver &driver, cudaStream_t stream) : driver_(driver), stream_(stream) {
    isGood_ = driver_.cuEventCreate(&begin_, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
              driver_.cuEventCreate(&end_, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
  }
  ~Interval() {
    const InRuntime inRuntime;
    for (const CUevent event : {begin_, end_})
      if (event)
        driver_.cuEventDestroy(event);
  }
  Interval(const Interval &) = delete;
  Interval &operator=(const Interval &) = delete;

  void begin() { isGood_ = isGood_ && driver_.cuEventRecord(begin_, stream_) == CUDA_SUCCESS; }
  std::optional<std::uint64_t> end() {
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

} // namespace

CUfunction LaunchTimer::delay(const Driver &driver) {
  CUcontext context = nullptr;
  if (driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS)
    return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto [known, isNew] = delays_.try_emplace(context, nullptr);
  if (!isNew)
    return known->second;
  const RelaxedCapture relaxed(driver);
  CUmodule module = nullptr;
  if (driver.cuModuleLoadData(&module, cuprDelayPtx) != CUDA_SUCCESS ||
      driver.cuModuleGetFunction(&known->second, module, "cuprDelay") != CUDA_SUCCESS)
    known->second = nullptr;
  return known->second;
}

void LaunchTimer::forget() {
  CUcontext context = nullptr;
  Driver::get()->cuCtxGetCurrent(&context);
  const std::scoped_lock lock(mutex_);
  delays_.erase(context);
}

std::optional<std::uint64_t> LaunchTimer::time(cudaStream_t stream, const std::function<void()> &make) {
  const Driver &driver = *Driver::get();
  std::optional<Interval> interval;
  {
    const InRuntime inRuntime;
    interval.emplace(driver, stream);
    if (const CUfunction kernel = delay(driver)) {
      unsigned nanoseconds = kDelayNanoseconds;
      void *arguments[] = {&nanoseconds};
      driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    }
    interval->begin();
  }
  make();
  const InRuntime inRuntime;
  return interval->end();
}

} // namespace cupr::host
