#include "launch_tallies.h"

#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/relaxed_capture.h"

#include <algorithm>
#include <bit>

namespace cupr::host {
namespace {

/// Arrays are allocated together, as many as fit.
constexpr std::size_t kAllocatedAtOnce = std::size_t{1} << 20;
constexpr unsigned kSmallestArray = 32; ///< elements of an array

} // namespace

std::vector<trace::SiteCount> siteCounts(std::span<const unsigned long long> counters) {
  std::vector<trace::SiteCount> counts;
  for (std::size_t site = 0; site < counters.size(); ++site)
    if (counters[site] != 0)
      counts.push_back({static_cast<std::uint32_t>(site), counters[site]});
  return counts;
}

LaunchTallies::Array LaunchTallies::takeFree(unsigned size) {
  const std::scoped_lock lock(mutex_);
  std::vector<Array> &free = free_[size];
  if (free.empty())
    return {};
  const Array array = free.back();
  free.pop_back();
  return array;
}

LaunchTallies::Array LaunchTallies::take(unsigned words) {
  const unsigned size = std::max(std::bit_ceil(words), kSmallestArray);
  if (const Array array = takeFree(size); array.device)
    return array;
  const RelaxedCapture relaxed(driver_);
  const std::scoped_lock allocating(allocating_);
  if (const Array array = takeFree(size); array.device) // while this thread waited
    return array;
  std::vector<Array> made = allocate(size);
  if (made.empty())
    return {};
  const Array array = made.back();
  made.pop_back();
  const std::scoped_lock lock(mutex_);
  free_[size].insert(free_[size].end(), made.begin(), made.end());
  return array;
}

void LaunchTallies::give(const Array &array) {
  const std::scoped_lock lock(mutex_);
  free_[array.size].push_back(array);
}

std::vector<LaunchTallies::Array> LaunchTallies::allocate(unsigned size) {
  const std::size_t bytes = size * sizeof(unsigned long long);
  const std::size_t arrays = std::max<std::size_t>(kAllocatedAtOnce / bytes, 1);
  if (allocated_ + arrays * bytes > kMostBytes)
    return {};
  CUdeviceptr device = 0;
  void *host = nullptr;
  CUstream own = nullptr;
  CUresult result = driver_.cuMemAlloc(&device, arrays * bytes);
  if (result == CUDA_SUCCESS)
    result =
        driver_.cuMemHostAlloc(&host, arrays * bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result == CUDA_SUCCESS)
    result = driver_.cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS)
    result = driver_.cuMemsetD8Async(device, 0, arrays * bytes, own);
  if (result == CUDA_SUCCESS)
    result = driver_.cuStreamSynchronize(own);
  if (own)
    driver_.cuStreamDestroy(own);
  if (result != CUDA_SUCCESS) {
    if (!hasWarned_)
      message("there is no memory to note the blocks or, with CUPR_COUNT, the accesses of some launches: {}",
              driverErrorName(result));
    hasWarned_ = true;
    return {};
  }
  allocated_ += arrays * bytes;
  std::vector<Array> made;
  for (std::size_t i = 0; i < arrays; ++i)
    made.push_back({reinterpret_cast<unsigned long long *>(device) + i * size,
                    static_cast<unsigned long long *>(host) + i * size, size});
  return made;
}

} // namespace cupr::host
