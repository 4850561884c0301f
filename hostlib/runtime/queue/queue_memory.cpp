#include "queue_memory.h"

#include "devicelib/abi/stage.h"

#include "hostlib/runtime/driver/message.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace cupr::host {
namespace {

/// Of pinned memory that pages are copied to.
constexpr std::size_t kStagingBytes = std::size_t{64} << 20;
/// The part of the device's free memory that pages may take.
constexpr std::size_t kMostOfFreeMemory = 8;
/// Allocations of so many bytes share no memory with smaller ones.
constexpr std::size_t kOwnBytes = std::size_t{2} << 20;

/// Of the current device; `assumed` where it does not say.
unsigned attribute(const Driver &driver, CUdevice_attribute which, int assumed) {
  CUdevice device = 0;
  if (driver.cuCtxGetDevice(&device) == CUDA_SUCCESS)
    driver.cuDeviceGetAttribute(&assumed, which, device);
  return static_cast<unsigned>(assumed);
}
unsigned multiprocessors(const Driver &driver) {
  return attribute(driver, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 128);
}

/// The power of two nearest to the number of multiprocessors (D. S. Rieber, Characterization of GPU Communication, 2017,
/// section 5.4).
unsigned chooseBins(const Driver &driver) {
  const unsigned count = multiprocessors(driver), below = std::bit_floor(count);
  return count - below > 2 * below - count ? 2 * below : below;
}

/// About twice as many as warps that the device can run at a time: a warp's place follows from its number (abi/stage.h).
unsigned chooseStages(const Driver &driver, const Settings &settings) {
  if (!settings.timesAccesses || settings.stageBytes == 0)
    return 0;
  const unsigned threads = attribute(driver, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048);
  return std::bit_ceil(multiprocessors(driver) * (threads / abi::kLanes) * 3 / 2);
}

/// Parts of one allocation, each on a boundary of 256 bytes.
class Layout {
public:
  std::size_t add(std::size_t bytes) {
    const std::size_t at = size_;
    size_ += (bytes + 255) / 256 * 256;
    return at;
  }
  std::size_t size() const { return size_; }

private:
  std::size_t size_ = 0;
};

} // namespace

