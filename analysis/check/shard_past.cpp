/// MemoryShard: what acts that others may overlap leave of their accesses, and whom they meet.
#include "memory_shard.h"

namespace cupr::analysis {

bool MemoryShard::writes(const PastAccess &past) const {
  return past.launch == kHost ? past.who.site != 0 : modules_[past.launch]->sites[past.who.site].writes;
}

bool MemoryShard::isStrong(const PastAccess &past) const {
  if (past.launch == kHost)
    return false;
  const SiteTraits &site = modules_[past.launch]->sites[past.who.site];
  return site.isStrong && site.isForDevice();
}

void MemoryShard::meetPast(const PastAccess &earlier, const PastAccess &later, std::uint64_t address,
                           std::uint32_t bytes) {
  if (earlier.act == kNoAct || earlier.act == later.act || ordering_.before(earlier.act, later.act) ||
      ordering_.before(later.act, earlier.act) || (isStrong(earlier) && isStrong(later)))
    return;
  Fault fault;
  fault.rule = FaultRule::RaceLaunches;
  fault.cause = isStrong(earlier) != isStrong(later) && earlier.launch != kHost && later.launch != kHost
                    ? RaceCause::OneIsPlain
                    : RaceCause::Nothing;
  fault.count = 1;
  fault.address = address;
  fault.bytes = bytes;
  fault.place = {later.launch, later.act, later.who.site, later.who.block, later.who.thread};
  fault.other = {earlier.launch, earlier.act, earlier.who.site, earlier.who.block, earlier.who.thread};
  faults_.add(fault);
}

/// Before the page, which has this number, gets another plane of them.
void MemoryShard::holdPast(std::uint64_t number, const CheckPage &page) {
  pastHeld_ += sizeof(PastAccess) * (kCheckPageBytes / page.cellBytes);
  ofPast_.push_back(number);
}

void MemoryShard::forgetPast() {
  for (const std::uint64_t number : ofPast_) {
    CheckPage &page = pages_.at(number);
    page.pastWritten.drop();
    page.pastRead.drop();
    page.cellBytes = 4;
  }
  ofPast_.clear();
  pastHeld_ = 0;
}

/// A launch's accesses become what those that overlap it meet.
void MemoryShard::keepPast(std::uint64_t number, CheckPage &page) {
  if (pastHeld_ > mostBytes_) {
    ++gaps_.pages;
    return;
  }
  const std::uint32_t cells = kCheckPageBytes / page.cellBytes;
  const std::uint64_t begin = number << kCheckPageShift;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const std::uint64_t address = begin + std::uint64_t{cell} * page.cellBytes;
    for (CellPlane<Moment> *plane : page.ofLaunch()) {
      if (!plane->isThere() || !plane->cells()[cell].isSomebody())
        continue;
      const PastAccess now{launch_->act, launch_->index, plane->cells()[cell]};
      const bool isWrite = plane == &page.written || plane == &page.updated;
      if (launch_->mayMeetHost && plane == &page.updated && tellsHost(now.who))
        host_.tells(launch_->act);
      if (page.pastWritten.isThere())
        meetPast(page.pastWritten.cells()[cell], now, address, page.cellBytes);
      if (isWrite && page.pastRead.isThere())
        meetPast(page.pastRead.cells()[cell], now, address, page.cellBytes);
    }
    // Those that meet more come last, and stay.
    for (CellPlane<Moment> *plane : {&page.updated, &page.written, &page.read}) {
      if (!plane->isThere() || !plane->cells()[cell].isSomebody())
        continue;
      CellPlane<PastAccess> &past = plane == &page.read ? page.pastRead : page.pastWritten;
      if (!past.isThere())
        holdPast(number, page);
      past.make(page.cellBytes)[cell] = {launch_->act, launch_->index, plane->cells()[cell]};
    }
  }
}

/// What acts that may overlap it meet.
void MemoryShard::hostTouches(Act act, bool writes, const Range &part) {
  if (pastHeld_ > mostBytes_) {
    ++gaps_.pages;
    return;
  }
  CheckPage &page = pageOf(part.begin >> kCheckPageShift);
  const auto from = static_cast<std::uint32_t>(part.begin & (kCheckPageBytes - 1));
  const auto count = static_cast<std::uint32_t>(part.bytes());
  if ((from | count) % 4 != 0)
    page.refine();
  const PastAccess now{act, kHost, Moment{0, 0, writes ? 1u : 0u, 0, 0}};
  CellPlane<PastAccess> &plane = writes ? page.pastWritten : page.pastRead;
  if (!plane.isThere())
    holdPast(part.begin >> kCheckPageShift, page);
  PastAccess *const past = plane.make(page.cellBytes);
  for (std::uint32_t cell = from / page.cellBytes; cell < (from + count) / page.cellBytes; ++cell) {
    if (page.pastWritten.isThere())
      meetPast(page.pastWritten.cells()[cell], now, part.begin, count);
    if (writes && page.pastRead.isThere())
      meetPast(page.pastRead.cells()[cell], now, part.begin, count);
    past[cell] = now;
  }
}

} // namespace cupr::analysis
