/// The CUDA runtime API on the CPU device: `cupr_cpu_<name>` for each function of
/// the API that there is, with the toolkit's own signature.
///
/// Every operation is finished when its call returns, so streams and events only
/// have to keep their books. A kernel that fails leaves a sticky error: from then on
/// every call answers with it, until cudaDeviceReset.
#ifndef CUPR_CPU_API_H
#define CUPR_CPU_API_H

#include "devicelib/abi/cpu_device.h"
#include "devicelib/cpu/runtime/devices.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

/// Starts the definition of an API function; the declaration makes the compiler
/// compare the signature with the toolkit's.
#define CUPR_CPU_API(name)                                                                                   \
  extern "C" decltype(name) cupr_cpu_##name;                                                                 \
  extern "C" cudaError_t cupr_cpu_##name

namespace cupr::cpu {

/// Notes `error` as the calling thread's last error if it is one, and returns what
/// the call is to answer: `error`, or the sticky one.
cudaError_t answer(cudaError_t error);
/// Makes `error` sticky. `message` is what the user was told.
void breakContext(cudaError_t error, const std::string &message);
void resetContext();

/// The device has access to no other one any more.
void forgetPeers(int device);

/// What the device says about itself.
namespace limits {
inline constexpr int kMaxThreads = 1024, kMaxThreadsZ = 64;
inline constexpr int kMaxGridX = 2147483647, kMaxGridYZ = 65535;
inline constexpr int kSharedPerBlock = 48 * 1024, kSharedPerBlockOptIn = 227 * 1024;
inline constexpr int kSharedPerMultiprocessor = 228 * 1024;
inline constexpr int kThreadsPerMultiprocessor = 2048, kBlocksPerMultiprocessor = 32;
inline constexpr int kRegisters = 65536;
inline constexpr int kConstantBytes = 64 * 1024;
inline constexpr int kClusterBlocks = 16, kPortableClusterBlocks = 8;
} // namespace limits

/// Checks that what has to be device memory is, and copies `rows` rows of `width` bytes.
cudaError_t copyRows(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                     std::size_t width, std::size_t rows, cudaMemcpyKind kind);
/// cudaMemcpy3D, between linear memory and arrays in all combinations (texture_api.cpp).
cudaError_t copy3D(const cudaMemcpy3DParms *parameters);

/// The same in the stream: now, or as a node of the graph that captures it.
cudaError_t copyIn(cudaStream_t stream, void *to, std::size_t toPitch, const void *from,
                   std::size_t fromPitch, std::size_t width, std::size_t rows, cudaMemcpyKind kind);

/// Sets `rows` rows of `width` elements of `elementBytes` (1, 2 or 4) bytes.
cudaError_t setRows(void *to, std::size_t pitch, unsigned value, unsigned elementBytes, std::size_t width,
                    std::size_t rows);

/// Where `count` bytes of a variable lie, from `offset` on.
cudaError_t symbolRange(const void *symbol, std::size_t offset, std::size_t count, void *&address);

/// Which blocks of a launch are to be there at once.
struct Company {
  bool together = false; ///< all: a cooperative launch
  dim3 cluster{0, 0, 0}; ///< those of a cluster; 0: as the kernel has it
};

/// Finds a kernel, and tells whether it could be launched so: cudaSuccess or what the launch would answer.
cudaError_t checkLaunch(const void *handle, dim3 grid, dim3 block, std::size_t shared, const Company &company,
                        const abi::CpuKernel *&kernel);
/// Launches a kernel now.
cudaError_t launchKernel(const void *handle, dim3 grid, dim3 block, void **arguments, std::size_t shared,
                         const Company &company);

/// That the stream belongs to; a default stream is one of the current device.
int deviceOf(cudaStream_t stream);

/// The event happens now.
cudaError_t recordNow(cudaEvent_t event);
bool isEvent(cudaEvent_t event);

/// Blocks of `threads` threads that a multiprocessor could hold.
int residentBlocks(const void *kernelHandle, int threads, std::size_t dynamicShared);

} // namespace cupr::cpu

#endif
