/// Registration, the launch configuration, launches, and what can be asked about
/// kernels.
#include "api.h"

#include "capture.h"
#include "devicelib/abi/source_name.h"
#include "devicelib/abi/standard_error.h"
#include "devicelib/abi/thread_owned.h"
#include "devicelib/cpu/runtime/device.h"
#include "devicelib/cpu/runtime/registry.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cupr::cpu {

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  void *stream;
};
/// Nested: a launch's arguments may launch.
std::vector<Configuration> &openConfigurations() {
  return abi::ThreadOwned<std::vector<Configuration>>::get();
}

/// cudaFuncAttributeMaxDynamicSharedMemorySize, by kernel handle.
struct DynamicLimits {
  std::mutex mutex;
  std::unordered_map<const void *, int> bytes;
};
DynamicLimits &dynamicLimits() {
  static auto *limits = new DynamicLimits;
  return *limits;
}

int dynamicLimit(const void *handle, const abi::CpuKernel &kernel) {
  DynamicLimits &all = dynamicLimits();
  std::lock_guard lock(all.mutex);
  const auto found = all.bytes.find(handle);
  return found == all.bytes.end() ? limits::kSharedPerBlock - static_cast<int>(kernel.staticSharedBytes)
                                  : found->second;
}

/// Finds the kernel, or says why it can't run.
cudaError_t lookUp(const void *handle, Registry::Kernel &kernel) {
  std::string name;
  kernel = Registry::instance().kernel(handle, &name);
  if (kernel.kernel) {
    if (Registry::instance().canRun(kernel.module))
      return cudaSuccess;
    Registry::instance().warnOfProcessor();
    return cudaErrorNoKernelImageForDevice;
  }
  if (name.empty())
    return cudaErrorInvalidDeviceFunction;
  abi::say("cuprewrite: kernel %s has no code for the CPU device in this program: its source file was not "
           "built with --device=cpu or both\n",
           abi::sourceName(name.c_str()).c_str());
  return cudaErrorNoKernelImageForDevice;
}

/// As many blocks of this shape run at once.
std::uint64_t blocksOnDevice(const void *handle, dim3 block, std::size_t shared) {
  return std::uint64_t(residentBlocks(handle, int(block.x * block.y * block.z), shared)) * kMultiprocessors;
}

/// Kernels whose clusters may be larger than on every device (cudaFuncAttributeNonPortableClusterSizeAllowed), by handle.
struct LargeClusters {
  std::mutex mutex;
  std::unordered_set<const void *> allowed;
};
LargeClusters &largeClusters() {
  static auto *all = new LargeClusters;
  return *all;
}

int mostClusterBlocks(const void *attributes) {
  LargeClusters &all = largeClusters();
  std::lock_guard lock(all.mutex);
  return all.allowed.contains(attributes) ? limits::kClusterBlocks : limits::kPortableClusterBlocks;
}

/// __cluster_dims__, or what the launch says; 0: neither does.
dim3 clusterOf(const abi::CpuKernel &kernel, const Company &company) {
  if (company.cluster.x)
    return company.cluster;
  return dim3(abi::clusterOfFlags(kernel.flags, 0), abi::clusterOfFlags(kernel.flags, 1),
              abi::clusterOfFlags(kernel.flags, 2));
}

