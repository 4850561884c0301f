/// What can be asked of the device, and set.
#include "api.h"

#include "capture.h"
#include "devicelib/cpu/runtime/arena.h"
#include "devicelib/cpu/runtime/device.h"
#include "devicelib/cpu/runtime/registry.h"

#include <cstdio>
#include <cstring>
#include <cuda_profiler_api.h>
#include <mutex>

namespace cupr::cpu {

namespace {

constexpr int kClockKilohertz = 1500000, kBusWidth = 256, kL2Bytes = 4 << 20;
constexpr int kVersion = CUDART_VERSION;

cudaError_t checkDevice(int device) { return isDevice(device) ? cudaSuccess : cudaErrorInvalidDevice; }

/// Every attribute has a value that a GPU could have: 0 for a limit would make
/// libraries launch nothing.
int attributeValue(cudaDeviceAttr attribute) {
  const int architecture = static_cast<int>(Registry::instance().architecture());
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
    return limits::kMaxThreads;
  case cudaDevAttrMaxBlockDimZ:
    return limits::kMaxThreadsZ;
  case cudaDevAttrMaxGridDimX:
    return limits::kMaxGridX;
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    return limits::kMaxGridYZ;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return limits::kSharedPerBlock;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return limits::kSharedPerBlockOptIn;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return limits::kSharedPerMultiprocessor;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return static_cast<int>(kSharedReserved);
  case cudaDevAttrTotalConstantMemory:
    return limits::kConstantBytes;
  case cudaDevAttrWarpSize:
    return 32;
  case cudaDevAttrMaxPitch:
    return 2147483647;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return limits::kRegisters;
  case cudaDevAttrClockRate:
  case cudaDevAttrMemoryClockRate:
    return kClockKilohertz;
  case cudaDevAttrGlobalMemoryBusWidth:
    return kBusWidth;
  case cudaDevAttrL2CacheSize:
    return kL2Bytes;
  case cudaDevAttrTextureAlignment:
  case cudaDevAttrSurfaceAlignment:
    return 512;
  case cudaDevAttrTexturePitchAlignment:
    return 32;
  case cudaDevAttrMultiProcessorCount:
    return static_cast<int>(kMultiprocessors);
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return limits::kThreadsPerMultiprocessor;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return limits::kBlocksPerMultiprocessor;
  case cudaDevAttrComputeCapabilityMajor:
    return architecture / 10;
  case cudaDevAttrComputeCapabilityMinor:
    return architecture % 10;
  case cudaDevAttrAsyncEngineCount:
    return 2;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    return 2;
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrClusterLaunch:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrMemoryPoolsSupported:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
  case cudaDevAttrDirectManagedMemAccessFromHost:
    return 1;
  default:
    return 0;
  }
}

struct Limits {
  std::mutex mutex;
  std::size_t values[16] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
};
Limits &currentLimits() {
  static auto *limits = new Limits;
  return *limits;
}

} // namespace

} // namespace cupr::cpu

using namespace cupr::cpu;

CUPR_CPU_API(cudaGetDeviceCount)(int *count) {
  *count = deviceCount();
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGetDevice)(int *device) {
  *device = currentDevice();
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaSetDevice)(int device) {
  if (checkDevice(device) == cudaSuccess)
    selectDevice(device);
  return answer(checkDevice(device));
}
CUPR_CPU_API(cudaInitDevice)(int device, unsigned, unsigned) { return answer(checkDevice(device)); }
CUPR_CPU_API(cudaSetDeviceFlags)(unsigned) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaGetDeviceFlags)(unsigned *flags) {
  *flags = cudaDeviceMapHost;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaSetValidDevices)(int *, int) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaChooseDevice)(int *device, const cudaDeviceProp *) {
  *device = 0; // they are all alike
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDeviceSynchronize)() { return answer(checkDeviceCall()); }
CUPR_CPU_API(cudaDeviceReset)() {
  Arena::instance().freeAll(currentDevice());
  forgetPeers(currentDevice());
  resetContext();
  return cudaSuccess;
}
CUPR_CPU_API(cudaDeviceGetAttribute)(int *value, cudaDeviceAttr attribute, int device) {
  *value = attributeValue(attribute);
  return answer(checkDevice(device));
}

