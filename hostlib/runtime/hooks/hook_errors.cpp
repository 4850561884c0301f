/// Calls that have failed, and the program's questions for errors.
#include "devicelib/abi/failed_call.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"

#include <cuda_runtime_api.h>
#include <string_view>

using namespace cupr::host;

namespace {

/// Whether it says nothing of what the program does, or the trace has it already.
bool isNoFailure(std::string_view call, cudaError_t error) {
  switch (error) {
  case cudaErrorNotReady:        // an answer to a question
  case cudaErrorCudartUnloading: // the process is at its end
    return true;
  case cudaErrorNotSupported: // may be what the CPU device lacks
    return deviceKind() == DeviceKind::Cpu;
  case cudaErrorInvalidValue: // allocation_calls.h
    return call.starts_with("cudaFree");
  default:
    return false;
  }
}

cudaError_t asked(cudaError_t error) {
  const InRuntime inRuntime;
  if (HostLog *const log = HostLog::current())
    log->failures().asked(error);
  return error;
}

} // namespace

extern "C" {

cudaError_t cupr_hook_cudaGetLastError() { return asked(CUPR_BACKEND(cudaGetLastError)()); }

cudaError_t cupr_hook_cudaPeekAtLastError() { return asked(CUPR_BACKEND(cudaPeekAtLastError)()); }

void CUPR_VERSIONED(cuprCallFailed_v)(int code, const char *dropped) noexcept {
  const auto error = static_cast<cudaError_t>(code);
  if (dropped) {
    if (!isNoFailure(dropped, error))
      ThreadCalls::ofThread().dropped(
          {code, dropped, CUPR_BACKEND(cudaGetErrorName)(error), CUPR_BACKEND(cudaGetErrorString)(error)},
          callersRegisters());
  } else if (HostLog *const log = HostLog::current()) {
    const InRuntime inRuntime;
    log->failures().used(code);
  }
}
}
