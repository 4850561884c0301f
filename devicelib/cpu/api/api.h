/// The CUDA runtime API on the CPU device: `cupr_cpu_<name>` for each function of
/// the API that there is, with the toolkit's own signature.
///
/// Every operation is finished when its call returns, so streams and events only
/// have to keep their books. A kernel that fails leaves a sticky error: from then on
/// every call answers with it, until cudaDeviceReset.
#ifndef CUPR_CPU_API_H
#define CUPR_CPU_API_H

#include <cuda_runtime_api.h>

#include <cstdint>

/// Starts the definition of an API function; the declaration makes the compiler
/// compare the signature with the toolkit's.
#define CUPR_CPU_API(name)                                                                                   \
  extern "C" decltype(name) cupr_cpu_##name;                                                                 \
  extern "C" cudaError_t cupr_cpu_##name

namespace cupr::cpu {

/// Notes `error` as the calling thread's last error if it is one, and returns what
/// the call is to answer: `error`, or the sticky one.
cudaError_t answer(cudaError_t error);
/// Makes `error` sticky.
void breakContext(cudaError_t error);
void resetContext();

/// What the device says about itself.
namespace limits {
inline constexpr int kMaxThreads = 1024, kMaxThreadsZ = 64;
inline constexpr int kMaxGridX = 2147483647, kMaxGridYZ = 65535;
inline constexpr int kSharedPerBlock = 48 * 1024, kSharedPerBlockOptIn = 227 * 1024;
inline constexpr int kSharedPerMultiprocessor = 228 * 1024;
inline constexpr int kThreadsPerMultiprocessor = 2048, kBlocksPerMultiprocessor = 32;
inline constexpr int kRegisters = 65536;
inline constexpr int kConstantBytes = 64 * 1024;
} // namespace limits

/// Checks that what has to be device memory is, and copies `rows` rows of `width` bytes.
cudaError_t copyRows(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                     std::size_t width, std::size_t rows, cudaMemcpyKind kind);
/// cudaMemcpy3D, between linear memory and arrays in all combinations (texture_api.cpp).
cudaError_t copy3D(const cudaMemcpy3DParms *parameters);

/// Blocks of `threads` threads that a multiprocessor could hold.
int residentBlocks(const void *kernelHandle, int threads, std::size_t dynamicShared);

} // namespace cupr::cpu

#endif
