/// The driver's calls that allocate and free, as the program makes them.
///
/// driver_memory.S leads here what the program's own objects call; the linker takes it only where they do. What the
/// runtime calls inside itself it has from the driver by other ways, so that no allocation is seen twice.
#include "allocation_calls.h"
#include "driver_call.h"
#include "hostlib/runtime/driver/array_bytes.h"
#include "hostlib/runtime/paths/api_call.h"

#include <cuda.h>

using namespace cupr::host;
using cupr::trace::MemoryKind;

namespace {

const void *pointer(CUdeviceptr address) { return reinterpret_cast<const void *>(address); }
const void *pointer(const void *address) { return address; }

/// `address`: what the call has set.
template <class Address>
CUresult announce(CUresult result, MemoryKind kind, const char *call, const Address *address,
                  std::size_t bytes) {
  announceAllocation(kind, call, result == CUDA_SUCCESS && address ? pointer(*address) : nullptr, bytes);
  return result;
}

/// Memory whose size the call does not tell.
CUresult announceMapped(CUresult result, const char *call, const CUdeviceptr *address) {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (const Driver *const driver = Driver::get(); driver && result == CUDA_SUCCESS && address)
    driver->cuMemGetAddressRange(&base, &bytes, *address);
  return announce(result, MemoryKind::Device, call, address, bytes);
}

} // namespace

extern "C" {

CUresult cupr_driver_cuMemAlloc_v2(CUdeviceptr *address, std::size_t bytes) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAlloc_v2, address, bytes), MemoryKind::Device, "cuMemAlloc", address,
                  bytes);
}

CUresult cupr_driver_cuMemAllocPitch_v2(CUdeviceptr *address, std::size_t *pitch, std::size_t width,
                                        std::size_t height, unsigned elementBytes) {
  const ApiCall apiCall;
  const CUresult result = CUPR_DRIVER_CALL(cuMemAllocPitch_v2, address, pitch, width, height, elementBytes);
  return announce(result, MemoryKind::Pitched, "cuMemAllocPitch", address,
                  result == CUDA_SUCCESS ? *pitch * height : 0);
}

CUresult cupr_driver_cuMemAllocManaged(CUdeviceptr *address, std::size_t bytes, unsigned flags) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAllocManaged, address, bytes, flags), MemoryKind::Managed,
                  "cuMemAllocManaged", address, bytes);
}

CUresult cupr_driver_cuMemFree_v2(CUdeviceptr address) {
  const ApiCall apiCall;
  announceFree("cuMemFree", pointer(address));
  beforeWaitingFree(pointer(address));
  return announceFreed("cuMemFree", pointer(address), CUPR_DRIVER_CALL(cuMemFree_v2, address));
}

CUresult cupr_driver_cuMemAllocHost_v2(void **address, std::size_t bytes) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAllocHost_v2, address, bytes), MemoryKind::Host, "cuMemAllocHost",
                  address, bytes);
}

CUresult cupr_driver_cuMemHostAlloc(void **address, std::size_t bytes, unsigned flags) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemHostAlloc, address, bytes, flags), MemoryKind::Host, "cuMemHostAlloc",
                  address, bytes);
}

CUresult cupr_driver_cuMemFreeHost(void *address) {
  const ApiCall apiCall;
  announceFree("cuMemFreeHost", address);
  beforeWaitingFree(address);
  return announceFreed("cuMemFreeHost", address, CUPR_DRIVER_CALL(cuMemFreeHost, address));
}

CUresult cupr_driver_cuMemHostRegister_v2(void *address, std::size_t bytes, unsigned flags) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemHostRegister_v2, address, bytes, flags), MemoryKind::Host,
                  "cuMemHostRegister", &address, bytes);
}

CUresult cupr_driver_cuMemHostUnregister(void *address) {
  const ApiCall apiCall;
  announceFree("cuMemHostUnregister", address);
  return CUPR_DRIVER_CALL(cuMemHostUnregister, address);
}

CUresult cupr_driver_cuMemAllocAsync(CUdeviceptr *address, std::size_t bytes, CUstream stream) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAllocAsync, address, bytes, stream), MemoryKind::Pool,
                  "cuMemAllocAsync", address, bytes);
}

CUresult cupr_driver_cuMemAllocAsync_ptsz(CUdeviceptr *address, std::size_t bytes, CUstream stream) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAllocAsync_ptsz, address, bytes, stream), MemoryKind::Pool,
                  "cuMemAllocAsync", address, bytes);
}

