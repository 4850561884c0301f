/// Memory: allocation, copies, sets, symbols.
#include "api.h"

#include "capture.h"
#include "devicelib/abi/standard_error.h"
#include "devicelib/cpu/runtime/arena.h"
#include "devicelib/cpu/runtime/device.h"
#include "devicelib/cpu/runtime/registry.h"

#include <cstdio>
#include <cstring>

namespace cupr::cpu {

namespace {

constexpr std::size_t kPitchAlignment = 512;

/// `call`: the name of the API's function, for those who are told of the allocation.
cudaError_t allocateNow(int device, void **pointer, std::size_t bytes, ArenaKind kind, const char *call) {
  if (!pointer)
    return cudaErrorInvalidValue;
  if (bytes == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  *pointer = Arena::instance().allocate(device, bytes, kind, call);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

/// A call without a stream, which a capture would not notice.
cudaError_t allocate(void **pointer, std::size_t bytes, ArenaKind kind, const char *call) {
  const cudaError_t unsafe = checkUnsafeCall();
  return unsafe == cudaSuccess ? allocateNow(currentDevice(), pointer, bytes, kind, call) : unsafe;
}

/// Memory that a graph allocates is not supported.
cudaError_t allocateIn(cudaStream_t stream, int device, void **pointer, std::size_t bytes, const char *call) {
  return isCaptured(stream) ? refuseCapture(stream)
                            : allocateNow(device, pointer, bytes, ArenaKind::Device, call);
}

// Pools: each device has one, which is all of its memory. The handle is the device's number from 1.
int deviceOfPool(cudaMemPool_t pool) { return static_cast<int>(reinterpret_cast<std::intptr_t>(pool)) - 1; }

cudaError_t getPool(cudaMemPool_t *pool, int device) {
  if (!isDevice(device))
    return cudaErrorInvalidDevice;
  *pool = reinterpret_cast<cudaMemPool_t>(std::intptr_t{device} + 1);
  return cudaSuccess;
}

enum class MemorySide { Device, Host };

cudaError_t releaseNow(void *pointer, MemorySide side, const char *call) {
  if (!pointer || Arena::instance().free(pointer, side == MemorySide::Host, call))
    return cudaSuccess;
  const std::string place = CallStack::here().place();
  abi::say("cuprewrite: CPU device: %s can't free %p%s%s: %s\n", call, pointer, place.empty() ? "" : ", ",
           place.c_str(), Arena::instance().explain(reinterpret_cast<std::uint64_t>(pointer)).c_str());
  return cudaErrorInvalidValue;
}

cudaError_t release(void *pointer, MemorySide side, const char *call) {
  const cudaError_t unsafe = pointer ? checkUnsafeCall() : cudaSuccess;
  return unsafe == cudaSuccess ? releaseNow(pointer, side, call) : unsafe;
}

/// Whether `bytes` bytes from `pointer` may be what a copy calls device memory.
bool isDeviceMemory(const void *pointer, std::size_t bytes) {
  if (const auto allocation = Arena::instance().find(pointer))
    return reinterpret_cast<std::uint64_t>(pointer) + bytes <= allocation->address + allocation->bytes;
  const abi::CpuVariable *variable = Registry::instance().variableAt(pointer);
  return variable && static_cast<const char *>(pointer) + bytes <=
                         static_cast<const char *>(variable->address) + variable->bytes;
}

/// Where a variable is copied from or to, it is the current device's, for as long as the lock is held.
std::unique_lock<std::mutex> holdVariables(const void *to, const void *from) {
  Registry &registry = Registry::instance();
  if (deviceCount() == 1 || (!registry.variableAt(to) && !registry.variableAt(from)))
    return {};
  return Device::instance().holdVariables(currentDevice());
}

/// Whether the bytes are either in one allocation, or none of the device's.
bool isGood(const void *pointer, std::size_t bytes) {
  return Arena::instance().isGood(reinterpret_cast<std::uint64_t>(pointer), bytes);
}

cudaError_t set(void *to, std::size_t pitch, int value, std::size_t width, std::size_t rows) {
  return setRows(to, pitch, static_cast<unsigned>(value), 1, width, rows);
}

cudaError_t setIn(cudaStream_t stream, void *to, std::size_t pitch, int value, std::size_t width,
                  std::size_t rows) {
  if (isCaptured(stream))
    return captureWork(stream, SetWork{{to, pitch, static_cast<unsigned>(value), 1, width, rows}});
  return set(to, pitch, value, width, rows);
}

/// The address of a managed variable is its own symbol.
const abi::CpuVariable *variableOf(const void *symbol) {
  Registry &registry = Registry::instance();
  if (const abi::CpuVariable *const variable = registry.variable(symbol))
    return variable;
  const abi::CpuVariable *const variable = registry.variableAt(symbol);
  return variable && variable->address == symbol && registry.isManaged(variable) ? variable : nullptr;
}

cudaError_t copySymbol(const void *symbol, const void *from, void *to, std::size_t count, std::size_t offset,
                       cudaStream_t stream) {
  void *address = nullptr;
  if (const cudaError_t error = symbolRange(symbol, offset, count, address); error != cudaSuccess)
    return error;
  return from ? copyIn(stream, address, 0, from, 0, count, 1, cudaMemcpyDefault)
              : copyIn(stream, to, 0, address, 0, count, 1, cudaMemcpyDefault);
}

std::size_t pitchFor(std::size_t width) {
  return (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
}

} // namespace

cudaError_t copyRows(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                     std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
  if (width == 0 || rows == 0)
    return cudaSuccess;
  if (!to || !from)
    return cudaErrorInvalidValue;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (rows > 1 && (toPitch < width || fromPitch < width))
    return cudaErrorInvalidPitchValue;
  const bool toDevice = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool fromDevice = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((toDevice && !isDeviceMemory(to, toPitch * (rows - 1) + width)) ||
      (fromDevice && !isDeviceMemory(from, fromPitch * (rows - 1) + width)) ||
      !isGood(to, toPitch * (rows - 1) + width) || !isGood(from, fromPitch * (rows - 1) + width))
    return cudaErrorInvalidValue;
  if (answer(cudaSuccess) != cudaSuccess)
    return answer(cudaSuccess);
  const auto held = holdVariables(to, from);
  for (std::size_t row = 0; row < rows; ++row)
    std::memmove(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch,
                 width);
  return cudaSuccess;
}

cudaError_t copyIn(cudaStream_t stream, void *to, std::size_t toPitch, const void *from,
                   std::size_t fromPitch, std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
  if (isCaptured(stream))
    return captureWork(stream, copyRowsWork(to, toPitch, from, fromPitch, width, rows, kind));
  return copyRows(to, toPitch, from, fromPitch, width, rows, kind);
}

cudaError_t symbolRange(const void *symbol, std::size_t offset, std::size_t count, void *&address) {
  const abi::CpuVariable *variable = variableOf(symbol);
  if (!variable)
    return cudaErrorInvalidSymbol;
  if (offset > variable->bytes || count > variable->bytes - offset)
    return cudaErrorInvalidValue;
  address = static_cast<char *>(variable->address) + offset;
  return cudaSuccess;
}

cudaError_t setRows(void *to, std::size_t pitch, unsigned value, unsigned elementBytes, std::size_t width,
                    std::size_t rows) {
  if (width == 0 || rows == 0)
    return cudaSuccess;
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return cudaErrorInvalidValue;
  const std::size_t bytes = width * elementBytes;
  if (rows > 1 && pitch < bytes)
    return cudaErrorInvalidPitchValue;
  if (!isDeviceMemory(to, pitch * (rows - 1) + bytes))
    return cudaErrorInvalidValue;
  if (answer(cudaSuccess) != cudaSuccess)
    return answer(cudaSuccess);
  const auto held = holdVariables(to, to);
  for (std::size_t row = 0; row < rows; ++row) {
    char *const at = static_cast<char *>(to) + row * pitch;
    if (elementBytes == 1)
      std::memset(at, static_cast<int>(value), width);
    else
      for (std::size_t x = 0; x < bytes; x += elementBytes)
        std::memcpy(at + x, &value, elementBytes); // little endian: the low bytes
  }
  return cudaSuccess;
}

} // namespace cupr::cpu

using namespace cupr::cpu;

CUPR_CPU_API(cudaMalloc)(void **pointer, size_t bytes) {
  return answer(allocate(pointer, bytes, ArenaKind::Device, "cudaMalloc"));
}
CUPR_CPU_API(cudaMallocAsync)(void **pointer, size_t bytes, cudaStream_t stream) {
  return answer(allocateIn(stream, deviceOf(stream), pointer, bytes, "cudaMallocAsync"));
}
CUPR_CPU_API(cudaMallocFromPoolAsync)(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const int device = deviceOfPool(pool);
  return answer(isDevice(device) ? allocateIn(stream, device, pointer, bytes, "cudaMallocFromPoolAsync")
                                 : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaMallocManaged)(void **pointer, size_t bytes, unsigned) {
  return answer(bytes ? allocate(pointer, bytes, ArenaKind::Managed, "cudaMallocManaged")
                      : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaMallocHost)(void **pointer, size_t bytes) {
  return answer(allocate(pointer, bytes, ArenaKind::Host, "cudaMallocHost"));
}
CUPR_CPU_API(cudaHostAlloc)(void **pointer, size_t bytes, unsigned) {
  return answer(allocate(pointer, bytes, ArenaKind::Host, "cudaHostAlloc"));
}
CUPR_CPU_API(cudaMallocPitch)(void **pointer, size_t *pitch, size_t width, size_t height) {
  *pitch = pitchFor(width);
  return answer(allocate(pointer, *pitch * height, ArenaKind::Device, "cudaMallocPitch"));
}
CUPR_CPU_API(cudaMalloc3D)(cudaPitchedPtr *pitched, cudaExtent extent) {
  const size_t pitch = pitchFor(extent.width);
  *pitched = {nullptr, pitch, extent.width, extent.height};
  return answer(
      allocate(&pitched->ptr, pitch * extent.height * extent.depth, ArenaKind::Device, "cudaMalloc3D"));
}
CUPR_CPU_API(cudaFree)(void *pointer) { return answer(release(pointer, MemorySide::Device, "cudaFree")); }
CUPR_CPU_API(cudaFreeAsync)(void *pointer, cudaStream_t stream) {
  return answer(isCaptured(stream) ? refuseCapture(stream)
                                   : releaseNow(pointer, MemorySide::Device, "cudaFreeAsync"));
}
CUPR_CPU_API(cudaFreeHost)(void *pointer) {
  return answer(release(pointer, MemorySide::Host, "cudaFreeHost"));
}
CUPR_CPU_API(cudaHostRegister)(void *, size_t, unsigned) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaHostUnregister)(void *) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaHostGetDevicePointer)(void **device, void *host, unsigned) {
  *device = host;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaHostGetFlags)(unsigned *flags, void *host) {
  *flags = cudaHostAllocMapped;
  return answer(Arena::instance().find(host) ? cudaSuccess : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaMemGetInfo)(size_t *free, size_t *total) {
  *total = Arena::instance().total();
  *free = *total - Arena::instance().used(currentDevice());
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaMemcpy)(void *to, const void *from, size_t count, cudaMemcpyKind kind) {
  return answer(copyIn(nullptr, to, 0, from, 0, count, 1, kind));
}
CUPR_CPU_API(cudaMemcpyAsync)
(void *to, const void *from, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return answer(copyIn(stream, to, 0, from, 0, count, 1, kind));
}
CUPR_CPU_API(cudaMemcpy2D)
(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
 cudaMemcpyKind kind) {
  return answer(copyIn(nullptr, to, toPitch, from, fromPitch, width, height, kind));
}
CUPR_CPU_API(cudaMemcpy2DAsync)
(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
 cudaMemcpyKind kind, cudaStream_t stream) {
  return answer(copyIn(stream, to, toPitch, from, fromPitch, width, height, kind));
}
CUPR_CPU_API(cudaMemcpy3D)(const cudaMemcpy3DParms *parameters) {
  return answer(isCaptured(nullptr) ? refuseCapture(nullptr) : copy3D(parameters));
}
CUPR_CPU_API(cudaMemcpy3DAsync)(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  if (parameters && isCaptured(stream))
    return answer(captureWork(stream, CopyWork{*parameters}));
  return answer(copy3D(parameters));
}
CUPR_CPU_API(cudaMemset)(void *to, int value, size_t count) {
  return answer(setIn(nullptr, to, 0, value, count, 1));
}
CUPR_CPU_API(cudaMemsetAsync)(void *to, int value, size_t count, cudaStream_t stream) {
  return answer(setIn(stream, to, 0, value, count, 1));
}
CUPR_CPU_API(cudaMemset2D)(void *to, size_t pitch, int value, size_t width, size_t height) {
  return answer(setIn(nullptr, to, pitch, value, width, height));
}
CUPR_CPU_API(cudaMemset2DAsync)(void *to, size_t pitch, int value, size_t width, size_t height,
                                cudaStream_t stream) {
  return answer(setIn(stream, to, pitch, value, width, height));
}
CUPR_CPU_API(cudaMemset3D)(cudaPitchedPtr to, int value, cudaExtent extent) {
  for (size_t z = 0; z < extent.depth; ++z)
    if (const cudaError_t error = set(static_cast<char *>(to.ptr) + z * to.pitch * to.ysize, to.pitch, value,
                                      extent.width, extent.height);
        error != cudaSuccess)
      return answer(error);
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaMemcpyToSymbol)
(const void *symbol, const void *from, size_t count, size_t offset, cudaMemcpyKind) {
  return answer(copySymbol(symbol, from, nullptr, count, offset, nullptr));
}
CUPR_CPU_API(cudaMemcpyToSymbolAsync)
(const void *symbol, const void *from, size_t count, size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return answer(copySymbol(symbol, from, nullptr, count, offset, stream));
}
CUPR_CPU_API(cudaMemcpyFromSymbol)(void *to, const void *symbol, size_t count, size_t offset,
                                   cudaMemcpyKind) {
  return answer(copySymbol(symbol, nullptr, to, count, offset, nullptr));
}
CUPR_CPU_API(cudaMemcpyFromSymbolAsync)
(void *to, const void *symbol, size_t count, size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return answer(copySymbol(symbol, nullptr, to, count, offset, stream));
}
CUPR_CPU_API(cudaGetSymbolAddress)(void **address, const void *symbol) {
  *address = nullptr;
  return answer(symbolRange(symbol, 0, 0, *address));
}
CUPR_CPU_API(cudaGetSymbolSize)(size_t *bytes, const void *symbol) {
  const cupr::abi::CpuVariable *variable = variableOf(symbol);
  *bytes = variable ? variable->bytes : 0;
  return answer(variable ? cudaSuccess : cudaErrorInvalidSymbol);
}

CUPR_CPU_API(cudaPointerGetAttributes)(cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes)
    return answer(cudaErrorInvalidValue);
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = cudaInvalidDeviceId;
  attributes->hostPointer = const_cast<void *>(pointer);
  if (const auto allocation = Arena::instance().find(pointer)) {
    attributes->device = allocation->device;
    attributes->devicePointer = const_cast<void *>(pointer);
    attributes->type = allocation->kind == ArenaKind::Device ? cudaMemoryTypeDevice
                       : allocation->kind == ArenaKind::Host ? cudaMemoryTypeHost
                                                             : cudaMemoryTypeManaged;
    if (allocation->kind == ArenaKind::Device)
      attributes->hostPointer = nullptr;
  } else if (const cupr::abi::CpuVariable *variable = Registry::instance().variableAt(pointer)) {
    attributes->device = currentDevice();
    attributes->devicePointer = const_cast<void *>(pointer);
    if (Registry::instance().isManaged(variable)) {
      attributes->type = cudaMemoryTypeManaged;
    } else {
      attributes->type = cudaMemoryTypeDevice;
      attributes->hostPointer = nullptr;
    }
  }
  return answer(cudaSuccess);
}

// Hints: managed memory is where the host and the device both are.
CUPR_CPU_API(cudaMemPrefetchAsync)(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaMemAdvise)(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaStreamAttachMemAsync)(cudaStream_t, void *, size_t, unsigned) { return answer(cudaSuccess); }

CUPR_CPU_API(cudaDeviceGetDefaultMemPool)(cudaMemPool_t *pool, int device) {
  return answer(getPool(pool, device));
}
CUPR_CPU_API(cudaDeviceGetMemPool)(cudaMemPool_t *pool, int device) { return answer(getPool(pool, device)); }
CUPR_CPU_API(cudaMemPoolSetAttribute)(cudaMemPool_t, cudaMemPoolAttr, void *) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaMemPoolTrimTo)(cudaMemPool_t, size_t) { return answer(cudaSuccess); }
