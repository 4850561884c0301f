/// MemoryShard: what code of the host accesses, and whom it meets that the host had not waited for.
#include "memory_shard.h"

#include <algorithm>

namespace cupr::analysis {

void MemoryShard::hostAccessesIn(CheckPage &page, std::uint64_t number, const HostStep &step) {
  if (!page.pastWritten.isThere() && !(step.access.writes && page.pastRead.isThere()))
    return;
  const std::uint64_t begin = number << kCheckPageShift, end = begin + kCheckPageBytes;
  const trace::HostAccess &access = step.access;
  // Rows without gaps are one piece.
  const bool isDense = access.stride <= access.bytes;
  const std::uint64_t bytes = isDense ? (access.elements - 1) * access.stride + access.bytes : access.bytes;
  const std::uint64_t elements = isDense ? 1 : access.elements;
  // The first one that reaches into the page.
  std::uint64_t i =
      !isDense && begin >= access.address + bytes ? (begin - access.address - bytes) / access.stride + 1 : 0;
  for (; i < elements; ++i) {
    const std::uint64_t address = access.address + i * access.stride;
    if (address >= std::min(end, step.end))
      break;
    const std::uint64_t from = std::max(address, begin), to = std::min({address + bytes, end, step.end});
    hostAccess(page, step, from, static_cast<std::uint32_t>(to - from));
  }
}

/// A piece of a page.
void MemoryShard::hostAccess(CheckPage &page, const HostStep &step, std::uint64_t address,
                             std::uint32_t bytes) {
  const auto from = static_cast<std::uint32_t>(address & (kCheckPageBytes - 1));
  const std::uint32_t last = (from + bytes - 1) / page.cellBytes;
  for (std::uint32_t cell = from / page.cellBytes; cell <= last; ++cell) {
    const std::uint64_t at = std::max(address, (address - from) + std::uint64_t{cell} * page.cellBytes);
    if (page.pastWritten.isThere())
      meetHost(page.pastWritten.cells()[cell], step, at, page.cellBytes);
    if (step.access.writes && page.pastRead.isThere())
      meetHost(page.pastRead.cells()[cell], step, at, page.cellBytes);
  }
}

void MemoryShard::meetHost(const PastAccess &past, const HostStep &step, std::uint64_t address,
                           std::uint32_t cellBytes) {
  const trace::HostAccess &access = step.access;
  if (past.act == kNoAct)
    return;
  const std::uint64_t order = ordering_.callOrderOf(past.act);
  if (order > access.after || order <= access.since || ordering_.hadHostWaitedFor(past.act, access.after))
    return;
  if (access.isStrong && writes(past))
    host_.look({past.act, access.after});
  const bool isOtherStrong = past.launch != kHost && modules_[past.launch]->sites[past.who.site].isCoherent;
  // Of a copy that the host polls for, nothing is said either.
  if (access.isStrong && (isOtherStrong || past.launch == kHost))
    return;
  HostMeeting met;
  met.access = step.number;
  met.other = {past.launch, past.act, past.who.site, past.who.block, past.who.thread};
  met.address = address;
  met.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(access.bytes, cellBytes));
  met.count = 1;
  met.isOneStrong = access.isStrong != isOtherStrong;
  host_.meet(met, step.place);
}

bool MemoryShard::tellsHost(const Moment &moment) const {
  const SiteTraits &site = launch_->module->sites[moment.site];
  return site.isCoherent && site.writes && site.scope == abi::MemoryScope::System;
}

} // namespace cupr::analysis
