/// The launch calls, as the program makes them.
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"
#include "per_thread_stream.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <vector>

using namespace cupr::host;

namespace {

cudaError_t launchThrough(LaunchRequest request, const LaunchCall &call) {
  const FoundKernel found = findRegisteredKernel(request.kernel);
  request.kernel = found.registered;
  const Kernel &kernel = *found.kernel;
  if (Session *const session = Session::current())
    return session->launch(request, kernel, call);
  return call(request.kernel, TracedArguments(request.arguments, kernel).get());
}

} // namespace

// The variants for per-thread default streams have no declaration of their own in C++.
extern "C" {
cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                  std::size_t sharedBytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                     void **arguments);
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                             std::size_t sharedBytes, cudaStream_t stream);

cudaError_t cupr_hook_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                       std::size_t sharedBytes, cudaStream_t stream) {
  const ApiCall apiCall;
  return launchThrough(
      {function, grid, block, arguments, sharedBytes, stream}, [&](const void *kernel, void **actual) {
        return CUPR_BACKEND(cudaLaunchKernel)(kernel, grid, block, actual, sharedBytes, stream);
      });
}

cudaError_t cupr_hook_cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                            std::size_t sharedBytes, cudaStream_t stream) {
  const ApiCall apiCall;
  return launchThrough({function, grid, block, arguments, sharedBytes, perThread(stream)},
                       [&](const void *kernel, void **actual) {
                         return CUPR_BACKEND(cudaLaunchKernel_ptsz)(kernel, grid, block, actual, sharedBytes,
                                                                    stream);
                       });
}

cudaError_t cupr_hook_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                          void **arguments) {
  const ApiCall apiCall;
  return launchThrough({function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                        config->stream, /*cooperative=*/false, config->attrs, config->numAttrs},
                       [&](const void *kernel, void **actual) {
                         return CUPR_BACKEND(cudaLaunchKernelExC)(config, kernel, actual);
                       });
}

cudaError_t cupr_hook_cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                               void **arguments) {
  const ApiCall apiCall;
  return launchThrough({function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                        perThread(config->stream), /*cooperative=*/false, config->attrs, config->numAttrs},
                       [&](const void *kernel, void **actual) {
                         return CUPR_BACKEND(cudaLaunchKernelExC_ptsz)(config, kernel, actual);
                       });
}

cudaError_t cupr_hook_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                                  void **arguments, std::size_t sharedBytes,
                                                  cudaStream_t stream) {
  const ApiCall apiCall;
  return launchThrough({function, grid, block, arguments, sharedBytes, stream, /*cooperative=*/true},
                       [&](const void *kernel, void **actual) {
                         return CUPR_BACKEND(cudaLaunchCooperativeKernel)(kernel, grid, block, actual,
                                                                          sharedBytes, stream);
                       });
}

cudaError_t cupr_hook_cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block,
                                                       void **arguments, std::size_t sharedBytes,
                                                       cudaStream_t stream) {
  const ApiCall apiCall;
  return launchThrough({function, grid, block, arguments, sharedBytes, perThread(stream),
                        /*cooperative=*/true},
                       [&](const void *kernel, void **actual) {
                         return CUPR_BACKEND(cudaLaunchCooperativeKernel_ptsz)(kernel, grid, block, actual,
                                                                               sharedBytes, stream);
                       });
}

cudaError_t cupr_hook_cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  const ApiCall apiCall;
  const cudaError_t result = CUPR_BACKEND(cudaGetFuncBySymbol)(function, symbol);
  if (result == cudaSuccess)
    addHandle(*function, symbol);
  return result;
}

cudaError_t cupr_hook_cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
  const ApiCall apiCall;
  const cudaError_t result = CUPR_BACKEND(cudaGetKernel)(kernel, symbol);
  if (result == cudaSuccess)
    addHandle(*kernel, symbol);
  return result;
}

cudaError_t cupr_hook_cudaProfilerStart() {
  const ApiCall apiCall;
  setRecording(true);
  return CUPR_BACKEND(cudaProfilerStart)();
}

cudaError_t cupr_hook_cudaProfilerStop() {
  const ApiCall apiCall;
  setRecording(false);
  return CUPR_BACKEND(cudaProfilerStop)();
}

cudaError_t cupr_hook_cudaDeviceReset() {
  const ApiCall apiCall;
  Session *const session = Session::current();
  if (!session)
    return CUPR_BACKEND(cudaDeviceReset)();
  session->releaseDevice();
  std::vector<const void *> gone;
  session->contained([&] { gone = session->events().memoryOfDevice(); });
  const cudaError_t result = CUPR_BACKEND(cudaDeviceReset)();
  if (result == cudaSuccess)
    session->contained([&] {
      for (const void *const address : gone)
        session->events().freed("cudaDeviceReset", address);
    });
  return result;
}
}
