/// The launch calls, as the program makes them.
#include "kernel_table.h"
#include "session.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;

namespace {

cudaError_t launchThrough(const LaunchRequest &request, const LaunchCall &call) {
  if (Session *const session = Session::current())
    return session->launch(request, call);
  // Untraced. An augmented launch brings a trace argument that records nothing; one through the API brings
  // none.
  const Kernel &kernel = findKernel(request.kernel);
  if (!kernel.instrumented || bringsTrace(request.arguments))
    return call(request.arguments);
  TracedArguments arguments(request.arguments, kernel, cupr::Trace{});
  return call(arguments.get());
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
  return launchThrough({function, grid, block, arguments, sharedBytes, stream}, [&](void **actual) {
    return CUPR_BACKEND(cudaLaunchKernel)(function, grid, block, actual, sharedBytes, stream);
  });
}

cudaError_t cupr_hook_cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                            std::size_t sharedBytes, cudaStream_t stream) {
  return launchThrough({function, grid, block, arguments, sharedBytes, stream ? stream : cudaStreamPerThread},
                       [&](void **actual) {
                         return CUPR_BACKEND(cudaLaunchKernel_ptsz)(function, grid, block, actual,
                                                                    sharedBytes, stream);
                       });
}

cudaError_t cupr_hook_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                          void **arguments) {
  return launchThrough(
      {function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream},
      [&](void **actual) { return CUPR_BACKEND(cudaLaunchKernelExC)(config, function, actual); });
}

cudaError_t cupr_hook_cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                               void **arguments) {
  return launchThrough(
      {function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
       config->stream ? config->stream : cudaStreamPerThread},
      [&](void **actual) { return CUPR_BACKEND(cudaLaunchKernelExC_ptsz)(config, function, actual); });
}

cudaError_t cupr_hook_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                                  void **arguments, std::size_t sharedBytes,
                                                  cudaStream_t stream) {
  return launchThrough({function, grid, block, arguments, sharedBytes, stream}, [&](void **actual) {
    return CUPR_BACKEND(cudaLaunchCooperativeKernel)(function, grid, block, actual, sharedBytes, stream);
  });
}

cudaError_t cupr_hook_cudaLaunchCooperativeKernel_ptsz(const void *function, dim3 grid, dim3 block,
                                                       void **arguments, std::size_t sharedBytes,
                                                       cudaStream_t stream) {
  return launchThrough({function, grid, block, arguments, sharedBytes, stream ? stream : cudaStreamPerThread},
                       [&](void **actual) {
                         return CUPR_BACKEND(cudaLaunchCooperativeKernel_ptsz)(function, grid, block, actual,
                                                                               sharedBytes, stream);
                       });
}

cudaError_t cupr_hook_cudaDeviceReset() {
  if (Session *const session = Session::current())
    session->releaseDevice();
  return CUPR_BACKEND(cudaDeviceReset)();
}
}
