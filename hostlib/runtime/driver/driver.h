/// The CUDA driver API, found at run time: the runtime must start on machines
/// without a driver, and its own calls must leave the program's
/// cudaGetLastError untouched, which the driver API does not know.
#ifndef CUPR_RUNTIME_DRIVER_H
#define CUPR_RUNTIME_DRIVER_H

#include <cuda.h>

namespace cupr::host {

struct Driver {
#define CUPR_DRIVER_FUNCTIONS(X)                                                                             \
  X(cuInit)                                                                                                  \
  X(cuDeviceGetCount)                                                                                        \
  X(cuDeviceGetName)                                                                                         \
  X(cuDeviceGetAttribute)                                                                                    \
  X(cuCtxGetCurrent)                                                                                         \
  X(cuCtxSetCurrent)                                                                                         \
  X(cuStreamGetCtx)                                                                                          \
  X(cuCtxGetDevice)                                                                                          \
  X(cuFuncGetModule)                                                                                         \
  X(cuFuncGetAttribute)                                                                                      \
  X(cuFuncSetAttribute)                                                                                      \
  X(cuModuleGetGlobal)                                                                                       \
  X(cuModuleLoadData)                                                                                        \
  X(cuModuleGetFunction)                                                                                     \
  X(cuMemGetAddressRange)                                                                                    \
  X(cuPointerGetAttributes)                                                                                  \
  X(cuMemAlloc)                                                                                              \
  X(cuMemHostAlloc)                                                                                          \
  X(cuMemFree)                                                                                               \
  X(cuMemFreeHost)                                                                                           \
  X(cuMemcpyDtoHAsync)                                                                                       \
  X(cuMemcpyBatchAsync)                                                                                      \
  X(cuMemcpyHtoDAsync)                                                                                       \
  X(cuMemsetD8Async)                                                                                         \
  X(cuStreamCreate)                                                                                          \
  X(cuStreamCreateWithPriority)                                                                              \
  X(cuStreamDestroy)                                                                                         \
  X(cuStreamWaitEvent)                                                                                       \
  X(cuStreamQuery)                                                                                           \
  X(cuCtxGetStreamPriorityRange)                                                                             \
  X(cuMemGetInfo)                                                                                            \
  X(cuStreamSynchronize)                                                                                     \
  X(cuStreamIsCapturing)                                                                                     \
  X(cuStreamGetFlags)                                                                                        \
  X(cuStreamGetId)                                                                                           \
  X(cuEventCreate)                                                                                           \
  X(cuEventRecord)                                                                                           \
  X(cuEventQuery)                                                                                            \
  X(cuEventSynchronize)                                                                                      \
  X(cuEventElapsedTime)                                                                                      \
  X(cuEventDestroy)                                                                                          \
  X(cuLaunchKernel)                                                                                          \
  X(cuLaunchKernelEx)                                                                                        \
  X(cuLaunchCooperativeKernel)                                                                               \
  X(cuFuncGetName)                                                                                           \
  X(cuFuncGetParamInfo)                                                                                      \
  X(cuKernelGetFunction)                                                                                     \
  X(cuGraphDestroy)                                                                                          \
  X(cuGraphExecKernelNodeSetParams)                                                                          \
  X(cuGraphLaunch)                                                                                           \
  X(cuGraphGetNodes)                                                                                         \
  X(cuGraphKernelNodeGetAttribute)                                                                           \
  X(cuGraphMemcpyNodeGetParams)                                                                              \
  X(cuGraphMemsetNodeGetParams)                                                                              \
  X(cuGraphNodeGetDependencies)                                                                              \
  X(cuGraphNodeGetType)                                                                                      \
  X(cuGraphKernelNodeGetParams)                                                                              \
  X(cuGraphChildGraphNodeGetGraph)                                                                           \
  X(cuGetErrorName)                                                                                          \
  X(cuThreadExchangeStreamCaptureMode)
#define CUPR_DRIVER_MEMBER(name) decltype(&::name) name = nullptr;
  CUPR_DRIVER_FUNCTIONS(CUPR_DRIVER_MEMBER)
#undef CUPR_DRIVER_MEMBER

  /// The driver; null when there is none, or it lacks a function.
  static const Driver *get();
  /// The driver's function of this name, versioned as in its library; null: it has none, or there is no driver.
  static void *find(const char *name);
  /// Whether there is a driver that sees a GPU.
  static bool hasGpu();
};

/// "CUDA_ERROR_...", for messages.
const char *driverErrorName(CUresult result);

} // namespace cupr::host

#endif