/// Whether clusters of this size can be launched. `attributes`: the handle that the kernel's attributes are kept by.
cudaError_t checkCluster(const void *attributes, dim3 grid, dim3 cluster, const abi::CpuKernel &kernel,
                         const Company &company) {
  if (!cluster.x)
    return cudaSuccess;
  const dim3 own = clusterOf(kernel, {});
  const bool isOther = own.x && (own.x != cluster.x || own.y != cluster.y || own.z != cluster.z);
  const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  if ((company.cluster.x && isOther) || blocks > std::uint64_t(mostClusterBlocks(attributes)) ||
      grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return cudaErrorInvalidClusterSize;
  return cudaSuccess;
}

/// What a GPU answers, where it notices such a thing at all.
cudaError_t errorOf(Failure failure) {
  switch (failure) {
  case Failure::None:
    return cudaSuccess;
  case Failure::NoMemory:
    return cudaErrorMemoryAllocation;
  case Failure::Assert:
    return cudaErrorAssert;
  case Failure::IllegalAddress:
    return cudaErrorIllegalAddress;
  case Failure::MisalignedAddress:
    return cudaErrorMisalignedAddress;
  case Failure::Trap:
    return cudaErrorIllegalInstruction;
  case Failure::Timeout:
    return cudaErrorLaunchTimeout;
  case Failure::Deadlock:
  case Failure::GivenUp:
  case Failure::Unsupported:
    return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

} // namespace

cudaError_t checkLaunch(const void *handle, dim3 grid, dim3 block, std::size_t shared, const Company &company,
                        const abi::CpuKernel *&checked) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return error;
  const abi::CpuKernel &kernel = *found.kernel;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (!threads || threads > limits::kMaxThreads || block.z > limits::kMaxThreadsZ || !grid.x || !grid.y ||
      !grid.z || grid.x > unsigned(limits::kMaxGridX) || grid.y > unsigned(limits::kMaxGridYZ) ||
      grid.z > unsigned(limits::kMaxGridYZ))
    return cudaErrorInvalidValue; // not InvalidConfiguration: as CUDA 13 answers on an H200
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return cudaErrorLaunchOutOfResources;
  if (shared > std::size_t(std::max(0, dynamicLimit(found.attributes, kernel))) ||
      shared + kernel.staticSharedBytes > limits::kSharedPerBlockOptIn)
    return cudaErrorInvalidValue;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  if (company.together && blocks > blocksOnDevice(handle, block, shared))
    return cudaErrorCooperativeLaunchTooLarge;
  if (const cudaError_t error =
          checkCluster(found.attributes, grid, clusterOf(kernel, company), kernel, company);
      error != cudaSuccess)
    return error;
  checked = &kernel;
  return cudaSuccess;
}

cudaError_t launchKernel(const void *handle, dim3 grid, dim3 block, void **arguments, std::size_t shared,
                         const Company &company) {
  const abi::CpuKernel *kernel = nullptr;
  if (const cudaError_t error = checkLaunch(handle, grid, block, shared, company, kernel);
      error != cudaSuccess)
    return error;
  if (answer(cudaSuccess) != cudaSuccess)
    return answer(cudaSuccess);
  const dim3 cluster = clusterOf(*kernel, company);
  const LaunchShape shape{kernel,
                          arguments,
                          {grid.x, grid.y, grid.z},
                          {block.x, block.y, block.z},
                          static_cast<std::uint32_t>(shared),
                          nullptr,
                          nullptr,
                          nullptr,
                          0,
                          {},
                          currentDevice(),
                          Merging::Lockstep,
                          {std::max(1u, cluster.x), std::max(1u, cluster.y), std::max(1u, cluster.z)},
                          cluster.x != 0};
  const LaunchResult result =
      Device::instance().launch(shape, blocksOnDevice(handle, block, shared), company.together);
  if (result.failure != Failure::None) {
    abi::say("cuprewrite: CPU device: %s\n", result.message.c_str());
    if (result.failure == Failure::NoMemory) // nothing has run: the context is as good as before
      return errorOf(result.failure);
    breakContext(errorOf(result.failure), result.message);
  }
  // As on a GPU: the launch itself went well, the calls after it report.
  return cudaSuccess;
}

namespace {

cudaError_t launch(const void *handle, dim3 grid, dim3 block, void **arguments, std::size_t shared,
                   const Company &company, cudaStream_t stream) {
  const OnDevice onDevice(deviceOf(stream)); // as CUDA 13 does, be it the current one or not
  if (!isCaptured(stream))
    return launchKernel(handle, grid, block, arguments, shared, company);
  Work work;
  const cudaError_t error = makeKernelWork(handle, grid, block, arguments, shared, company, work);
  return error == cudaSuccess ? captureWork(stream, std::move(work)) : error;
}

} // namespace

int residentBlocks(const void *handle, int threads, std::size_t dynamicShared) {
  const Registry::Kernel found = Registry::instance().kernel(handle);
  if (!found.kernel || threads <= 0 || threads > limits::kMaxThreads)
    return 0;
  if (found.kernel->maxThreads && unsigned(threads) > found.kernel->maxThreads)
    return 0;
  const int byThreads = limits::kThreadsPerMultiprocessor / ((threads + 31) / 32 * 32);
  const std::size_t shared = found.kernel->staticSharedBytes + dynamicShared + kSharedReserved;
  const int byShared = static_cast<int>(limits::kSharedPerMultiprocessor / shared);
  return std::min({byThreads, byShared, limits::kBlocksPerMultiprocessor});
}

} // namespace cupr::cpu

