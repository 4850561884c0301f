/// Streams and events. Work is done when its call returns, so a stream is an
/// identity and an event a moment; unless the stream is being captured (capture.h).
#include "api.h"

#include "capture.h"

#include <atomic>
#include <chrono>
#include <memory>

/// What the opaque handles of the API point to.
struct CUstream_st {
  unsigned long long id;
  unsigned flags;
  int priority;
  int device;
};
struct CUevent_st {
  unsigned flags;
  int device;
  bool recorded;
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<cupr::cpu::EventCapture> capture; ///< null: it was not recorded in a capturing stream
};

namespace cupr::cpu {

namespace {

using Clock = std::chrono::steady_clock;

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
  *stream = streams().add({nextId++, flags, priority, currentDevice()});
  return cudaSuccess;
}

cudaError_t createEvent(cudaEvent_t *event, unsigned flags) {
  if (!event)
    return cudaErrorInvalidValue;
  *event = events().add({flags, currentDevice(), false, {}, nullptr});
  return cudaSuccess;
}

cudaError_t recordEvent(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (!events().holds(event) || check(stream) != cudaSuccess || event->device != deviceOf(stream))
    return cudaErrorInvalidResourceHandle;
  if (!isCaptured(stream)) {
    event->capture = nullptr;
    return recordNow(event);
  }
  if (flags & cudaEventRecordExternal)
    return captureWork(stream, RecordWork{event});
  event->capture = captureEvent(stream);
  return event->capture ? cudaSuccess : refuseCapture(stream);
}

cudaError_t waitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (!events().holds(event) || check(stream) != cudaSuccess)
    return cudaErrorInvalidResourceHandle;
  const bool captured = isCaptured(stream);
  if (captured && (flags & cudaEventWaitExternal))
    return captureWork(stream, WaitWork{event});
  return captured || event->capture ? captureWait(stream, event->capture.get()) : cudaSuccess;
}

/// Whether the event's state may be asked for.
cudaError_t queryEvent(cudaEvent_t event) {
  if (!events().holds(event))
    return cudaErrorInvalidResourceHandle;
  return event->capture ? refuseEventQuery(*event->capture) : cudaSuccess;
}

/// Whether the host may ask for, or wait for, the stream's state.
cudaError_t queryStream(cudaStream_t stream) {
  const cudaError_t error = check(stream);
  return error == cudaSuccess && isCaptured(stream) ? refuseCapture(stream) : error;
}

} // namespace

cudaError_t recordNow(cudaEvent_t event) {
  if (!events().holds(event))
    return cudaErrorInvalidResourceHandle;
  event->recorded = true;
  event->time = Clock::now();
  return cudaSuccess;
}

int deviceOf(cudaStream_t stream) {
  return isDefault(stream) || !streams().holds(stream) ? currentDevice() : stream->device;
}

bool isEvent(cudaEvent_t event) { return events().holds(event); }

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
  forgetStream(stream);
  return answer(streams().remove(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaStreamSynchronize)(cudaStream_t stream) { return answer(queryStream(stream)); }
CUPR_CPU_API(cudaStreamQuery)(cudaStream_t stream) { return answer(queryStream(stream)); }
CUPR_CPU_API(cudaStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return answer(waitEvent(stream, event, flags));
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
  *device = deviceOf(stream);
  return answer(check(stream));
}
CUPR_CPU_API(cudaStreamAddCallback)(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                    unsigned) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  if (isCaptured(stream))
    return answer(refuseCapture(stream));
  callback(stream, answer(cudaSuccess), data);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaLaunchHostFunc)(cudaStream_t stream, cudaHostFn_t function, void *data) {
  if (check(stream) != cudaSuccess)
    return answer(cudaErrorInvalidResourceHandle);
  if (isCaptured(stream))
    return answer(captureWork(stream, HostWork{{function, data}}));
  function(data);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaEventCreate)(cudaEvent_t *event) { return answer(createEvent(event, 0)); }
CUPR_CPU_API(cudaEventCreateWithFlags)(cudaEvent_t *event, unsigned flags) {
  return answer(createEvent(event, flags));
}
CUPR_CPU_API(cudaEventDestroy)(cudaEvent_t event) {
  return answer(events().remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
CUPR_CPU_API(cudaEventRecord)(cudaEvent_t event, cudaStream_t stream) {
  return answer(recordEvent(event, stream, cudaEventRecordDefault));
}
CUPR_CPU_API(cudaEventRecordWithFlags)(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return answer(recordEvent(event, stream, flags));
}
CUPR_CPU_API(cudaEventSynchronize)(cudaEvent_t event) { return answer(queryEvent(event)); }
CUPR_CPU_API(cudaEventQuery)(cudaEvent_t event) {
  const cudaError_t unsafe = checkUnsafeCall();
  return answer(unsafe == cudaSuccess ? queryEvent(event) : unsafe);
}
CUPR_CPU_API(cudaEventElapsedTime)(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!events().holds(start) || !events().holds(end) || !start->recorded || !end->recorded ||
      start->device != end->device || ((start->flags | end->flags) & cudaEventDisableTiming))
    return answer(cudaErrorInvalidResourceHandle);
  if (start->capture || end->capture)
    return answer(cudaErrorCapturedEvent);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return answer(cudaSuccess);
}
