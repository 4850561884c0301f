#include "arena.h"

#include "poisoned_bytes.h"

#include "devicelib/abi/standard_error.h"
#include "devicelib/cpu/runtime/device.h"
#include "devicelib/cpu/runtime/devices.h"
#include "devicelib/cpu/runtime/environment.h"
#include "devicelib/cpu/runtime/witness.h"

#include <algorithm>
#include <cstdio>
#include <sys/mman.h>
#include <sys/resource.h>

namespace cupr::cpu {

namespace {

/// Where the thread sanitizer is, most addresses are its own.
#if defined(__has_feature) && __has_feature(thread_sanitizer)
constexpr std::uint64_t kBase = 0x010000000000;
#else
constexpr std::uint64_t kBase = 0x200000000000;
#endif
/// Addresses of each device.
constexpr std::size_t kReserve = std::size_t(64) << 30, kAlignment = std::size_t(4) << 30;
constexpr std::size_t kLeastReserve = std::size_t(64) << 20;

std::size_t footprint(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage + kPage;
}

/// Bytes that the process may map, all in all.
std::size_t addressLimit() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// Addresses for each of the devices, of which not more than half is taken: threads and the trace need some,
/// too.
std::size_t reserveWithin(std::size_t limit, std::size_t devices) {
  std::size_t reserve = kReserve;
  while (reserve > limit / 2 / devices)
    reserve /= 2;
  return reserve;
}

/// Where they begin, or 0.
std::uint64_t reserved(std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *memory = mmap(reinterpret_cast<void *>(kBase), bytes, PROT_READ | PROT_WRITE,
                      flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory != MAP_FAILED)
    return reinterpret_cast<std::uint64_t>(memory);
  // Something else is there, a sanitizer perhaps: any place will do.
  memory = mmap(nullptr, bytes + kAlignment, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  return (reinterpret_cast<std::uint64_t>(memory) + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace

Arena &Arena::instance() {
  static Arena *arena = new Arena;
  return *arena;
}

Arena::Arena() {
  total_ = std::size_t(environmentNumber(abi::SettingName::CUPR_CPU_MEMORY)) >> 20 << 20;
  stretches_.resize(static_cast<std::size_t>(deviceCount()));
  for (reserve_ = reserveWithin(addressLimit(), stretches_.size());
       reserve_ >= kLeastReserve && !(base_ = reserved(all()));)
    reserve_ /= 2;
  if (!base_ || reserve_ < total_) {
    total_ = base_ ? reserve_ : 0;
    abi::say("cuprewrite: CPU device: it has %zu MiB of memory, since virtual memory is limited (ulimit -v); "
             "without a limit, it has what CUPR_CPU_MEMORY says\n",
             total_ >> 20);
  }
  if (!base_)
    return;
  for (std::size_t device = 0; device < stretches_.size(); ++device) {
    stretches_[device].base = base_ + device * reserve_;
    stretches_[device].gaps[stretches_[device].base] = reserve_;
  }
  PoisonedBytes::instance().closeRegion(base_, all());
  Witness::instance().global(reinterpret_cast<void *>(base_), all());
}

ArenaCall Arena::callOf(const char *name) const {
  return {name, PoisonedBytes::instance().watches() ? CallStack::here() : CallStack()};
}

void *Arena::allocate(int device, std::size_t bytes, ArenaKind kind, const char *call) {
  const ArenaCall made = callOf(call);
  std::lock_guard lock(mutex_);
  Stretch &stretch = stretches_[static_cast<std::size_t>(device)];
  if (bytes > total_ || stretch.used + bytes > total_)
    return nullptr;
  std::uint64_t address = 0;
  while (!(address = takeGap(stretch, footprint(bytes))) && !stretch.quarantine.empty())
    endOldestQuarantine(stretch);
  if (!address)
    return nullptr;
  forgetFreed(address, footprint(bytes));
  allocations_[address] = {address, bytes, kind, device, made};
  PoisonedBytes::instance().open(address, bytes);
  stretch.used += bytes;
  return reinterpret_cast<void *>(address);
}

/// The address of the lowest gap that fits, which begins `size` bytes later from now on; or 0.
std::uint64_t Arena::takeGap(Stretch &stretch, std::size_t size) {
  auto &gaps = stretch.gaps;
  const auto gap = std::find_if(gaps.begin(), gaps.end(), [&](const auto &g) { return g.second >= size; });
  if (gap == gaps.end())
    return 0;
  const auto [address, bytes] = *gap;
  gaps.erase(gap);
  if (bytes > size)
    gaps[address + size] = bytes - size;
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
  Stretch &stretch = stretches_[static_cast<std::size_t>(allocation.device)];
  stretch.used -= allocation.bytes;
  allocations_.erase(found);
  PoisonedBytes::instance().close(address, allocation.bytes);
  // The next owner finds zeros, as the first one did.
  madvise(pointer, footprint(allocation.bytes), MADV_DONTNEED);
  freed_[address] = {allocation, freed};
  stretch.quarantine.push_back(address);
  while (stretch.quarantine.size() > (PoisonedBytes::instance().watches() ? kQuarantined : 0))
    endOldestQuarantine(stretch);
  return true;
}

void Arena::endOldestQuarantine(Stretch &stretch) {
  const std::uint64_t oldest = stretch.quarantine.front();
  stretch.quarantine.pop_front();
  addGap(stretch, oldest, footprint(freed_.at(oldest).allocation.bytes));
}

void Arena::addGap(Stretch &stretch, std::uint64_t address, std::size_t size) {
  auto &gaps = stretch.gaps;
  auto gap = gaps.emplace(address, size).first;
  if (auto next = std::next(gap); next != gaps.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps.erase(next);
  }
  if (gap != gaps.begin())
    if (auto before = std::prev(gap); before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps.erase(gap);
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

void Arena::freeAll(int device) {
  std::lock_guard lock(mutex_);
  if (!base_)
    return;
  Stretch &stretch = stretches_[static_cast<std::size_t>(device)];
  const std::uint64_t base = stretch.base, end = base + reserve_;
  madvise(reinterpret_cast<void *>(base), reserve_, MADV_DONTNEED);
  const auto first = allocations_.lower_bound(base), last = allocations_.lower_bound(end);
  for (auto allocation = first; allocation != last; ++allocation)
    PoisonedBytes::instance().close(allocation->first, allocation->second.bytes);
  allocations_.erase(first, last);
  freed_.erase(freed_.lower_bound(base), freed_.lower_bound(end));
  stretch = {};
  stretch.base = base;
  stretch.gaps[base] = reserve_;
}

std::size_t Arena::used(int device) {
  std::lock_guard lock(mutex_);
  return stretches_[static_cast<std::size_t>(device)].used;
}

bool Arena::isGood(std::uint64_t address, std::size_t bytes) {
  if (!base_ || address - base_ >= all())
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
