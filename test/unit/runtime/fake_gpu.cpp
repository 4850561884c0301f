#include "fake_gpu.h"

#include "devicelib/abi/queue.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

/// What the driver would compile; the fake one does not look at it.
extern "C" {
extern const char cuprClosePtx[], cuprDelayPtx[], cuprSnapshotPtx[];
const char cuprClosePtx[] = "", cuprDelayPtx[] = "", cuprSnapshotPtx[] = "";
}

namespace cupr::test {
namespace {

FakeGpu gpu;

const auto kClose = reinterpret_cast<CUfunction>(0x10);
const auto kSnapshot = reinterpret_cast<CUfunction>(0x18);
const auto kDelay = reinterpret_cast<CUfunction>(0x28);
const auto kTraced = reinterpret_cast<CUfunction>(0x20);

/// The queue never gives its memory back: it is the context's.
struct Freed {
  void operator()(void *memory) const { std::free(memory); }
};
std::vector<std::unique_ptr<void, Freed>> allocated;

void *zeroed(std::size_t bytes) { return allocated.emplace_back(std::calloc(1, bytes)).get(); }

/// As devicelib/device/close.cu does for a queue in which no record is.
CUresult launchClose(void **parameters) {
  const auto &trace = *static_cast<const Trace *>(parameters[0]);
  const bool waitsForKernel = trace.launch >> 63 == 0;
  if (gpu.runsOn && (waitsForKernel || !gpu.hasRoom))
    return CUDA_SUCCESS;
  auto *const ends = *static_cast<abi::LaunchEnd **>(parameters[1]);
  auto *const tickets = reinterpret_cast<unsigned long long *>(*static_cast<CUdeviceptr *>(parameters[4]));
  const unsigned mask = *static_cast<unsigned *>(parameters[5]);
  auto *const noted = *static_cast<unsigned long long **>(parameters[6]);
  for (unsigned word = 0; word < trace.tallyWords; ++word) {
    noted[word] = trace.tally[word];
    trace.tally[word] = 0;
  }
  const unsigned long long ticket = (*tickets)++;
  abi::LaunchEnd &end = ends[ticket & mask];
  end.launch = trace.launch;
  // Matched by the queue's acquire load.
  std::atomic_ref(end.ticket).store(ticket + 1, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, CUstream, void **parameters, void **) {
  if (function == kDelay) {
    ++gpu.delays;
    return CUDA_SUCCESS;
  }
  return function == kSnapshot
             ? gpu.snapshot(*static_cast<const abi::SnapshotArgument *>(parameters[0]), blocks)
             : launchClose(parameters);
}

} // namespace

FakeGpu &newFakeGpu() {
  host::Driver &driver = newFakeDevice(host::DeviceKind::Gpu).driver;
  gpu = {};
  driver.cuCtxGetCurrent = [](CUcontext *context) {
    *context = gpu.context;
    return CUDA_SUCCESS;
  };
  driver.cuCtxSetCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  driver.cuCtxGetDevice = [](CUdevice *device) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  driver.cuStreamGetCtx = [](CUstream, CUcontext *) { return CUDA_ERROR_INVALID_HANDLE; };
  driver.cuDeviceGetAttribute = [](int *value, CUdevice_attribute, CUdevice) {
    *value = 2;
    return CUDA_SUCCESS;
  };
  driver.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode *) { return CUDA_SUCCESS; };
  driver.cuCtxGetStreamPriorityRange = [](int *, int *) { return CUDA_SUCCESS; };
  driver.cuMemHostAlloc = [](void **address, std::size_t bytes, unsigned) {
    *address = gpu.hasMemory ? zeroed(bytes) : nullptr;
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  };
  driver.cuMemAlloc = [](CUdeviceptr *address, std::size_t bytes) {
    *address = reinterpret_cast<CUdeviceptr>(zeroed(bytes));
    return CUDA_SUCCESS;
  };
  driver.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void *from, std::size_t bytes, CUstream) {
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return CUDA_SUCCESS;
  };
  driver.cuMemsetD8Async = [](CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
    std::memset(reinterpret_cast<void *>(to), value, bytes);
    return CUDA_SUCCESS;
  };
  driver.cuStreamCreate = [](CUstream *, unsigned) { return CUDA_SUCCESS; };
  driver.cuStreamCreateWithPriority = [](CUstream *, unsigned, int) { return CUDA_SUCCESS; };
  driver.cuStreamDestroy = [](CUstream) { return CUDA_SUCCESS; };
  driver.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  driver.cuStreamQuery = [](CUstream) { return CUDA_SUCCESS; };
  driver.cuStreamWaitEvent = [](CUstream, CUevent, unsigned) { return CUDA_SUCCESS; };
  driver.cuEventCreate = [](CUevent *, unsigned) { return CUDA_SUCCESS; };
  driver.cuEventRecord = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  driver.cuEventSynchronize = [](CUevent) { return gpu.eventResult; };
  driver.cuEventElapsedTime = [](float *milliseconds, CUevent, CUevent) {
    *milliseconds = gpu.milliseconds;
    return CUDA_SUCCESS;
  };
  driver.cuModuleLoadData = [](CUmodule *, const void *) { return CUDA_SUCCESS; };
  driver.cuModuleGetFunction = [](CUfunction *function, CUmodule, const char *name) {
    const std::string_view which = name;
    *function = which == "cuprClose"      ? kClose
                : which == "cuprSnapshot" ? kSnapshot
                : which == "cuprDelay"    ? kDelay
                                          : kTraced;
    return *function != kTraced || gpu.hasTracedVariants ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  };
  driver.cuModuleGetGlobal = [](CUdeviceptr *, std::size_t *, CUmodule, const char *) {
    return CUDA_ERROR_NOT_FOUND;
  };
  driver.cuFuncGetModule = [](CUmodule *, CUfunction) { return CUDA_SUCCESS; };
  driver.cuFuncGetParamInfo = [](CUfunction, std::size_t index, std::size_t *, std::size_t *bytes) {
    if (index >= gpu.parameterBytes.size())
      return CUDA_ERROR_INVALID_VALUE;
    *bytes = gpu.parameterBytes[index];
    return CUDA_SUCCESS;
  };
  driver.cuFuncGetAttribute = [](int *value, CUfunction_attribute, CUfunction) {
    *value = 1024;
    return CUDA_SUCCESS;
  };
  driver.cuLaunchKernel = launch;
  driver.cuLaunchKernelEx = [](const CUlaunchConfig *, CUfunction, void **arguments, void **) {
    return gpu.kernel(*static_cast<const Trace *>(arguments[0]));
  };
  return gpu;
}

} // namespace cupr::test
