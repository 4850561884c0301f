#include "arena.h"

#include "closed_bytes.h"

#include "devicelib/cpu/runtime/device.h"
#include "devicelib/cpu/runtime/witness.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace cupr::cpu {

namespace {

constexpr std::uint64_t kBase = 0x200000000000;
constexpr std::size_t kReserve = std::size_t(64) << 30, kAlignment = std::size_t(4) << 30;

std::size_t footprint(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage + kPage;
}

} // namespace

Arena &Arena::instance() {
  static Arena *arena = new Arena;
  return *arena;
}

Arena::Arena() {
  total_ = std::size_t(environmentNumber("CUPR_CPU_MEMORY", 8192, 64, 32768)) << 20;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *memory = mmap(reinterpret_cast<void *>(kBase), kReserve, PROT_READ | PROT_WRITE,
                      flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) { // a sanitizer, perhaps: any place will do
    memory = mmap(nullptr, kReserve + kAlignment, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) {
      std::fprintf(stderr,
                   "cuprewrite: can't reserve 64 GiB of addresses for the CPU device's memory; is there a "
                   "limit on virtual memory (ulimit -v)?\n");
      total_ = 0;
      return;
    }
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(memory);
    memory = reinterpret_cast<void *>((address + kAlignment - 1) / kAlignment * kAlignment);
  }
  base_ = reinterpret_cast<std::uint64_t>(memory);
  gaps_[base_] = kReserve;
  ClosedBytes::instance().closeRegion(base_, kReserve);
  Witness::instance().global(memory, kReserve);
}

ArenaCall Arena::callOf(const char *name) const {
  return {name, ClosedBytes::instance().watches() ? CallStack::here() : CallStack()};
}

void *Arena::allocate(std::size_t bytes, ArenaKind kind, const char *call) {
  const ArenaCall made = callOf(call);
  std::lock_guard lock(mutex_);
  if (bytes > total_ || used_ + bytes > total_)
    return nullptr;
  std::uint64_t address = 0;
  while (!(address = takeGap(footprint(bytes))) && !quarantine_.empty())
    endOldestQuarantine();
  if (!address)
    return nullptr;
  forgetFreed(address, footprint(bytes));
  allocations_[address] = {address, bytes, kind, made};
  ClosedBytes::instance().open(address, bytes);
  used_ += bytes;
  return reinterpret_cast<void *>(address);
}

/// The address of the lowest gap that fits, which begins `size` bytes later from now on; or 0.
std::uint64_t Arena::takeGap(std::size_t size) {
  const auto gap = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto &g) { return g.second >= size; });
  if (gap == gaps_.end())
    return 0;
  const auto [address, bytes] = *gap;
  gaps_.erase(gap);
  if (bytes > size)
    gaps_[address + size] = bytes - size;
  return address;
}

/// The place is used again: what was there before is of no interest.
void Arena::forgetFreed(std::uint64_t address, std::size_t bytes) {
  auto first = freed_.upper_bound(address);
  if (first != freed_.begin() &&
      std::prev(first)->first + footprint(std::prev(first)->second.allocation.bytes) > address)
    --first;
  freed_.erase(first, freed_.lower_bound(address + bytes));
}

bool Arena::free(void *pointer, bool host, const char *call) {
  const ArenaCall freed = callOf(call);
  std::lock_guard lock(mutex_);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(pointer);
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || (found->second.kind == ArenaKind::Host) != host)
    return false;
  const ArenaAllocation allocation = found->second;
  used_ -= allocation.bytes;
  allocations_.erase(found);
  ClosedBytes::instance().close(address, allocation.bytes);
  // The next owner finds zeros, as the first one did.
  madvise(pointer, footprint(allocation.bytes), MADV_DONTNEED);
  freed_[address] = {allocation, freed};
  quarantine_.push_back(address);
  while (quarantine_.size() > (ClosedBytes::instance().watches() ? kQuarantined : 0))
    endOldestQuarantine();
  return true;
}

void Arena::endOldestQuarantine() {
  const std::uint64_t oldest = quarantine_.front();
  quarantine_.pop_front();
  addGap(oldest, footprint(freed_.at(oldest).allocation.bytes));
}

void Arena::addGap(std::uint64_t address, std::size_t size) {
  auto gap = gaps_.emplace(address, size).first;
  if (auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap != gaps_.begin())
    if (auto before = std::prev(gap); before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps_.erase(gap);
    }
}

std::optional<ArenaAllocation> Arena::find(const void *pointer) {
  std::lock_guard lock(mutex_);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(pointer);
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin())
    return std::nullopt;
  const ArenaAllocation &allocation = std::prev(after)->second;
  if (address - allocation.address >= (allocation.bytes ? allocation.bytes : 1))
    return std::nullopt;
  return allocation;
}

void Arena::freeAll() {
  std::lock_guard lock(mutex_);
  if (!base_)
    return;
  madvise(reinterpret_cast<void *>(base_), kReserve, MADV_DONTNEED);
  for (const auto &[address, allocation] : allocations_)
    ClosedBytes::instance().close(address, allocation.bytes);
  allocations_.clear();
  freed_.clear();
  quarantine_.clear();
  gaps_.clear();
  gaps_[base_] = kReserve;
  used_ = 0;
}

std::size_t Arena::used() {
  std::lock_guard lock(mutex_);
  return used_;
}

bool Arena::isGood(std::uint64_t address, std::size_t bytes) {
  if (!base_ || address - base_ >= kReserve)
    return true;
  const auto allocation = find(reinterpret_cast<const void *>(address));
  return allocation && bytes <= allocation->bytes - (address - allocation->address);
}

std::string Arena::explain(const ArenaAllocation &allocation, std::uint64_t address) const {
  const std::string place = allocation.made.stack.place();
  return "offset " + std::to_string(static_cast<std::int64_t>(address - allocation.address)) +
         " in an allocation of " + std::to_string(allocation.bytes) + " bytes (" + allocation.made.name +
         (place.empty() ? ")" : ", " + place + ")");
}

std::string Arena::explain(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto freed = freed_.upper_bound(address);
  if (freed != freed_.begin()) {
    const Freed &last = std::prev(freed)->second;
    if (address - last.allocation.address < last.allocation.bytes) {
      const std::string place = last.call.stack.place();
      return explain(last.allocation, address) + ", which was freed (" + last.call.name +
             (place.empty() ? ")" : ", " + place + ")");
    }
  }
  // The nearer of the neighbours, if one is near at all.
  constexpr std::uint64_t kNear = 1 << 20;
  const ArenaAllocation *nearest = nullptr;
  std::uint64_t distance = kNear;
  const auto above = allocations_.upper_bound(address);
  if (above != allocations_.end() && above->first - address < distance) {
    nearest = &above->second;
    distance = above->first - address;
  }
  if (above != allocations_.begin()) {
    const ArenaAllocation &below = std::prev(above)->second;
    const std::uint64_t end = below.address + below.bytes;
    if (address < end || address - end < distance)
      nearest = &below;
  }
  return nearest ? explain(*nearest, address) : "no allocation is near";
}

} // namespace cupr::cpu
