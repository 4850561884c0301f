/// Errors: the last one of each thread, the sticky one, names and texts.
#include "api.h"

#include "devicelib/abi/cpu_device.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace cupr::cpu {

namespace {

thread_local cudaError_t lastError = cudaSuccess;
/// Written by launches, read by every call; it carries no other data.
std::atomic<cudaError_t> sticky{cudaSuccess};
/// Released by the launch that has broken the context, for those who ask why.
std::atomic<const char *> failure{nullptr};

/// The same text, for as long as the program runs.
const char *kept(const std::string &text) {
  static std::mutex mutex;
  static auto &texts = *new std::deque<std::string>; // others may ask while the program ends
  const std::scoped_lock lock(mutex);
  return texts.emplace_back(text).c_str();
}

struct ErrorText {
  cudaError_t code;
  const char *name, *text;
};

const ErrorText kErrors[] = {
#define CUPR_ERROR(name, text) {name, #name, text}
    CUPR_ERROR(cudaSuccess, "no error"),
    CUPR_ERROR(cudaErrorInvalidValue, "invalid argument"),
    CUPR_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    CUPR_ERROR(cudaErrorInitializationError, "initialization error"),
    CUPR_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    CUPR_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CUPR_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    CUPR_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    CUPR_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    CUPR_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CUPR_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    CUPR_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    CUPR_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    CUPR_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    CUPR_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CUPR_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    CUPR_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    CUPR_ERROR(cudaErrorNotReady, "device not ready"),
    CUPR_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    CUPR_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CUPR_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    CUPR_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    CUPR_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    CUPR_ERROR(cudaErrorAssert, "device-side assert triggered"),
    CUPR_ERROR(cudaErrorHostMemoryAlreadyRegistered,
               "part or all of the requested memory range is already mapped"),
    CUPR_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    CUPR_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    CUPR_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    CUPR_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    CUPR_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    CUPR_ERROR(cudaErrorInvalidClusterSize, "cluster misconfiguration"),
    CUPR_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    CUPR_ERROR(cudaErrorNotSupported, "operation not supported"),
    CUPR_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    CUPR_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    CUPR_ERROR(cudaErrorStreamCaptureMerge,
               "operation would result in a merge of separate capture sequences"),
    CUPR_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    CUPR_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    CUPR_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    CUPR_ERROR(cudaErrorStreamCaptureImplicit,
               "operation would make the legacy stream depend on a capturing blocking stream"),
    CUPR_ERROR(cudaErrorCapturedEvent,
               "operation not permitted on an event last recorded in a capturing stream"),
    CUPR_ERROR(cudaErrorStreamCaptureWrongThread,
               "attempt to terminate a thread-local capture sequence from another thread"),
    CUPR_ERROR(cudaErrorGraphExecUpdateFailure,
               "the graph update was not performed because it included changes which violated constraints "
               "specific to instantiated graph update"),
    CUPR_ERROR(cudaErrorUnknown, "unknown error"),
#undef CUPR_ERROR
};

const ErrorText *find(cudaError_t error) {
  for (const ErrorText &entry : kErrors)
    if (entry.code == error)
      return &entry;
  return nullptr;
}

} // namespace

cudaError_t answer(cudaError_t error) {
  if (error == cudaSuccess)
    error = sticky.load(std::memory_order_relaxed);
  if (error != cudaSuccess && error != cudaErrorNotReady)
    lastError = error;
  return error;
}

void breakContext(cudaError_t error, const std::string &message) {
  cudaError_t none = cudaSuccess;
  if (sticky.compare_exchange_strong(none, error, std::memory_order_relaxed))
    failure.store(kept(message), std::memory_order_release);
}

void resetContext() {
  sticky.store(cudaSuccess, std::memory_order_relaxed);
  lastError = cudaSuccess;
}

} // namespace cupr::cpu

using namespace cupr::cpu;

extern "C" int cuprCpuContextError(void) { return sticky.load(std::memory_order_relaxed); }

extern "C" const char *cuprCpuContextFailure(void) {
  const char *const text = sticky.load(std::memory_order_relaxed) == cudaSuccess
                               ? nullptr
                               : failure.load(std::memory_order_acquire);
  return text ? text : "";
}

CUPR_CPU_API(cudaGetLastError)() {
  const cudaError_t error = answer(cudaSuccess) == cudaSuccess ? lastError : answer(cudaSuccess);
  lastError = cudaSuccess;
  return error;
}

CUPR_CPU_API(cudaPeekAtLastError)() {
  const cudaError_t error = answer(cudaSuccess);
  return error == cudaSuccess ? lastError : error;
}

extern "C" decltype(cudaGetErrorName) cupr_cpu_cudaGetErrorName;
extern "C" const char *cupr_cpu_cudaGetErrorName(cudaError_t error) {
  const ErrorText *entry = find(error);
  return entry ? entry->name : "unrecognized error code";
}

extern "C" decltype(cudaGetErrorString) cupr_cpu_cudaGetErrorString;
extern "C" const char *cupr_cpu_cudaGetErrorString(cudaError_t error) {
  const ErrorText *entry = find(error);
  return entry ? entry->text : "unrecognized error code";
}
