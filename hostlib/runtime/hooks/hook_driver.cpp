/// The driver's launch calls, as the program makes them: of kernels that it has built with cupr++ and looked
/// up (cudaGetFuncBySymbol), which are traced like any other, and of kernels that it has loaded itself
/// (cuModuleLoad, NVRTC), which are listed.
///
/// driver_launch.S leads here what the program's own objects call; the linker takes it only
/// where they do. Calls by closed libraries, and those through a pointer that the program has asked the
/// driver for, are not seen.
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"
#include "per_thread_stream.h"

#include <cuda.h>

using namespace cupr::host;

namespace {

/// Packed arguments (`extra`) have no gap for one more.
bool takesPacked(const Kernel &kernel) {
  if (!kernel.takesTrace())
    return true;
  message("'{}' is launched with its arguments as one buffer (`extra`), which rewritten kernels can't take; "
          "give them as an array",
          kernel.demangled);
  return false;
}

/// Launches `function`; `call` does it with other arguments.
template <class Call>
CUresult launch(CUfunction function, LaunchRequest request, void **extra, const Call &call) {
  const Driver *const driver = Driver::get();
  if (!driver)
    return CUDA_ERROR_NOT_INITIALIZED;
  // The runtime's error numbers are the driver's.
  const auto callThrough = [&](const void *, void **arguments) {
    return static_cast<cudaError_t>(call(*driver, arguments));
  };
  const bool onGpu = deviceKind() == DeviceKind::Gpu;
  Session *const session = Session::current();
  request.kernel = registeredHandle(function);
  if (request.kernel == function) {
    if (!session || !onGpu)
      return call(*driver, request.arguments);
    return static_cast<CUresult>(session->launch(request, foreignKernel(*driver, function), callThrough));
  }
  const Kernel &kernel = findKernel(request.kernel);
  if (extra)
    return takesPacked(kernel) ? call(*driver, request.arguments) : CUDA_ERROR_NOT_SUPPORTED;
  if (!session || !onGpu)
    return call(*driver, TracedArguments(request.arguments, kernel).get());
  return static_cast<CUresult>(session->launch(request, kernel, callThrough));
}

CUresult launchKernel(CUfunction function, dim3 grid, dim3 block, unsigned sharedBytes, CUstream stream,
                      void **arguments, void **extra) {
  return launch(function, {nullptr, grid, block, arguments, sharedBytes, stream}, extra,
                [&](const Driver &driver, void **given) {
                  return driver.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                               sharedBytes, stream, given, extra);
                });
}

CUresult launchKernelEx(const CUlaunchConfig *config, CUfunction function, CUstream stream, void **arguments,
                        void **extra) {
  CUlaunchConfig actual = *config;
  actual.hStream = stream;
  return launch(function,
                {nullptr,
                 {config->gridDimX, config->gridDimY, config->gridDimZ},
                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                 arguments,
                 config->sharedMemBytes,
                 stream,
                 /*cooperative=*/false,
                 reinterpret_cast<const cudaLaunchAttribute *>(config->attrs),
                 config->numAttrs},
                extra, [&](const Driver &driver, void **given) {
                  return driver.cuLaunchKernelEx(&actual, function, given, extra);
                });
}

CUresult launchCooperative(CUfunction function, dim3 grid, dim3 block, unsigned sharedBytes, CUstream stream,
                           void **arguments) {
  return launch(function, {nullptr, grid, block, arguments, sharedBytes, stream, /*cooperative=*/true},
                nullptr, [&](const Driver &driver, void **given) {
                  return driver.cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                                          block.z, sharedBytes, stream, given);
                });
}

/// Of a graph that the runtime's calls have made: its nodes may be prepared for another launch.
CUresult launchGraph(CUgraphExec executable, CUstream stream) {
  const Driver *const driver = Driver::get();
  if (!driver)
    return CUDA_ERROR_NOT_INITIALIZED;
  const auto call = [=] { return static_cast<cudaError_t>(driver->cuGraphLaunch(executable, stream)); };
  Session *const session = deviceKind() == DeviceKind::Gpu ? Session::current() : nullptr;
  return static_cast<CUresult>(session ? session->launchGraph(executable, stream, call) : call());
}

} // namespace

extern "C" {
CUresult cupr_driver_cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                    unsigned by, unsigned bz, unsigned sharedBytes, CUstream stream,
                                    void **arguments, void **extra) {
  const ApiCall apiCall;
  return launchKernel(function, dim3(gx, gy, gz), dim3(bx, by, bz), sharedBytes, stream, arguments, extra);
}

CUresult cupr_driver_cuLaunchKernel_ptsz(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                         unsigned bx, unsigned by, unsigned bz, unsigned sharedBytes,
                                         CUstream stream, void **arguments, void **extra) {
  const ApiCall apiCall;
  return launchKernel(function, dim3(gx, gy, gz), dim3(bx, by, bz), sharedBytes, perThread(stream), arguments,
                      extra);
}

CUresult cupr_driver_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                                      void **extra) {
  const ApiCall apiCall;
  return launchKernelEx(config, function, config->hStream, arguments, extra);
}

CUresult cupr_driver_cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function,
                                           void **arguments, void **extra) {
  const ApiCall apiCall;
  return launchKernelEx(config, function, perThread(config->hStream), arguments, extra);
}

CUresult cupr_driver_cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                               unsigned bx, unsigned by, unsigned bz, unsigned sharedBytes,
                                               CUstream stream, void **arguments) {
  const ApiCall apiCall;
  return launchCooperative(function, dim3(gx, gy, gz), dim3(bx, by, bz), sharedBytes, stream, arguments);
}

CUresult cupr_driver_cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned gx, unsigned gy,
                                                    unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                                    unsigned sharedBytes, CUstream stream, void **arguments) {
  const ApiCall apiCall;
  return launchCooperative(function, dim3(gx, gy, gz), dim3(bx, by, bz), sharedBytes, perThread(stream),
                           arguments);
}

CUresult cupr_driver_cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  const ApiCall apiCall;
  return launchGraph(executable, stream);
}

CUresult cupr_driver_cuGraphLaunch_ptsz(CUgraphExec executable, CUstream stream) {
  const ApiCall apiCall;
  return launchGraph(executable, perThread(stream));
}
}
