#include "memory_map.h"

namespace cupr::host {

void MemoryMap::put(std::uint64_t address, const Range &range) {
  const std::scoped_lock lock(mutex_);
  ranges_[address] = range;
}

bool MemoryMap::putNew(std::uint64_t address, const Range &range) {
  const std::scoped_lock lock(mutex_);
  return ranges_.try_emplace(address, range).second;
}

bool MemoryMap::remove(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  return ranges_.erase(address) != 0;
}

MemoryMap::Ranges::const_iterator MemoryMap::holding(std::uint64_t address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin())
    return ranges_.end();
  --after;
  return address - after->first < after->second.bytes ? after : ranges_.end();
}

bool MemoryMap::isAllocatedByCall(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto range = holding(address);
  return range != ranges_.end() && !range->second.isFound;
}

bool MemoryMap::isOfDevice(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto range = holding(address);
  return range != ranges_.end() && range->second.kind != trace::MemoryKind::Host;
}

std::optional<std::pair<std::uint64_t, MemoryMap::Range>> MemoryMap::find(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto range = holding(address);
  return range == ranges_.end() ? std::nullopt : std::optional(std::pair(range->first, range->second));
}

bool MemoryMap::wasFound(std::uint64_t address, std::uint64_t bytes) const {
  const std::scoped_lock lock(mutex_);
  const auto known = ranges_.find(address);
  return known != ranges_.end() && known->second.isFound && known->second.bytes == bytes;
}

std::vector<std::uint64_t> MemoryMap::outdatedBy(std::uint64_t address, std::uint64_t bytes) const {
  std::vector<std::uint64_t> gone;
  const std::scoped_lock lock(mutex_);
  auto range = ranges_.upper_bound(address);
  if (range != ranges_.begin())
    --range;
  for (; range != ranges_.end() && range->first < address + bytes; ++range)
    if (range->second.isFound && range->first + range->second.bytes > address)
      gone.push_back(range->first);
  return gone;
}

std::vector<std::uint64_t> MemoryMap::beginningIn(std::uint64_t address, std::uint64_t bytes) const {
  std::vector<std::uint64_t> begins;
  const std::scoped_lock lock(mutex_);
  for (auto range = ranges_.lower_bound(address); range != ranges_.end() && range->first - address < bytes;
       ++range)
    begins.push_back(range->first);
  return begins;
}

std::optional<std::map<std::uint64_t, MemoryMap::Range>> MemoryMap::ifFree() const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return std::nullopt;
  return ranges_;
}

} // namespace cupr::host