using namespace cupr::cpu;

extern "C" {

void **cupr_cpu___cudaRegisterFatBinary(void *wrapper) { return Registry::instance().addImage(wrapper); }
void cupr_cpu___cudaRegisterFatBinaryEnd(void **) {}
void cupr_cpu___cudaUnregisterFatBinary(void **) {} // device code may still run in later destructors
char cupr_cpu___cudaInitModule(void **) { return 1; }

void cupr_cpu___cudaRegisterFunction(void **image, const char *handle, char *, const char *name, int, uint3 *,
                                     uint3 *, dim3 *, dim3 *, int *) {
  Registry::instance().addKernel(image, handle, name);
}

void cupr_cpu___cudaRegisterVar(void **image, char *handle, char *, const char *name, int, std::size_t, int,
                                int) {
  Registry::instance().addVariable(image, handle, name);
}

/// The host's `*handle` is the pointer through which host code reaches the variable.
void cupr_cpu___cudaRegisterManagedVar(void **image, void **handle, char *, const char *name, int,
                                       std::size_t, int, int) {
  Registry::instance().addVariable(image, handle, name);
  *handle = Registry::instance().setManaged(handle);
}

unsigned cupr_cpu___cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                              CUstream_st *stream) {
  openConfigurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t cupr_cpu___cudaPopCallConfiguration(dim3 *grid, dim3 *block, std::size_t *shared, void *stream) {
  std::vector<Configuration> &configurations = openConfigurations();
  if (configurations.empty())
    return answer(cudaErrorMissingConfiguration);
  const Configuration &top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<void **>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}

} // extern "C"

CUPR_CPU_API(cudaLaunchKernel)
(const void *handle, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return answer(launch(handle, grid, block, arguments, shared, {}, stream));
}

CUPR_CPU_API(cudaLaunchKernelExC)(const cudaLaunchConfig_t *config, const void *handle, void **arguments) {
  if (!config)
    return answer(cudaErrorInvalidValue);
  Company company;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      company.together = attribute.val.cooperative != 0;
    else if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto &given = attribute.val.clusterDim;
      if (!given.x || !given.y || !given.z)
        return answer(cudaErrorInvalidValue);
      company.cluster = dim3(given.x, given.y, given.z);
    }
  }
  return answer(launch(handle, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                       company, config->stream));
}

CUPR_CPU_API(cudaLaunchCooperativeKernel)
(const void *handle, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return answer(launch(handle, grid, block, arguments, shared, {.together = true}, stream));
}

