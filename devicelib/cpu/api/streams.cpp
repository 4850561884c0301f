/// Streams and events. Work is done when its call returns, so a stream is an
/// identity and an event a moment.
#include "api.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <unordered_set>

/// What the opaque handles of the API point to.
struct CUstream_st {
  unsigned long long id;
  unsigned flags;
  int priority;
};
struct CUevent_st {
  unsigned flags;
  bool recorded;
  std::chrono::steady_clock::time_point time;
};

namespace cupr::cpu {

namespace {

using Clock = std::chrono::steady_clock;

/// Handles that the program holds, so that a wrong one is an error and not a crash.
template <typename T> class Handles {
public:
  T *add(T value) {
    std::lock_guard lock(mutex_);
    T *handle = new T(value);
    live_.insert(handle);
    return handle;
  }
  bool remove(T *handle) {
    std::lock_guard lock(mutex_);
    if (!live_.erase(handle))
      return false;
    delete handle;
    return true;
  }
  bool holds(T *handle) {
    std::lock_guard lock(mutex_);
    return live_.count(handle) != 0;
  }

private:
  std::mutex mutex_;
  std::unordered_set<T *> live_;
};

Handles<CUstream_st> &streams() {
  static auto *handles = new Handles<CUstream_st>;
  return *handles;
}
Handles<CUevent_st> &events() {
  static auto *handles = new Handles<CUevent_st>;
  return *handles;
}

constexpr unsigned long long kLegacyId = 1, kPerThreadId = 2;
std::atomic<unsigned long long> nextId{3};

bool isDefault(cudaStream_t stream) {
  return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}
cudaError_t check(cudaStream_t stream) {
  return isDefault(stream) || streams().holds(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t create(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream)
    return cudaErrorInvalidValue;
  *stream = streams().add({nextId++, flags, priority});
  return cudaSuccess;
}

cudaError_t createEvent(cudaEvent_t *event, unsigned flags) {
  if (!event)
    return cudaErrorInvalidValue;
  *event = events().add({flags, false, {}});
  return cudaSuccess;
}

cudaError_t recordEvent(cudaEvent_t event, cudaStream_t stream) {
  if (!events().holds(event) || check(stream) != cudaSuccess)
    return cudaErrorInvalidResourceHandle;
  event->recorded = true;
  event->time = Clock::now();
  return cudaSuccess;
}

} // namespace

} // namespace cupr::cpu

using namespace cupr::cpu;

CUPR_CPU_API(cudaStreamCreate)(cudaStream_t *stream) { return answer(create(stream, 0, 0)); }
CUPR_CPU_API(cudaStreamCreateWithFlags)(cudaStream_t *stream, unsigned flags) {
  return answer(create(stream, flags, 0));
}
CUPR_CPU_API(cudaStreamCreateWithPriority)(cudaStream_t *stream, unsigned flags, int priority) {
  return answer(create(stream, flags, priority));
}
CUPR_CPU_API(cudaStreamDestroy)(cudaStream_t stream) {
  return answer(streams().remove(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaStreamSynchronize)(cudaStream_t stream) { return answer(check(stream)); }
CUPR_CPU_API(cudaStreamQuery)(cudaStream_t stream) { return answer(check(stream)); }
CUPR_CPU_API(cudaStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return answer(events().holds(event) ? check(stream) : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaStreamGetId)(cudaStream_t stream, unsigned long long *id) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  *id = stream == cudaStreamPerThread ? kPerThreadId : isDefault(stream) ? kLegacyId : stream->id;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaStreamGetFlags)(cudaStream_t stream, unsigned *flags) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  *flags = isDefault(stream) ? 0 : stream->flags;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaStreamGetPriority)(cudaStream_t stream, int *priority) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  *priority = isDefault(stream) ? 0 : stream->priority;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaStreamGetDevice)(cudaStream_t stream, int *device) {
  *device = 0;
  return answer(check(stream));
}
CUPR_CPU_API(cudaStreamAddCallback)(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  callback(stream, answer(cudaSuccess), data);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaLaunchHostFunc)(cudaStream_t stream, cudaHostFn_t function, void *data) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  function(data);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaStreamIsCapturing)(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  *status = cudaStreamCaptureStatusNone;
  return answer(check(stream));
}
CUPR_CPU_API(cudaStreamGetCaptureInfo)
(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **,
 const cudaGraphEdgeData **, size_t *) {
  *status = cudaStreamCaptureStatusNone;
  return answer(check(stream));
}
CUPR_CPU_API(cudaThreadExchangeStreamCaptureMode)(cudaStreamCaptureMode *mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  const cudaStreamCaptureMode before = current;
  current = *mode;
  *mode = before;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaEventCreate)(cudaEvent_t *event) { return answer(createEvent(event, 0)); }
CUPR_CPU_API(cudaEventCreateWithFlags)(cudaEvent_t *event, unsigned flags) {
  return answer(createEvent(event, flags));
}
CUPR_CPU_API(cudaEventDestroy)(cudaEvent_t event) {
  return answer(events().remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaEventRecord)(cudaEvent_t event, cudaStream_t stream) { return answer(recordEvent(event, stream)); }
CUPR_CPU_API(cudaEventRecordWithFlags)(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return answer(recordEvent(event, stream));
}
CUPR_CPU_API(cudaEventSynchronize)(cudaEvent_t event) {
  return answer(events().holds(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaEventQuery)(cudaEvent_t event) {
  return answer(events().holds(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaEventElapsedTime)(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!events().holds(start) || !events().holds(end) || !start->recorded || !end->recorded ||
      ((start->flags | end->flags) & cudaEventDisableTiming))
    return answer(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return answer(cudaSuccess);
}