CUPR_CPU_API(cudaGetDeviceProperties)(cudaDeviceProp *p, int device) {
  if (checkDevice(device) != cudaSuccess)
    return answer(cudaErrorInvalidDevice);
  *p = {};
  std::snprintf(p->name, sizeof p->name, "cuprewrite CPU device");
  std::memcpy(&p->uuid, "cuprewrite-cpu-0", 16);
  p->uuid.bytes[15] = static_cast<char>(device < 10 ? '0' + device : 'a' + device - 10);
  p->pciBusID = device;
  p->totalGlobalMem = Arena::instance().total();
  p->sharedMemPerBlock = limits::kSharedPerBlock;
  p->sharedMemPerBlockOptin = limits::kSharedPerBlockOptIn;
  p->sharedMemPerMultiprocessor = limits::kSharedPerMultiprocessor;
  p->reservedSharedMemPerBlock = kSharedReserved;
  p->regsPerBlock = p->regsPerMultiprocessor = limits::kRegisters;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = limits::kMaxThreads;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = limits::kMaxThreads;
  p->maxThreadsDim[2] = limits::kMaxThreadsZ;
  p->maxGridSize[0] = limits::kMaxGridX;
  p->maxGridSize[1] = p->maxGridSize[2] = limits::kMaxGridYZ;
  p->totalConstMem = limits::kConstantBytes;
  p->major = attributeValue(cudaDevAttrComputeCapabilityMajor);
  p->minor = attributeValue(cudaDevAttrComputeCapabilityMinor);
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  p->multiProcessorCount = static_cast<int>(kMultiprocessors);
  p->maxThreadsPerMultiProcessor = limits::kThreadsPerMultiprocessor;
  p->maxBlocksPerMultiProcessor = limits::kBlocksPerMultiprocessor;
  p->memoryBusWidth = kBusWidth;
  p->l2CacheSize = kL2Bytes;
  p->asyncEngineCount = 2;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->concurrentManagedAccess = p->pageableMemoryAccess = p->hostNativeAtomicSupported = 1;
  p->clusterLaunch = p->cooperativeLaunch = p->memoryPoolsSupported = p->streamPrioritiesSupported = 1;
  p->globalL1CacheSupported = p->localL1CacheSupported = p->hostRegisterSupported = 1;
  p->canUseHostPointerForRegisteredMem = p->directManagedMemAccessFromHost = 1;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaDeviceGetLimit)(size_t *value, cudaLimit limit) {
  Limits &all = currentLimits();
  std::lock_guard lock(all.mutex);
  if (static_cast<unsigned>(limit) >= sizeof all.values / sizeof *all.values)
    return answer(cudaErrorInvalidValue);
  *value = all.values[limit];
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDeviceSetLimit)(cudaLimit limit, size_t value) {
  Limits &all = currentLimits();
  std::lock_guard lock(all.mutex);
  if (static_cast<unsigned>(limit) >= sizeof all.values / sizeof *all.values)
    return answer(cudaErrorInvalidValue);
  all.values[limit] = value;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaCtxResetPersistingL2Cache)() { return answer(cudaSuccess); } // there is no cache
CUPR_CPU_API(cudaDeviceSetCacheConfig)(cudaFuncCache) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaDeviceGetCacheConfig)(cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return answer(cudaSuccess);
}
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations" // programs still call them
CUPR_CPU_API(cudaDeviceSetSharedMemConfig)(cudaSharedMemConfig) { return answer(cudaSuccess); }
CUPR_CPU_API(cudaDeviceGetSharedMemConfig)(cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte; // as every GPU since Maxwell
  return answer(cudaSuccess);
}
#pragma clang diagnostic pop
CUPR_CPU_API(cudaDeviceGetStreamPriorityRange)(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDeviceGetPCIBusId)(char *text, int length, int device) {
  std::snprintf(text, static_cast<size_t>(length), "0000:%02x:00.0", static_cast<unsigned>(device));
  return answer(checkDevice(device));
}
CUPR_CPU_API(cudaDeviceGetByPCIBusId)(int *device, const char *text) {
  unsigned bus = 0;
  if (!device || !text || std::sscanf(text, "%*x:%x:%*x.%*x", &bus) != 1)
    return answer(cudaErrorInvalidValue);
  if (checkDevice(static_cast<int>(bus)) != cudaSuccess)
    return answer(cudaErrorInvalidDevice);
  *device = static_cast<int>(bus);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDriverGetVersion)(int *version) {
  *version = kVersion;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaRuntimeGetVersion)(int *version) {
  *version = kVersion;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaProfilerStart)() { return answer(cudaSuccess); }
CUPR_CPU_API(cudaProfilerStop)() { return answer(cudaSuccess); }
