/// A launch as the program asks for it.
#ifndef CUPR_RUNTIME_LAUNCH_REQUEST_H
#define CUPR_RUNTIME_LAUNCH_REQUEST_H

#include "hostlib/trace/events.h"

#include <cstddef>
#include <cuda_runtime_api.h>
#include <functional>

namespace cupr::host {

struct LaunchRequest {
  const void *kernel;
  dim3 grid, block;
  void **arguments;
  std::size_t sharedBytes;
  cudaStream_t stream;
  bool cooperative = false;
  const cudaLaunchAttribute *attributes = nullptr; ///< cudaLaunchKernelExC: `attributeCount` elements
  unsigned attributeCount = 0;
  const trace::GraphPlace *place = nullptr; ///< of a node of a graph
};

/// Starts a kernel, through the backend, in the shape of the request.
using LaunchCall = std::function<cudaError_t(const void *kernel, void **arguments)>;

} // namespace cupr::host

#endif