bool QueueMemory::allocate(const Driver &driver, const Settings &settings, std::string &reason) {
  const auto check = [&](CUresult result, const char *what) {
    if (result != CUDA_SUCCESS)
      reason = fmt::format("{} failed: {}", what, driverErrorName(result));
    return result == CUDA_SUCCESS;
  };
  const bool inDevice = settings.binsInDevice;
  bins = chooseBins(driver);
  pageBytes = std::size_t{1} << settings.pageBytesLog2;
  std::size_t wanted = settings.bufferBytes;
  std::size_t free = 0, total = 0;
  if (inDevice && driver.cuMemGetInfo(&free, &total) == CUDA_SUCCESS)
    wanted = std::min(wanted, free / kMostOfFreeMemory);
  pagesPerBin =
      std::bit_floor(static_cast<unsigned>(std::clamp<std::size_t>(wanted / pageBytes / bins, 2, 1u << 15)));
  assert(std::has_single_bit(bins) && std::has_single_bit(pagesPerBin) &&
         "positions are taken apart by masks");
  const std::size_t pages = std::size_t{bins} * pagesPerBin;
  stagingBlocks =
      inDevice ? static_cast<unsigned>(std::max<std::size_t>(kStagingBytes / pageBytes, 2 * bins)) : 0;

  Layout host;
  const std::size_t publishedAt = host.add(pages * sizeof *published),
                    binsAt = host.add(bins * sizeof *hostBins), evictedAt = host.add(bins * sizeof *evicted),
                    endsAt = host.add(kLaunchEnds * sizeof *ends),
                    positionsAt = host.add(kLaunchEnds * bins * sizeof *positions),
                    takenAt = host.add(sizeof *taken), brokenAt = host.add(sizeof *broken),
                    controlBytes = host.size(), evictionsAt = host.add(inDevice ? bins * pageBytes : 0),
                    stagingAt = host.add(stagingBlocks * pageBytes),
                    hostPagesAt = host.add(inDevice ? 0 : pages * pageBytes + abi::kBehindPages);
  void *block = nullptr;
  if (!check(driver.cuMemHostAlloc(&block, host.size(), CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
             "allocating pinned host memory for records"))
    return false;
  auto *const base = static_cast<unsigned char *>(block);
  std::memset(base, 0, controlBytes);
  published = reinterpret_cast<unsigned long long *>(base + publishedAt);
  hostBins = reinterpret_cast<abi::HostBin *>(base + binsAt);
  evicted = reinterpret_cast<unsigned long long *>(base + evictedAt);
  ends = reinterpret_cast<abi::LaunchEnd *>(base + endsAt);
  positions = reinterpret_cast<unsigned long long *>(base + positionsAt);
  taken = reinterpret_cast<unsigned long long *>(base + takenAt);
  broken = reinterpret_cast<unsigned long long *>(base + brokenAt);
  evictions = inDevice ? base + evictionsAt : nullptr;
  staging = base + stagingAt;
  hostPages = inDevice ? nullptr : base + hostPagesAt;

  const std::size_t stages = chooseStages(driver, settings);
  Layout device;
  const std::size_t countersAt = device.add(bins * sizeof(abi::Bin)),
                    statesAt = device.add(pages * sizeof(abi::PageState)),
                    waitsAt = device.add(abi::kWaitCounts * sizeof(unsigned long long)),
                    dropsAt = device.add(
                        settings.dropsWhenFull ? abi::kLaunchTags * sizeof(unsigned long long) : 0),
                    beginsAt = device.add(abi::kWaitCounts * sizeof(unsigned long long)),
                    ticketsAt = device.add(sizeof(unsigned long long)),
                    linkAt = device.add(sizeof(abi::Link)), filled = device.size(),
                    stagesAt = device.add(stages * abi::kStageStride),
                    pagesAt = device.add(inDevice ? pages * pageBytes + abi::kBehindPages : 0);
  CUdeviceptr counters = 0;
  // Small pieces lie where the program has freed others, which it may still write to.
  if (!check(driver.cuMemAlloc(&counters, std::max(device.size(), kOwnBytes)),
             "allocating device memory for records"))
    return false;

  abi::Link link{};
  link.published = published;
  link.bins = hostBins;
  link.evictions = evictions;
  link.evicted = evicted;
  link.waits = reinterpret_cast<unsigned long long *>(counters + waitsAt);
  if (settings.dropsWhenFull)
    link.drops = reinterpret_cast<unsigned long long *>(counters + dropsAt);
  link.begins = reinterpret_cast<unsigned long long *>(counters + beginsAt);
  link.broken = broken;
  std::vector<unsigned char> image(filled, 0);
  std::memcpy(image.data() + linkAt, &link, sizeof link);
  for (unsigned bin = 0; bin < bins; ++bin) {
    abi::Bin empty{};
    empty.limit = std::uint64_t{pagesPerBin} * pageBytes;
    std::memcpy(image.data() + countersAt + bin * sizeof empty, &empty, sizeof empty);
  }
  CUstream own = nullptr;
  if (!check(driver.cuStreamCreate(&own, CU_STREAM_NON_BLOCKING), "creating a stream") ||
      !check(driver.cuMemcpyHtoDAsync(counters, image.data(), image.size(), own), "filling the counters") ||
      !check(stages ? driver.cuMemsetD8Async(counters + stagesAt, 0, stages * abi::kStageStride, own)
                    : CUDA_SUCCESS,
             "clearing the stages") ||
      !check(driver.cuStreamSynchronize(own), "filling the counters"))
    return false;
  driver.cuStreamDestroy(own);

  tickets = counters + ticketsAt;
  argument.bins = reinterpret_cast<abi::Bin *>(counters + countersAt);
  argument.states = reinterpret_cast<abi::PageState *>(counters + statesAt);
  argument.pages = inDevice ? reinterpret_cast<unsigned char *>(counters + pagesAt) : hostPages;
  argument.link = reinterpret_cast<const abi::Link *>(counters + linkAt);
  if (stages)
    argument.mark =
        abi::packStages({counters + stagesAt, static_cast<std::uint32_t>(std::countr_zero(stages)),
                         static_cast<std::uint32_t>(settings.stageBytes)});
  argument.binMask = bins - 1;
  argument.pagesPerBinLog2 = static_cast<std::uint16_t>(std::countr_zero(pagesPerBin));
  argument.pageBytesLog2 = static_cast<std::uint16_t>(settings.pageBytesLog2);
  argument.special = (settings.dropsWhenFull ? argument::kTraceDrops : 0) |
                     (settings.recordsValues ? 0 : argument::kTraceNoValues);
  return true;
}

bool QueueMemory::isBroken() const {
  // Matched by the device's release store (abi/bin_writer.h, commit).
  return std::atomic_ref(*broken).load(std::memory_order_acquire) != 0;
}

void QueueMemory::letAllPass() const {
  for (unsigned bin = 0; bin < bins; ++bin)
    std::atomic_ref(hostBins[bin].freed).store(~0ull >> 1, std::memory_order_release);
}

std::uint32_t QueueMemory::publishedBytes(unsigned bin, std::uint64_t page) const {
  // Matched by the device's release store (abi/bin_writer.h, commit).
  const std::uint64_t word = std::atomic_ref(published[slot(bin, page)]).load(std::memory_order_acquire);
  return word >> 32 == static_cast<std::uint32_t>(page + 1) ? static_cast<std::uint32_t>(word) : 0;
}

} // namespace cupr::host