CUPR_CPU_API(cudaFuncGetAttributes)(cudaFuncAttributes *attributes, const void *handle) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return answer(error);
  *attributes = {};
  attributes->sharedSizeBytes = found.kernel->staticSharedBytes;
  attributes->maxThreadsPerBlock = found.kernel->maxThreads
                                       ? std::min(int(found.kernel->maxThreads), limits::kMaxThreads)
                                       : limits::kMaxThreads;
  attributes->numRegs = 32;
  // CUB chooses its launch parameters by these; the device code chose by the same number.
  attributes->ptxVersion = static_cast<int>(found.module->architecture);
  attributes->binaryVersion = static_cast<int>(found.module->architecture);
  attributes->maxDynamicSharedSizeBytes = dynamicLimit(handle, *found.kernel);
  attributes->preferredShmemCarveout = -1;
  attributes->requiredClusterWidth = static_cast<int>(cupr::abi::clusterOfFlags(found.kernel->flags, 0));
  attributes->requiredClusterHeight = static_cast<int>(cupr::abi::clusterOfFlags(found.kernel->flags, 1));
  attributes->requiredClusterDepth = static_cast<int>(cupr::abi::clusterOfFlags(found.kernel->flags, 2));
  attributes->clusterDimMustBeSet = attributes->requiredClusterWidth != 0;
  attributes->nonPortableClusterSizeAllowed =
      mostClusterBlocks(found.attributes) > limits::kPortableClusterBlocks;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaFuncSetAttribute)(const void *handle, cudaFuncAttribute attribute, int value) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return answer(error);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || value + int(found.kernel->staticSharedBytes) > limits::kSharedPerBlockOptIn)
      return answer(cudaErrorInvalidValue);
    DynamicLimits &all = dynamicLimits();
    std::lock_guard lock(all.mutex);
    all.bytes[handle] = value;
  } else if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    LargeClusters &all = largeClusters();
    std::lock_guard lock(all.mutex);
    if (value)
      all.allowed.insert(found.attributes);
    else
      all.allowed.erase(found.attributes);
  } else if (attribute == cudaFuncAttributeRequiredClusterWidth ||
             attribute == cudaFuncAttributeRequiredClusterHeight ||
             attribute == cudaFuncAttributeRequiredClusterDepth) {
    return answer(cudaErrorNotSupported);
  }
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaFuncSetCacheConfig)(const void *, cudaFuncCache) { return answer(cudaSuccess); }

CUPR_CPU_API(cudaFuncGetName)(const char **name, const void *handle) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return answer(error);
  *name = found.kernel->name;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int *blocks, const void *handle, int threads, size_t shared) {
  *blocks = residentBlocks(handle, threads, shared);
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int *blocks, const void *handle, int threads, size_t shared, unsigned) {
  *blocks = residentBlocks(handle, threads, shared);
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaOccupancyMaxPotentialClusterSize)
(int *blocks, const void *handle, const cudaLaunchConfig_t *config) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return answer(error);
  if (!blocks || !config)
    return answer(cudaErrorInvalidValue);
  *blocks = blocksOnDevice(handle, config->blockDim, config->dynamicSmemBytes)
                ? mostClusterBlocks(found.attributes)
                : 0;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaOccupancyMaxActiveClusters)
(int *clusters, const void *handle, const cudaLaunchConfig_t *config) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return answer(error);
  if (!clusters || !config)
    return answer(cudaErrorInvalidValue);
  Company company;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
      company.cluster = dim3(config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                             config->attrs[i].val.clusterDim.z);
  const dim3 cluster = clusterOf(*found.kernel, company);
  if (const cudaError_t error =
          checkCluster(found.attributes, config->gridDim, cluster, *found.kernel, company);
      error != cudaSuccess)
    return answer(error);
  const std::uint64_t each =
      std::uint64_t{std::max(1u, cluster.x)} * std::max(1u, cluster.y) * std::max(1u, cluster.z);
  *clusters = static_cast<int>(blocksOnDevice(handle, config->blockDim, config->dynamicSmemBytes) / each);
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaOccupancyAvailableDynamicSMemPerBlock)
(size_t *bytes, const void *handle, int blocks, int threads) {
  Registry::Kernel found;
  if (const cudaError_t error = lookUp(handle, found); error != cudaSuccess)
    return answer(error);
  if (blocks <= 0 || threads <= 0)
    return answer(cudaErrorInvalidValue);
  const int each =
      limits::kSharedPerMultiprocessor / blocks - int(kSharedReserved + found.kernel->staticSharedBytes);
  *bytes = static_cast<size_t>(std::clamp(each, 0, limits::kSharedPerBlockOptIn));
  return answer(cudaSuccess);
}
