/// Allocations and their ends, as the program makes them.
///
/// A freed address is announced before the call: another thread may be given the same
/// address as soon as it is free.
#include "hostlib/runtime/session/session.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;
using cupr::trace::MemoryKind;

namespace {

cudaError_t announce(cudaError_t result, MemoryKind kind, const char *call, void *const *address,
                     std::size_t bytes) {
  if (result == cudaSuccess && address && *address)
    if (Session *const session = Session::current())
      session->contained([&] { session->events().allocated(kind, call, *address, bytes); });
  return result;
}

void announceFree(const char *call, const void *address) {
  if (address)
    if (Session *const session = Session::current())
      session->contained([&] { session->events().freed(call, address); });
}

/// It waits for the device.
void beforeFree(const void *address) {
  if (Session *const session = address ? Session::current() : nullptr)
    session->beforeWaiting(nullptr, [] { return true; });
}

} // namespace

extern "C" {

cudaError_t cudaMallocAsync_ptsz(void **address, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync_ptsz(void *address, cudaStream_t stream);

cudaError_t cupr_hook_cudaMalloc(void **address, std::size_t bytes) {
  return announce(CUPR_BACKEND(cudaMalloc)(address, bytes), MemoryKind::Device, "cudaMalloc", address, bytes);
}

cudaError_t cupr_hook_cudaMallocManaged(void **address, std::size_t bytes, unsigned flags) {
  const auto backend =
      reinterpret_cast<cudaError_t (*)(void **, std::size_t, unsigned)>(backendFunction("cudaMallocManaged"));
  return announce(backend(address, bytes, flags), MemoryKind::Managed, "cudaMallocManaged", address, bytes);
}

cudaError_t cupr_hook_cudaMallocHost(void **address, std::size_t bytes) {
  const auto backend =
      reinterpret_cast<cudaError_t (*)(void **, std::size_t)>(backendFunction("cudaMallocHost"));
  return announce(backend(address, bytes), MemoryKind::Host, "cudaMallocHost", address, bytes);
}

cudaError_t cupr_hook_cudaHostAlloc(void **address, std::size_t bytes, unsigned flags) {
  return announce(CUPR_BACKEND(cudaHostAlloc)(address, bytes, flags), MemoryKind::Host, "cudaHostAlloc",
                  address, bytes);
}

cudaError_t cupr_hook_cudaHostRegister(void *address, std::size_t bytes, unsigned flags) {
  return announce(CUPR_BACKEND(cudaHostRegister)(address, bytes, flags), MemoryKind::Host, "cudaHostRegister",
                  &address, bytes);
}

cudaError_t cupr_hook_cudaHostUnregister(void *address) {
  announceFree("cudaHostUnregister", address);
  return CUPR_BACKEND(cudaHostUnregister)(address);
}

cudaError_t cupr_hook_cudaMallocPitch(void **address, std::size_t *pitch, std::size_t width,
                                      std::size_t height) {
  const cudaError_t result = CUPR_BACKEND(cudaMallocPitch)(address, pitch, width, height);
  return announce(result, MemoryKind::Pitched, "cudaMallocPitch", address,
                  result == cudaSuccess ? *pitch * height : 0);
}

cudaError_t cupr_hook_cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent) {
  const cudaError_t result = CUPR_BACKEND(cudaMalloc3D)(pitched, extent);
  return announce(result, MemoryKind::Pitched, "cudaMalloc3D", &pitched->ptr,
                  result == cudaSuccess ? pitched->pitch * extent.height * extent.depth : 0);
}

cudaError_t cupr_hook_cudaMallocAsync(void **address, std::size_t bytes, cudaStream_t stream) {
  return announce(CUPR_BACKEND(cudaMallocAsync)(address, bytes, stream), MemoryKind::Pool, "cudaMallocAsync",
                  address, bytes);
}

cudaError_t cupr_hook_cudaMallocAsync_ptsz(void **address, std::size_t bytes, cudaStream_t stream) {
  return announce(CUPR_BACKEND(cudaMallocAsync_ptsz)(address, bytes, stream), MemoryKind::Pool,
                  "cudaMallocAsync", address, bytes);
}

cudaError_t cupr_hook_cudaMallocFromPoolAsync(void **address, std::size_t bytes, cudaMemPool_t pool,
                                              cudaStream_t stream) {
  return announce(CUPR_BACKEND(cudaMallocFromPoolAsync)(address, bytes, pool, stream), MemoryKind::Pool,
                  "cudaMallocFromPoolAsync", address, bytes);
}

cudaError_t cupr_hook_cudaFree(void *address) {
  announceFree("cudaFree", address);
  beforeFree(address);
  return CUPR_BACKEND(cudaFree)(address);
}

cudaError_t cupr_hook_cudaFreeHost(void *address) {
  announceFree("cudaFreeHost", address);
  beforeFree(address);
  return CUPR_BACKEND(cudaFreeHost)(address);
}

cudaError_t cupr_hook_cudaFreeAsync(void *address, cudaStream_t stream) {
  announceFree("cudaFreeAsync", address);
  return CUPR_BACKEND(cudaFreeAsync)(address, stream);
}

cudaError_t cupr_hook_cudaFreeAsync_ptsz(void *address, cudaStream_t stream) {
  announceFree("cudaFreeAsync", address);
  return CUPR_BACKEND(cudaFreeAsync_ptsz)(address, stream);
}
}
