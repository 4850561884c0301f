#include "nested_launches.h"

#include "device.h"
#include "registry.h"
#include "runtime_calls.h"

#include "devicelib/abi/source_name.h"
#include "devicelib/abi/standard_error.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace cupr::cpu {

namespace {

// cudaError_t and streams of device code, whose header is for CUDA's compilers alone.
constexpr U32 kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
              kInvalidDeviceFunction = 98;
constexpr std::uintptr_t kTailLaunch = 3; ///< cudaStreamTailLaunch
constexpr std::uintptr_t kOwnStream = 16; ///< any other that device code makes

/// Why the launch can't be; kSuccess: it can.
U32 check(const abi::CpuKernel *kernel, const Dim3 &grid, const Dim3 &block, U32 sharedBytes) {
  if (!kernel)
    return kInvalidDeviceFunction;
  const U64 threads = U64{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMaxLanes || (kernel->maxThreads && threads > kernel->maxThreads) ||
      U64{grid.x} * grid.y * grid.z == 0)
    return kInvalidConfiguration;
  return U64{sharedBytes} + kernel->staticSharedBytes > kSharedPerBlock ? kInvalidValue : kSuccess;
}

NestedLaunches::Thread runningThread() { return {Block::running()->cta(), Block::running()->thread()}; }

} // namespace

NestedLaunch::NestedLaunch(const abi::CpuKernel &kernel, Dim3 grid, Dim3 block,
                           std::uint32_t dynamicSharedBytes, Parameters parameters, bool isTail)
    : kernel_(&kernel), grid_(grid), block_(block), dynamicSharedBytes_(dynamicSharedBytes),
      parameters_(std::move(parameters)), isTail_(isTail) {
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < kernel.parameterCount; ++i) {
    const abi::CpuParameter &parameter = kernel.parameters[i];
    at = (at + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    arguments_.push_back(static_cast<unsigned char *>(parameters_.get()) + at);
    at += parameter.bytes;
  }
}

LaunchShape NestedLaunch::shape(const LaunchShape &launching) {
  LaunchShape shape = launching;
  shape.kernel = kernel_;
  shape.arguments = arguments_.data();
  shape.grid = grid_;
  shape.block = block_;
  shape.dynamicSharedBytes = dynamicSharedBytes_;
  shape.hasClusters = abi::clusterOfFlags(kernel_->flags, 0) != 0;
  shape.cluster = {1, 1, 1};
  if (shape.hasClusters)
    shape.cluster = {abi::clusterOfFlags(kernel_->flags, 0), abi::clusterOfFlags(kernel_->flags, 1),
                     abi::clusterOfFlags(kernel_->flags, 2)};
  return shape;
}

void NestedLaunches::add(std::uint64_t cta, NestedLaunch launch) {
  std::lock_guard lock(mutex_);
  made_.push_back({cta, made_.size(), std::move(launch)});
}

std::vector<NestedLaunch> NestedLaunches::take() {
  std::vector<Made> made;
  {
    std::lock_guard lock(mutex_);
    made = std::exchange(made_, {});
    errors_.clear();
    hasFailed_ = false;
  }
  std::sort(made.begin(), made.end(), [](const Made &a, const Made &b) {
    return std::tuple(a.launch.isTail(), a.cta, a.number) < std::tuple(b.launch.isTail(), b.cta, b.number);
  });
  std::vector<NestedLaunch> launches;
  launches.reserve(made.size());
  for (Made &one : made)
    launches.push_back(std::move(one.launch));
  return launches;
}

bool NestedLaunches::setError(Thread thread, std::uint32_t error) {
  std::lock_guard lock(mutex_);
  errors_[thread] = error;
  return !std::exchange(hasFailed_, true);
}

std::uint32_t NestedLaunches::error(Thread thread, bool clears) {
  std::lock_guard lock(mutex_);
  const auto found = errors_.find(thread);
  if (found == errors_.end())
    return kSuccess;
  const std::uint32_t error = found->second;
  if (clears)
    errors_.erase(found);
  return error;
}

} // namespace cupr::cpu

using namespace cupr::cpu;

extern "C" {

Ptr __cupr_cpu_nested_parameters(U64 alignment, U64 bytes) {
  const U64 least = std::max<U64>(alignment, alignof(std::max_align_t));
  return std::aligned_alloc(least, (std::max<U64>(bytes, 1) + least - 1) / least * least);
}

U32 __cupr_cpu_nested_launch(Ptr code, Ptr parameters, Ptr gridPlace, Ptr blockPlace, U32 sharedBytes,
                             Ptr stream) {
  NestedLaunch::Parameters own(parameters);
  const cupr::abi::CpuKernel *const kernel = Registry::instance().kernelOfCode(code);
  const Dim3 grid = *static_cast<const Dim3 *>(gridPlace), block = *static_cast<const Dim3 *>(blockPlace);
  if (!own && kernel && kernel->parameterCount != 0) {
    Device::instance().nested().setError(runningThread(), kMemoryAllocation);
    return kMemoryAllocation;
  }
  if (const U32 error = check(kernel, grid, block, sharedBytes); error != kSuccess) {
    if (Device::instance().nested().setError(runningThread(), error)) // of all threads that try
      cupr::abi::say("cuprewrite: CPU device: a kernel can't launch %s with a grid of %ux%ux%u, blocks of "
                     "%ux%ux%u and %u bytes of shared memory (cudaError_t %u)\n",
                     kernel ? cupr::abi::sourceName(kernel->name).c_str() : "a function that is no kernel",
                     grid.x, grid.y, grid.z, block.x, block.y, block.z, sharedBytes, error);
    return error;
  }
  Device::instance().nested().add(Block::running()->cta(),
                                  NestedLaunch(*kernel, grid, block, sharedBytes, std::move(own),
                                               reinterpret_cast<std::uintptr_t>(stream) == kTailLaunch));
  return kSuccess;
}

U32 __cupr_cpu_nested_stream(Ptr place, U32) {
  *static_cast<std::uintptr_t *>(place) = kOwnStream;
  return kSuccess;
}

U32 __cupr_cpu_nested_device(Ptr place) {
  *static_cast<int *>(place) = Device::instance().runningDevice();
  return kSuccess;
}

U32 __cupr_cpu_nested_last_error() { return Device::instance().nested().error(runningThread(), true); }
U32 __cupr_cpu_nested_peek_error() { return Device::instance().nested().error(runningThread(), false); }
U32 __cupr_cpu_nested_done(Ptr) { return kSuccess; }

} // extern "C"
