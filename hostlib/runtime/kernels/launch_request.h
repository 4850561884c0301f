/// A launch as the program asks for it.
#ifndef CUPR_RUNTIME_LAUNCH_REQUEST_H
#define CUPR_RUNTIME_LAUNCH_REQUEST_H

#include "hostlib/trace/events.h"

#include <concepts>
#include <cstddef>
#include <cuda_runtime_api.h>

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

/// Starts a kernel, through the backend, in the shape of the request. Refers to a function object, which must
/// be there as long as this: a launch takes no memory of its own.
class LaunchCall {
public:
  template <typename Function>
    requires(!std::same_as<Function, LaunchCall>)
  LaunchCall(const Function &function)
      : object_(&function),
        call_([](const void *object, const void *kernel, void **arguments) -> cudaError_t {
          return (*static_cast<const Function *>(object))(kernel, arguments);
        }) {}

  cudaError_t operator()(const void *kernel, void **arguments) const {
    return call_(object_, kernel, arguments);
  }

private:
  const void *object_;
  cudaError_t (*call_)(const void *object, const void *kernel, void **arguments);
};

} // namespace cupr::host

#endif
