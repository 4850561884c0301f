#include "device_snapshots.h"

#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/relaxed_capture.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

extern "C" const char cuprSnapshotPtx[];

namespace cupr::host {
namespace {

/// Arrays of digests are allocated together, as many as fit, and so are tables.
constexpr std::size_t kAllocationBytes = std::size_t{1} << 20;
constexpr std::uint64_t kSmallest = 32; ///< elements of an array, and of a table
constexpr int kBlocksPerProcessor = 2;  ///< as many as run at a time (device/snapshot.cu)

constexpr std::size_t kKnownBytes = 2 * sizeof(unsigned long long); ///< of an entry

/// Of arrays and tables for so many pieces: few sizes, that they can be used for others.
std::uint64_t roomFor(std::uint64_t pieces) { return std::max(std::bit_ceil(pieces), kSmallest); }

std::uint64_t piecesOf(const DeviceSnapshots::Pending &pending) {
  std::uint64_t pieces = 0;
  for (const DeviceSnapshots::Pending::Part &part : pending.parts)
    pieces += abi::piecesOf(part.region.bytes);
  return pieces;
}

} // namespace

DeviceSnapshots::Pending DeviceSnapshots::begin(CUstream stream, std::span<const MemoryRegion> regions) {
  const RelaxedCapture relaxed(driver_);
  Pending pending;
  {
    const std::scoped_lock allocating(allocating_);
    if (!prepare())
      return {};
    for (const MemoryRegion &region : regions) {
      pending.parts.push_back({region, knownOf(region)});
      if (!pending.parts.back().known)
        return {};
    }
  }
  pending.arrays = takeArrays(piecesOf(pending));
  if (!pending.arrays.before)
    return {};
  if (const CUresult result = launch(stream, pending, pending.arrays.before, /*brings=*/true)) {
    const std::scoped_lock allocating(allocating_);
    warn(result);
    return {}; // without the arrays: a part of the launch may still write there
  }
  return pending;
}

bool DeviceSnapshots::finish(CUstream stream, const Pending &pending) {
  const RelaxedCapture relaxed(driver_);
  return launch(stream, pending, pending.arrays.after, /*brings=*/false) == CUDA_SUCCESS;
}

bool DeviceSnapshots::drain() {
  if (!isReady_.load(std::memory_order_acquire)) // matched by prepare's store
    return false;
  bool any = false;
  for (unsigned i = 0; i < abi::kSnapshotSlots; ++i) {
    abi::SnapshotSlot &slot = ring_.slots[i];
    // Matched by the device's release store (abi/snapshot_block.h, take).
    const unsigned long long published = std::atomic_ref(slot.published).load(std::memory_order_acquire);
    if (published == freed_[i])
      continue;
    assert(published == freed_[i] + 1 && slot.bytes <= abi::kPieceBytes &&
           "a slot is filled when it is free");
    store_({slot.digest.low, slot.digest.high}, ring_.pieces + i * (abi::kPieceBytes / abi::kVectorBytes),
           slot.bytes);
    // Matched by the device's acquire load (abi/snapshot_block.h, takeTicket): the slot may be written again.
    std::atomic_ref(freed_[i]).store(published, std::memory_order_release);
    any = true;
  }
  return any;
}

std::optional<std::vector<PieceDigests>> DeviceSnapshots::result(const Pending &pending) const {
  const abi::Digest *digest = pending.arrays.before;
  if (!std::equal(digest, digest + piecesOf(pending), pending.arrays.after))
    return std::nullopt;
  std::vector<PieceDigests> regions;
  for (const Pending::Part &part : pending.parts) {
    PieceDigests &pieces = regions.emplace_back();
    for (std::uint64_t left = abi::piecesOf(part.region.bytes); left; --left, ++digest)
      pieces.push_back({digest->low, digest->high});
  }
  return regions;
}

void DeviceSnapshots::give(const Pending &pending) {
  const std::scoped_lock lock(mutex_);
  free_[pending.arrays.size].push_back(pending.arrays);
}

/// At the first launch; what has failed then is not tried again.
bool DeviceSnapshots::prepare() {
  if (isReady_ || hasFailed_)
    return isReady_;
  CUdevice device = 0;
  int processors = 0;
  CUmodule module = nullptr;
  CUresult result = driver_.cuCtxGetDevice(&device);
  if (result == CUDA_SUCCESS)
    result = driver_.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (result == CUDA_SUCCESS)
    result = driver_.cuModuleLoadData(&module, cuprSnapshotPtx);
  if (result == CUDA_SUCCESS)
    result = driver_.cuModuleGetFunction(&kernel_, module, "cuprSnapshot");
  if (result == CUDA_SUCCESS)
    result = makeRing();
  if (result != CUDA_SUCCESS) {
    warn(result);
    hasFailed_ = true;
    return false;
  }
  mostBlocks_ = static_cast<unsigned>(kBlocksPerProcessor * processors);
  isReady_.store(true, std::memory_order_release);
  return true;
}

CUresult DeviceSnapshots::makeRing() {
  constexpr std::size_t kSlotsBytes = abi::kSnapshotSlots * sizeof(abi::SnapshotSlot),
                        kFreedBytes = abi::kSnapshotSlots * sizeof *freed_;
  CUdeviceptr tickets = 0;
  if (const CUresult result = zeros(tickets, sizeof *ring_.tickets))
    return result;
  void *block = nullptr;
  if (const CUresult result = driver_.cuMemHostAlloc(&block, kRingBytes + kSlotsBytes + kFreedBytes,
                                                     CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
    return result;
  auto *const base = static_cast<unsigned char *>(block);
  std::memset(base + kRingBytes, 0, kSlotsBytes + kFreedBytes);
  freed_ = reinterpret_cast<unsigned long long *>(base + kRingBytes + kSlotsBytes);
  ring_.pieces = reinterpret_cast<abi::Vector *>(base);
  ring_.slots = reinterpret_cast<abi::SnapshotSlot *>(base + kRingBytes);
  ring_.freed = freed_;
  ring_.tickets = reinterpret_cast<unsigned long long *>(tickets);
  return CUDA_SUCCESS;
}

/// The region's table. 0: there is none.
CUdeviceptr DeviceSnapshots::knownOf(const MemoryRegion &region) {
  const std::uint64_t pieces = abi::piecesOf(region.bytes);
  auto known = known_.find(region.address);
  if (known != known_.end() && known->second.size < pieces) {
    spare_.push_back(known->second);
    known_.erase(known);
    known = known_.end();
  }
  if (known == known_.end()) {
    const Known taken = takeKnown(pieces);
    if (!taken.table)
      return 0;
    known = known_.emplace(region.address, taken).first;
  }
  known->second.lastUse = ++uses_;
  return known->second.table;
}

/// A table that nobody has, or a new one, or that of the region whose last use is the longest ago. It may be in use
/// even so, and what it says is true of any memory.
DeviceSnapshots::Known DeviceSnapshots::takeKnown(std::uint64_t pieces) {
  const auto spare =
      std::find_if(spare_.begin(), spare_.end(), [&](const Known &known) { return known.size >= pieces; });
  if (spare != spare_.end()) {
    const Known known = *spare;
    spare_.erase(spare);
    return known;
  }
  if (const Known known = makeKnown(pieces); known.table)
    return known;
  auto oldest = known_.end();
  for (auto known = known_.begin(); known != known_.end(); ++known)
    if (known->second.size >= pieces &&
        (oldest == known_.end() || known->second.lastUse < oldest->second.lastUse))
      oldest = known;
  if (oldest == known_.end())
    return {};
  const Known known = oldest->second;
  known_.erase(oldest);
  return known;
}

DeviceSnapshots::Known DeviceSnapshots::makeKnown(std::uint64_t pieces) {
  const std::uint64_t size = roomFor(pieces);
  const std::size_t bytes = size * kKnownBytes;
  if (bytes > slabBytes_) {
    const std::size_t slab = std::max(bytes, kAllocationBytes);
    if (knownBytes_ + slab > kMostKnownBytes)
      return {};
    CUdeviceptr address = 0;
    if (const CUresult result = zeros(address, slab)) {
      warn(result);
      return {};
    }
    slab_ = address;
    slabBytes_ = slab;
    knownBytes_ += slab;
  }
  const Known known{slab_, size, 0};
  slab_ += bytes;
  slabBytes_ -= bytes;
  return known;
}

DeviceSnapshots::Pending::Arrays DeviceSnapshots::takeFree(std::uint64_t size) {
  const std::scoped_lock lock(mutex_);
  std::vector<Pending::Arrays> &free = free_[size];
  if (free.empty())
    return {};
  const Pending::Arrays arrays = free.back();
  free.pop_back();
  return arrays;
}

DeviceSnapshots::Pending::Arrays DeviceSnapshots::takeArrays(std::uint64_t pieces) {
  const std::uint64_t size = roomFor(pieces);
  if (const Pending::Arrays arrays = takeFree(size); arrays.before)
    return arrays;
  const std::scoped_lock allocating(allocating_);
  if (const Pending::Arrays arrays = takeFree(size); arrays.before) // while this thread waited
    return arrays;
  std::vector<Pending::Arrays> made = makeArrays(size);
  if (made.empty())
    return {};
  const Pending::Arrays arrays = made.back();
  made.pop_back();
  const std::scoped_lock lock(mutex_);
  free_[size].insert(free_[size].end(), made.begin(), made.end());
  return arrays;
}

std::vector<DeviceSnapshots::Pending::Arrays> DeviceSnapshots::makeArrays(std::uint64_t size) {
  const std::size_t bytes = 2 * size * sizeof(abi::Digest),
                    count = std::max<std::size_t>(kAllocationBytes / bytes, 1);
  if (digestBytes_ + count * bytes > kMostDigestBytes)
    return {};
  void *block = nullptr;
  if (const CUresult result = driver_.cuMemHostAlloc(&block, count * bytes,
                                                     CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)) {
    warn(result);
    return {};
  }
  digestBytes_ += count * bytes;
  std::vector<Pending::Arrays> made;
  for (auto *digests = static_cast<abi::Digest *>(block); made.size() < count; digests += 2 * size)
    made.push_back({digests, digests + size, size});
  return made;
}

/// Device memory.
CUresult DeviceSnapshots::zeros(CUdeviceptr &address, std::size_t bytes) {
  CUstream own = nullptr;
  CUresult result = driver_.cuMemAlloc(&address, bytes);
  if (result == CUDA_SUCCESS)
    result = driver_.cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS)
    result = driver_.cuMemsetD8Async(address, 0, bytes, own);
  if (result == CUDA_SUCCESS)
    result = driver_.cuStreamSynchronize(own);
  if (own)
    driver_.cuStreamDestroy(own);
  return result;
}

/// Several times if there are many regions.
CUresult DeviceSnapshots::launch(CUstream stream, const Pending &pending, abi::Digest *digests, bool brings) {
  for (std::size_t first = 0; first < pending.parts.size(); first += abi::kSnapshotRegions) {
    abi::SnapshotArgument argument{};
    argument.regionCount = static_cast<std::uint32_t>(
        std::min<std::size_t>(pending.parts.size() - first, abi::kSnapshotRegions));
    for (std::size_t i = 0; i < argument.regionCount; ++i) {
      const Pending::Part &part = pending.parts[first + i];
      argument.regions[i] = {reinterpret_cast<const unsigned char *>(part.region.address), part.region.bytes,
                             reinterpret_cast<unsigned long long *>(part.known), argument.pieceCount};
      argument.pieceCount += static_cast<std::uint32_t>(abi::piecesOf(part.region.bytes));
    }
    argument.digests = digests;
    argument.ring = ring_;
    argument.brings = brings;
    digests += argument.pieceCount;
    if (argument.pieceCount == 0)
      continue;
    const auto blocks = std::min(argument.pieceCount, mostBlocks_);
    void *parameters[] = {&argument};
    if (const CUresult result = driver_.cuLaunchKernel(kernel_, blocks, 1, 1, abi::kSnapshotThreads, 1, 1, 0,
                                                       stream, parameters, nullptr))
      return result;
  }
  return CUDA_SUCCESS;
}

void DeviceSnapshots::warn(CUresult result) {
  if (!hasWarned_)
    message("what some kernels read can't be copied, so their accesses are recorded: {}",
            driverErrorName(result));
  hasWarned_ = true;
}

} // namespace cupr::host
