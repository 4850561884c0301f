/// Allocations and their ends, as the program makes them by calls of the runtime.
#include "allocation_calls.h"
#include "hostlib/runtime/driver/array_bytes.h"
#include "hostlib/runtime/driver/driver.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;
using cupr::trace::MemoryKind;

namespace {

cudaError_t announce(cudaError_t result, MemoryKind kind, const char *call, void *const *address,
                     std::size_t bytes) {
  announceAllocation(kind, call, result == cudaSuccess && address ? *address : nullptr, bytes);
  return result;
}

/// Memory whose size the call does not tell.
cudaError_t announceMapped(cudaError_t result, const char *call, void *const *address) {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (const Driver *const driver = Driver::get(); driver && result == cudaSuccess && address)
    driver->cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(*address));
  return announce(result, MemoryKind::Device, call, address, bytes);
}

std::size_t arrayBytes(const cudaChannelFormatDesc *channels, cudaExtent extent, unsigned levels = 1) {
  const int bits = channels ? channels->x + channels->y + channels->z + channels->w : 0;
  return arrayElements(extent.width, extent.height, extent.depth, levels) * static_cast<std::size_t>(bits) /
         8;
}

/// `array`: what the call has set, an array or one with levels.
template <class Array>
cudaError_t announceArray(cudaError_t result, const char *call, const Array *array, std::size_t bytes) {
  announceAllocation(MemoryKind::Array, call, result == cudaSuccess && array ? *array : nullptr, bytes);
  return result;
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync_ptsz(void **address, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync_ptsz(void **address, std::size_t bytes, cudaMemPool_t pool,
                                         cudaStream_t stream);
cudaError_t cudaFreeAsync_ptsz(void *address, cudaStream_t stream);

cudaError_t cupr_hook_cudaMalloc(void **address, std::size_t bytes) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaMalloc)(address, bytes), MemoryKind::Device, "cudaMalloc", address, bytes);
}

cudaError_t cupr_hook_cudaMallocManaged(void **address, std::size_t bytes, unsigned flags) {
  const AllocatingCall apiCall;
  const auto backend =
      reinterpret_cast<cudaError_t (*)(void **, std::size_t, unsigned)>(backendFunction("cudaMallocManaged"));
  return announce(backend(address, bytes, flags), MemoryKind::Managed, "cudaMallocManaged", address, bytes);
}

cudaError_t cupr_hook_cudaMallocHost(void **address, std::size_t bytes) {
  const AllocatingCall apiCall;
  const auto backend =
      reinterpret_cast<cudaError_t (*)(void **, std::size_t)>(backendFunction("cudaMallocHost"));
  return announce(backend(address, bytes), MemoryKind::Host, "cudaMallocHost", address, bytes);
}

cudaError_t cupr_hook_cudaHostAlloc(void **address, std::size_t bytes, unsigned flags) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaHostAlloc)(address, bytes, flags), MemoryKind::Host, "cudaHostAlloc",
                  address, bytes);
}

cudaError_t cupr_hook_cudaHostRegister(void *address, std::size_t bytes, unsigned flags) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaHostRegister)(address, bytes, flags), MemoryKind::Host, "cudaHostRegister",
                  &address, bytes);
}

cudaError_t cupr_hook_cudaHostUnregister(void *address) {
  const AllocatingCall apiCall;
  announceFree("cudaHostUnregister", address);
  return CUPR_BACKEND(cudaHostUnregister)(address);
}

cudaError_t cupr_hook_cudaMallocPitch(void **address, std::size_t *pitch, std::size_t width,
                                      std::size_t height) {
  const AllocatingCall apiCall;
  const cudaError_t result = CUPR_BACKEND(cudaMallocPitch)(address, pitch, width, height);
  return announce(result, MemoryKind::Pitched, "cudaMallocPitch", address,
                  result == cudaSuccess ? *pitch * height : 0);
}

cudaError_t cupr_hook_cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent) {
  const AllocatingCall apiCall;
  const cudaError_t result = CUPR_BACKEND(cudaMalloc3D)(pitched, extent);
  return announce(result, MemoryKind::Pitched, "cudaMalloc3D", &pitched->ptr,
                  result == cudaSuccess ? pitched->pitch * extent.height * extent.depth : 0);
}

cudaError_t cupr_hook_cudaMallocAsync(void **address, std::size_t bytes, cudaStream_t stream) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaMallocAsync)(address, bytes, stream), MemoryKind::Pool, "cudaMallocAsync",
                  address, bytes);
}

cudaError_t cupr_hook_cudaMallocAsync_ptsz(void **address, std::size_t bytes, cudaStream_t stream) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaMallocAsync_ptsz)(address, bytes, stream), MemoryKind::Pool,
                  "cudaMallocAsync", address, bytes);
}

cudaError_t cupr_hook_cudaMallocFromPoolAsync(void **address, std::size_t bytes, cudaMemPool_t pool,
                                              cudaStream_t stream) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaMallocFromPoolAsync)(address, bytes, pool, stream), MemoryKind::Pool,
                  "cudaMallocFromPoolAsync", address, bytes);
}

