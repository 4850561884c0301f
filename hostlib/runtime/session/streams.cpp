#include "streams.h"

#include "devicelib/abi/cpu_device.h"
#include "hostlib/runtime/driver/driver.h"

namespace cupr::host {

std::uint64_t Streams::id(cudaStream_t stream) const {
  unsigned long long id = 0;
  if (device_ == DeviceKind::Gpu) {
    if (const Driver *const driver = Driver::get())
      driver->cuStreamGetId(stream, &id);
    return id;
  }
  return CUPR_BACKEND(cudaStreamGetId)(stream, &id) == cudaSuccess ? id
                                                                   : reinterpret_cast<std::uint64_t>(stream);
}

trace::StreamKind Streams::kind(cudaStream_t stream) const {
  if (!stream || stream == cudaStreamLegacy)
    return trace::StreamKind::Legacy;
  unsigned flags = 0;
  if (device_ == DeviceKind::Gpu) {
    const Driver *const driver = Driver::get();
    if (!driver || driver->cuStreamGetFlags(stream, &flags) != CUDA_SUCCESS)
      return trace::StreamKind::Unknown;
  } else if (CUPR_BACKEND(cudaStreamGetFlags)(stream, &flags) != cudaSuccess) {
    return trace::StreamKind::Unknown;
  }
  return flags & cudaStreamNonBlocking ? trace::StreamKind::NonBlocking : trace::StreamKind::Blocking;
}

bool Streams::isCapturing(cudaStream_t stream) const {
  if (device_ == DeviceKind::Cpu)
    return cuprCpuIsCapturing(stream);
  const Driver *const driver = Driver::get(); // none: nothing runs here, CUDA answers with an error
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return !driver || driver->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

} // namespace cupr::host
