#include "arena.h"

#include "devicelib/cpu/runtime/device.h"
#include "devicelib/cpu/runtime/witness.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace cupr::cpu {

namespace {

constexpr std::uint64_t kBase = 0x200000000000;
constexpr std::size_t kReserve = std::size_t(64) << 30, kPage = 4096;

std::size_t footprint(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage + kPage; }

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
  if (memory == MAP_FAILED) // a sanitizer, perhaps: any place will do
    memory = mmap(nullptr, kReserve, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr,
                 "cuprewrite: can't reserve 64 GiB of addresses for the CPU device's memory; is there a "
                 "limit on virtual memory (ulimit -v)?\n");
    total_ = 0;
    return;
  }
  base_ = reinterpret_cast<std::uint64_t>(memory);
  gaps_[base_] = kReserve;
  Witness::instance().global(memory, kReserve);
}

void *Arena::allocate(std::size_t bytes, ArenaKind kind) {
  std::lock_guard lock(mutex_);
  if (bytes > total_ || used_ + bytes > total_)
    return nullptr;
  const std::size_t size = footprint(bytes ? bytes : 1);
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->second < size)
      continue;
    const std::uint64_t address = gap->first;
    const std::size_t rest = gap->second - size;
    gaps_.erase(gap);
    if (rest)
      gaps_[address + size] = rest;
    allocations_[address] = {address, bytes, kind};
    used_ += bytes;
    return reinterpret_cast<void *>(address);
  }
  return nullptr;
}

bool Arena::free(void *pointer, bool host) {
  std::lock_guard lock(mutex_);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(pointer);
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || (found->second.kind == ArenaKind::Host) != host)
    return false;
  const std::size_t size = footprint(found->second.bytes ? found->second.bytes : 1);
  used_ -= found->second.bytes;
  allocations_.erase(found);
  // The next owner finds zeros, as the first one did.
  madvise(pointer, size, MADV_DONTNEED);
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
  return true;
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
  allocations_.clear();
  gaps_.clear();
  gaps_[base_] = kReserve;
  used_ = 0;
}

std::size_t Arena::used() {
  std::lock_guard lock(mutex_);
  return used_;
}

} // namespace cupr::cpu