cudaError_t cupr_hook_cudaMallocFromPoolAsync_ptsz(void **address, std::size_t bytes, cudaMemPool_t pool,
                                                   cudaStream_t stream) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaMallocFromPoolAsync_ptsz)(address, bytes, pool, stream), MemoryKind::Pool,
                  "cudaMallocFromPoolAsync", address, bytes);
}

cudaError_t cupr_hook_cudaMemPoolImportPointer(void **address, cudaMemPool_t pool,
                                               cudaMemPoolPtrExportData *exported) {
  const AllocatingCall apiCall;
  return announceMapped(CUPR_BACKEND(cudaMemPoolImportPointer)(address, pool, exported),
                        "cudaMemPoolImportPointer", address);
}

cudaError_t cupr_hook_cudaIpcOpenMemHandle(void **address, cudaIpcMemHandle_t handle, unsigned flags) {
  const AllocatingCall apiCall;
  return announceMapped(CUPR_BACKEND(cudaIpcOpenMemHandle)(address, handle, flags), "cudaIpcOpenMemHandle",
                        address);
}

cudaError_t cupr_hook_cudaIpcCloseMemHandle(void *address) {
  const AllocatingCall apiCall;
  announceFree("cudaIpcCloseMemHandle", address);
  return CUPR_BACKEND(cudaIpcCloseMemHandle)(address);
}

cudaError_t cupr_hook_cudaExternalMemoryGetMappedBuffer(void **address, cudaExternalMemory_t memory,
                                                        const cudaExternalMemoryBufferDesc *buffer) {
  const AllocatingCall apiCall;
  return announce(CUPR_BACKEND(cudaExternalMemoryGetMappedBuffer)(address, memory, buffer),
                  MemoryKind::Device, "cudaExternalMemoryGetMappedBuffer", address,
                  buffer ? static_cast<std::size_t>(buffer->size) : 0);
}

cudaError_t
cupr_hook_cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *array, cudaExternalMemory_t memory,
                                                    const cudaExternalMemoryMipmappedArrayDesc *description) {
  const AllocatingCall apiCall;
  return announceArray(
      CUPR_BACKEND(cudaExternalMemoryGetMappedMipmappedArray)(array, memory, description),
      "cudaExternalMemoryGetMappedMipmappedArray", array,
      description ? arrayBytes(&description->formatDesc, description->extent, description->numLevels) : 0);
}

cudaError_t cupr_hook_cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *channels,
                                      std::size_t width, std::size_t height, unsigned flags) {
  const AllocatingCall apiCall;
  return announceArray(CUPR_BACKEND(cudaMallocArray)(array, channels, width, height, flags),
                       "cudaMallocArray", array, arrayBytes(channels, {width, height, 0}));
}

cudaError_t cupr_hook_cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *channels,
                                        cudaExtent extent, unsigned flags) {
  const AllocatingCall apiCall;
  return announceArray(CUPR_BACKEND(cudaMalloc3DArray)(array, channels, extent, flags), "cudaMalloc3DArray",
                       array, arrayBytes(channels, extent));
}

cudaError_t cupr_hook_cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                               const cudaChannelFormatDesc *channels, cudaExtent extent,
                                               unsigned levels, unsigned flags) {
  const AllocatingCall apiCall;
  return announceArray(CUPR_BACKEND(cudaMallocMipmappedArray)(array, channels, extent, levels, flags),
                       "cudaMallocMipmappedArray", array, arrayBytes(channels, extent, levels));
}

cudaError_t cupr_hook_cudaFreeArray(cudaArray_t array) {
  const AllocatingCall apiCall;
  announceFree("cudaFreeArray", array);
  beforeWaitingFree(array);
  return announceFreed("cudaFreeArray", array, CUPR_BACKEND(cudaFreeArray)(array));
}

cudaError_t cupr_hook_cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  const AllocatingCall apiCall;
  announceFree("cudaFreeMipmappedArray", array);
  beforeWaitingFree(array);
  return announceFreed("cudaFreeMipmappedArray", array, CUPR_BACKEND(cudaFreeMipmappedArray)(array));
}

cudaError_t cupr_hook_cudaFree(void *address) {
  const AllocatingCall apiCall;
  announceFree("cudaFree", address);
  beforeWaitingFree(address);
  return announceFreed("cudaFree", address, CUPR_BACKEND(cudaFree)(address));
}

cudaError_t cupr_hook_cudaFreeHost(void *address) {
  const AllocatingCall apiCall;
  announceFree("cudaFreeHost", address);
  beforeWaitingFree(address);
  return announceFreed("cudaFreeHost", address, CUPR_BACKEND(cudaFreeHost)(address));
}

cudaError_t cupr_hook_cudaFreeAsync(void *address, cudaStream_t stream) {
  const AllocatingCall apiCall;
  announceFree("cudaFreeAsync", address);
  return announceFreed("cudaFreeAsync", address, CUPR_BACKEND(cudaFreeAsync)(address, stream));
}

cudaError_t cupr_hook_cudaFreeAsync_ptsz(void *address, cudaStream_t stream) {
  const AllocatingCall apiCall;
  announceFree("cudaFreeAsync", address);
  return announceFreed("cudaFreeAsync", address, CUPR_BACKEND(cudaFreeAsync_ptsz)(address, stream));
}
}
