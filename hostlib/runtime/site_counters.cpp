#include "site_counters.h"

#include "message.h"

#include <algorithm>
#include <bit>

namespace cupr::host {
namespace {

/// Arrays are allocated together, as many as fit.
constexpr std::size_t kAllocationBytes = std::size_t{256} << 10;
constexpr unsigned kSmallest = 32; ///< counters of an array

} // namespace

std::vector<trace::SiteCount> siteCounts(std::span<const unsigned long long> counters) {
  std::vector<trace::SiteCount> counts;
  for (std::size_t site = 0; site < counters.size(); ++site)
    if (counters[site] != 0)
      counts.push_back({static_cast<std::uint32_t>(site), counters[site]});
  return counts;
}

SiteCounters::Array SiteCounters::take(unsigned sites) {
  const unsigned size = std::max(std::bit_ceil(sites), kSmallest);
  const std::scoped_lock lock(mutex_);
  std::vector<Array> &free = free_[size];
  if (free.empty() && !allocate(size))
    return {};
  const Array array = free.back();
  free.pop_back();
  return array;
}

void SiteCounters::give(const Array &array) {
  const std::scoped_lock lock(mutex_);
  free_[array.size].push_back(array);
}

bool SiteCounters::allocate(unsigned size) {
  const std::size_t bytes = size * sizeof(unsigned long long);
  const std::size_t arrays = std::max<std::size_t>(kAllocationBytes / bytes, 1);
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
      message("there is no memory to count accesses (CUPR_COUNT) for some launches: {}",
              driverErrorName(result));
    hasWarned_ = true;
    return false;
  }
  for (std::size_t i = 0; i < arrays; ++i)
    free_[size].push_back({reinterpret_cast<unsigned long long *>(device) + i * size,
                           static_cast<unsigned long long *>(host) + i * size, size});
  return true;
}

} // namespace cupr::host