CUresult cupr_driver_cuMemAllocFromPoolAsync(CUdeviceptr *address, std::size_t bytes, CUmemoryPool pool,
                                             CUstream stream) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAllocFromPoolAsync, address, bytes, pool, stream), MemoryKind::Pool,
                  "cuMemAllocFromPoolAsync", address, bytes);
}

CUresult cupr_driver_cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, std::size_t bytes, CUmemoryPool pool,
                                                  CUstream stream) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemAllocFromPoolAsync_ptsz, address, bytes, pool, stream),
                  MemoryKind::Pool, "cuMemAllocFromPoolAsync", address, bytes);
}

CUresult cupr_driver_cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const ApiCall apiCall;
  announceFree("cuMemFreeAsync", pointer(address));
  return announceFreed("cuMemFreeAsync", pointer(address), CUPR_DRIVER_CALL(cuMemFreeAsync, address, stream));
}

CUresult cupr_driver_cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  const ApiCall apiCall;
  announceFree("cuMemFreeAsync", pointer(address));
  return announceFreed("cuMemFreeAsync", pointer(address),
                       CUPR_DRIVER_CALL(cuMemFreeAsync_ptsz, address, stream));
}

CUresult cupr_driver_cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool,
                                            CUmemPoolPtrExportData *exported) {
  const ApiCall apiCall;
  return announceMapped(CUPR_DRIVER_CALL(cuMemPoolImportPointer, address, pool, exported),
                        "cuMemPoolImportPointer", address);
}

CUresult cupr_driver_cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
  const ApiCall apiCall;
  return announceMapped(CUPR_DRIVER_CALL(cuIpcOpenMemHandle_v2, address, handle, flags), "cuIpcOpenMemHandle",
                        address);
}

CUresult cupr_driver_cuIpcCloseMemHandle(CUdeviceptr address) {
  const ApiCall apiCall;
  announceFree("cuIpcCloseMemHandle", pointer(address));
  return CUPR_DRIVER_CALL(cuIpcCloseMemHandle, address);
}

/// Addresses that are only reserved hold no memory: what is listed is what is mapped.
CUresult cupr_driver_cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                              CUmemGenericAllocationHandle handle, unsigned long long flags) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMemMap, address, bytes, offset, handle, flags), MemoryKind::Device,
                  "cuMemMap", &address, bytes);
}

/// Of several that were mapped one behind the other, too.
CUresult cupr_driver_cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  const ApiCall apiCall;
  if (Session *const session = Session::current())
    session->contained([&] { session->events().freedWithin("cuMemUnmap", pointer(address), bytes); });
  return CUPR_DRIVER_CALL(cuMemUnmap, address, bytes);
}

CUresult cupr_driver_cuExternalMemoryGetMappedBuffer(CUdeviceptr *address, CUexternalMemory memory,
                                                     const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *buffer) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuExternalMemoryGetMappedBuffer, address, memory, buffer),
                  MemoryKind::Device, "cuExternalMemoryGetMappedBuffer", address,
                  buffer ? static_cast<std::size_t>(buffer->size) : 0);
}

CUresult cupr_driver_cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *array, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuExternalMemoryGetMappedMipmappedArray, array, memory, description),
                  MemoryKind::Array, "cuExternalMemoryGetMappedMipmappedArray", array,
                  description ? arrayBytes(description->arrayDesc, description->numLevels) : 0);
}

CUresult cupr_driver_cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *description) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuArrayCreate_v2, array, description), MemoryKind::Array, "cuArrayCreate",
                  array, description ? arrayBytes(*description) : 0);
}

CUresult cupr_driver_cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *description) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuArray3DCreate_v2, array, description), MemoryKind::Array,
                  "cuArray3DCreate", array, description ? arrayBytes(*description) : 0);
}

CUresult cupr_driver_cuArrayDestroy(CUarray array) {
  const ApiCall apiCall;
  announceFree("cuArrayDestroy", array);
  beforeWaitingFree(array);
  return CUPR_DRIVER_CALL(cuArrayDestroy, array);
}

CUresult cupr_driver_cuMipmappedArrayCreate(CUmipmappedArray *array,
                                            const CUDA_ARRAY3D_DESCRIPTOR *description, unsigned levels) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuMipmappedArrayCreate, array, description, levels), MemoryKind::Array,
                  "cuMipmappedArrayCreate", array, description ? arrayBytes(*description, levels) : 0);
}

CUresult cupr_driver_cuMipmappedArrayDestroy(CUmipmappedArray array) {
  const ApiCall apiCall;
  announceFree("cuMipmappedArrayDestroy", array);
  beforeWaitingFree(array);
  return CUPR_DRIVER_CALL(cuMipmappedArrayDestroy, array);
}
}
