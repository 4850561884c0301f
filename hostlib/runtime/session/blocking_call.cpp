#include "blocking_call.h"

#include "hostlib/runtime/driver/pointer_info.h"
#include "hostlib/runtime/queue/patience.h"

namespace cupr::host {

void waitWithoutDriver(cudaStream_t stream) {
  const Driver &driver = *Driver::get();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUevent event = nullptr;
  if (driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
      status != CU_STREAM_CAPTURE_STATUS_NONE ||
      driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
    return;
  if (driver.cuEventRecord(event, stream) == CUDA_SUCCESS)
    for (Patience patience; driver.cuEventQuery(event) == CUDA_ERROR_NOT_READY;)
      patience.wait();
  driver.cuEventDestroy(event);
}

bool waitsForDevice(cudaMemcpyKind kind, const void *destination, std::size_t bytes, bool isAsynchronous) {
  constexpr std::size_t kPutAside = 64u << 10;
  if (kind == cudaMemcpyHostToDevice)
    return !isAsynchronous && bytes > kPutAside;
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDefault)
    return false;
  const PointerInfo info = pointerInfo(*Driver::get(), reinterpret_cast<CUdeviceptr>(destination));
  return !info.isKnown() || (!isAsynchronous && info.memoryType == CU_MEMORYTYPE_HOST);
}

} // namespace cupr::host
