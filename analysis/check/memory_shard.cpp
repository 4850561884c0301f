#include "memory_shard.h"

#include <bit>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::size_t kMostPending = 65536, kMostUnwritten = 65536;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

std::uint64_t hashOf(const Moment &moment, std::uint64_t hash) {
  hash = mixed(hash, std::uint64_t{moment.block} << 32 | moment.site);
  return mixed(hash, std::uint64_t{moment.clock} << 32 | std::uint64_t{moment.warp()} << 16 | moment.acquired);
}

} // namespace

MemoryShard::MemoryShard(const Ordering &ordering, const std::vector<const ModuleTraits *> &modules,
                         const std::vector<LaunchIndex> &kernels, std::uint64_t mostBytes)
    : ordering_(ordering), modules_(modules), mostBytes_(mostBytes), faults_(kernels, modules) {}

CheckPage &MemoryShard::pageOf(std::uint64_t number) {
  if (number == lastNumber_)
    return *last_;
  lastNumber_ = number;
  return *(last_ = &pages_[number]);
}

void MemoryShard::access(const ChunkSteps &chunk, const WarpStep &step, std::uint32_t lanes,
                         std::uint64_t number) {
  const SiteTraits &site = launch_->module->sites[step.site];
  CheckPage &page = pageOf(number);
  if (!page.isOfLaunch) {
    page.isOfLaunch = true;
    ofLaunch_.push_back(number);
  }
  const bool isShared = (number & kShared) != 0;
  const std::uint64_t begin = isShared ? (number & 0xfffff) << kCheckPageShift : number << kCheckPageShift;
  const std::uint64_t heldBefore = page.cellsHeld();
  Access access{&chunk, &step, &site, &launch_->order->knowledge(step.knowledge), 0, 0, {}};
  access.who.block = step.block;
  access.who.clock = step.clock;
  access.who.site = step.site;
  access.who.acquired = step.acquired;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    access.address = chunk.addressOf(step, lane);
    const std::uint64_t bytes = chunk.bytesOf(step, lane);
    access.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
    access.who.thread = static_cast<std::uint16_t>(step.warp * abi::kLanes + lane);
    // The part of it that is in this page.
    const std::uint64_t from = std::max(access.address, begin);
    const std::uint64_t end = std::min(accessRange(access.address, bytes).end, begin + kCheckPageBytes);
    if (from < end)
      touch(page, access, static_cast<std::uint32_t>(from - begin), static_cast<std::uint32_t>(end - from),
            from == access.address);
  }
  held_ += page.cellsHeld() - heldBefore;
  if (held_ > mostBytes_)
    makeRoom();
}

/// Whether the two count on each other: atomic both, and for each other's threads.
bool MemoryShard::isMutual(const Moment &earlier, const SiteTraits &site, bool isOneBlock) const {
  const SiteTraits &before = launch_->module->sites[earlier.site];
  if (!before.isStrong || !site.isStrong)
    return false;
  return isOneBlock ? before.isForBlock() && site.isForBlock() : before.isForDevice() && site.isForDevice();
}

/// Whether the earlier access happens before.
bool MemoryShard::isKnown(const Moment &earlier, const Access &access) const {
  return earlier.block == access.who.block &&
         (earlier.thread == access.who.thread ||
          knows(*access.knowledge, access.who.warp(), access.who.lane(), earlier));
}

bool MemoryShard::isRaced(const Moment &earlier, const Access &access) const {
  const bool isOneBlock = earlier.block == access.who.block;
  if (isOneBlock ? !launch_->inBlocks || isKnown(earlier, access) : !launch_->betweenBlocks)
    return false;
  return !isMutual(earlier, *access.site, isOneBlock);
}

bool MemoryShard::isWritten(const CheckPage &page, const SiteTraits &site, std::uint32_t from, std::uint32_t count) {
  return site.isNumber ? page.areAllWritten(from, count) : page.isAnyWritten(from, count);
}

void MemoryShard::touch(CheckPage &page, const Access &access, std::uint32_t from, std::uint32_t count,
                        bool isFirst) {
  const SiteTraits &site = *access.site;
  const bool isChecked =
      site.space == abi::MemorySpace::Global ? access.step->isChecked : launch_->sharedIsKnown;
  // Of a structure that is copied whole some bytes may be filling: it counts if nothing of it has been written.
  if (site.reads && isChecked && isFirst && count == access.bytes && !isWritten(page, site, from, count))
    tellUnwritten(access);
  if (site.writes)
    page.write(from, count);
  if (!launch_->inBlocks && !launch_->betweenBlocks && !launch_->mayOverlap)
    return;
  if (page.cellBytes != 1 && ((from | count) % 4) != 0)
    page.refine();
  const std::uint32_t first = from / page.cellBytes, end = (from + count) / page.cellBytes;
  const std::vector<SiteTraits> &sites = launch_->module->sites;
  // Atomic and volatile writes are beside plain ones, which meet more.
  Moment *const mine = !site.writes ? page.read.make(page.cellBytes)
                       : site.isStrong ? page.updated.make(page.cellBytes)
                                       : page.written.make(page.cellBytes);
  Moment *const writers[] = {page.written.cells(), page.updated.cells()};
  Moment *const read = page.read.cells();
  Moment *alsoRead = page.alsoRead.cells();
  // The first cell of each kind tells the race.
  std::array<Moment, 4> raced;
  const auto note = [&](std::size_t kind, const Moment &earlier) {
    if (earlier.isSomebody() && !raced[kind].isSomebody() && isRaced(earlier, access))
      raced[kind] = earlier;
  };
  for (std::uint32_t cell = first; cell < end; ++cell) {
    for (std::size_t kind = 0; kind < 2; ++kind)
      if (writers[kind])
        note(kind, writers[kind][cell]);
    if (site.writes) {
      std::size_t kind = 2;
      for (Moment *readers : {read, alsoRead}) {
        if (readers && readers[cell].isSomebody()) {
          note(kind, readers[cell]);
          if (isKnown(readers[cell], access))
            readers[cell] = {};
        }
        ++kind;
      }
      mine[cell] = access.who;
      continue;
    }
    const auto makesWay = [&](const Moment &reader) {
      return !reader.isSomebody() ||
             ((!site.isStrong || sites[reader.site].isStrong) && isKnown(reader, access));
    };
    Moment &one = read[cell];
    if (makesWay(one)) {
      one = access.who;
      continue;
    }
    if (!alsoRead)
      alsoRead = page.alsoRead.make(page.cellBytes);
    Moment &two = alsoRead[cell];
    if (makesWay(two))
      two = access.who;
    else if (!site.isStrong && sites[one.site].isStrong)
      one = access.who;
    else if (one.block == two.block && access.who.block != one.block)
      two = access.who;
  }
  for (const Moment &earlier : raced)
    if (earlier.isSomebody())
      tellRace(earlier, access);
}

FaultRule MemoryShard::ruleOf(const Moment &first, const Moment &second) {
  if (first.block != second.block)
    return FaultRule::RaceBlocks;
  return first.warp() == second.warp() ? FaultRule::RaceLanes : FaultRule::RaceWarps;
}

FaultPlace MemoryShard::placeOf(const Moment &moment) const {
  return {launch_->index, launch_->act, moment.site, moment.block, moment.thread};
}

RaceCause MemoryShard::causeOf(const Moment &earlier, const Access &access) const {
  const SiteTraits &before = launch_->module->sites[earlier.site];
  if (before.isStrong && access.site->isStrong)
    return RaceCause::NarrowScope;
  if (before.isStrong != access.site->isStrong)
    return RaceCause::OneIsPlain;
  const unsigned lane = earlier.lane();
  if (earlier.block == access.who.block && earlier.warp() == access.who.warp() &&
      earlier.site == access.who.site && earlier.clock == access.who.clock &&
      (access.step->lanes >> lane & 1) != 0) {
    const std::uint64_t there = access.chunk->addressOf(*access.step, lane);
    if (there < access.address + access.bytes && access.address < there + access.chunk->bytesOf(*access.step, lane))
      return RaceCause::OneInstruction;
  }
  return RaceCause::Nothing;
}

void MemoryShard::tellRace(const Moment &earlier, const Access &access) {
  const bool isOneBlock = earlier.block == access.who.block;
  if (!unwritten_.empty() && isOneBlock)
    for (std::uint64_t word = access.address / 4; word <= (access.address + access.bytes - 1) / 4; ++word)
      raced_.insert(keyOf(word * 4, access.who.block));
  if (isOneBlock ? launch_->order->mayHandOverInBlocks() : launch_->module->mayHandOver) {
    const std::uint64_t hash = hashOf(access.who, hashOf(earlier, 0));
    const auto [place, isNew] = pendingPlaces_.try_emplace(hash, pending_.size());
    if (!isNew) {
      ++pending_[place->second].count;
      return;
    }
    if (pending_.size() >= kMostPending) {
      pendingPlaces_.erase(place);
      ++gaps_.pairs;
      return;
    }
    pending_.push_back({earlier, access.who, access.address, access.bytes, causeOf(earlier, access), 1});
    return;
  }
  Fault fault;
  fault.rule = ruleOf(earlier, access.who);
  fault.cause = causeOf(earlier, access);
  fault.space = access.site->space;
  fault.count = 1;
  fault.address = access.address;
  fault.bytes = access.bytes;
  fault.place = placeOf(access.who);
  fault.other = placeOf(earlier);
  faults_.add(fault);
}

/// Of memory that a block accesses, in words.
std::uint64_t MemoryShard::keyOf(std::uint64_t address, std::uint32_t block) {
  return address / 4 ^ std::uint64_t{block} << 40;
}

/// Others of the launch may write it, and be waited for, or be raced with: that is seen at its end.
void MemoryShard::tellUnwritten(const Access &access) {
  if (unwritten_.size() < kMostUnwritten)
    unwritten_.push_back({access.address, access.bytes, access.who});
}

/// Pairs of accesses that nothing can have ordered.
void MemoryShard::resolve() {
  const BlockOrder &order = *launch_->order;
  const std::vector<SiteTraits> &sites = launch_->module->sites;
  for (const Pending &pair : pending_) {
    if (order.mayHandOver(pair.first, pair.second) || order.mayHandOver(pair.second, pair.first))
      continue;
    Fault fault;
    fault.rule = ruleOf(pair.first, pair.second);
    fault.cause = pair.cause;
    fault.space = sites[pair.second.site].space;
    if (fault.rule == FaultRule::RaceBlocks && pair.cause == RaceCause::Nothing) {
      if (order.hasAcquired(pair.second) || order.hasAcquired(pair.first))
        fault.cause = RaceCause::NoRelease;
      else if (order.isReleased(pair.first) || order.isReleased(pair.second))
        fault.cause = RaceCause::NoAcquire;
    }
    fault.count = pair.count;
    fault.address = pair.address;
    fault.bytes = pair.bytes;
    fault.place = placeOf(pair.second);
    fault.other = placeOf(pair.first);
    faults_.add(fault);
  }
  pending_.clear();
  pendingPlaces_.clear();
}

/// What is still not written, or only behind the read and by the reader's own block, in order.
void MemoryShard::confirmUnwritten() {
  for (const Unwritten &read : unwritten_) {
    if (raced_.contains(keyOf(read.address, read.who.block)))
      continue;
    const abi::MemorySpace space = launch_->module->sites[read.who.site].space;
    const bool isGlobal = space == abi::MemorySpace::Global;
    if (isGlobal || launch_->order->mayHandOverInBlocks()) {
      CheckPage &page = pageOf(isGlobal ? read.address >> kCheckPageShift : sharedPage(read.who.block, read.address));
      const auto from = static_cast<std::uint32_t>(read.address & (kCheckPageBytes - 1));
      const std::uint32_t cell = from / page.cellBytes;
      const auto isOwn = [&](CellPlane<Moment> &plane) {
        return plane.isThere() && plane.cells()[cell].block == read.who.block;
      };
      const bool isOrdered = !launch_->order->mayHandOverInBlocks() && (isOwn(page.written) || isOwn(page.updated));
      if (isWritten(page, launch_->module->sites[read.who.site], from, read.bytes) && !isOrdered)
        continue;
    }
    Fault fault;
    fault.rule = FaultRule::UninitialisedRead;
    fault.space = space;
    fault.count = 1;
    fault.address = read.address;
    fault.bytes = read.bytes;
    fault.place = placeOf(read.who);
    faults_.add(fault);
  }
  unwritten_.clear();
  raced_.clear();
}

void MemoryShard::end() {
  resolve();
  confirmUnwritten();
  for (const std::uint64_t number : ofLaunch_) {
    const auto found = pages_.find(number);
    if (found == pages_.end())
      continue;
    if ((number & kShared) != 0) {
      pages_.erase(found);
      continue;
    }
    if (launch_->mayOverlap)
      keepPast(number, found->second);
    found->second.endLaunch();
  }
  for (const std::uint64_t number : emptied_)
    pages_.erase(number);
  emptied_.clear();
  ofLaunch_.clear();
  lastNumber_ = UINT64_MAX;
  held_ = 0;
}

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

/// A launch's accesses become what those that overlap it meet.
void MemoryShard::keepPast(std::uint64_t number, CheckPage &page) {
  const std::uint32_t cells = kCheckPageBytes / page.cellBytes;
  const std::uint64_t begin = number << kCheckPageShift;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const std::uint64_t address = begin + std::uint64_t{cell} * page.cellBytes;
    for (CellPlane<Moment> *plane : page.ofLaunch()) {
      if (!plane->isThere() || !plane->cells()[cell].isSomebody())
        continue;
      const PastAccess now{launch_->act, launch_->index, plane->cells()[cell]};
      const bool isWrite = plane == &page.written || plane == &page.updated;
      if (page.pastWritten.isThere())
        meetPast(page.pastWritten.cells()[cell], now, address, page.cellBytes);
      if (isWrite && page.pastRead.isThere())
        meetPast(page.pastRead.cells()[cell], now, address, page.cellBytes);
    }
    // Those that meet more come last, and stay.
    for (CellPlane<Moment> *plane : {&page.updated, &page.written, &page.read})
      if (plane->isThere() && plane->cells()[cell].isSomebody())
        (plane == &page.read ? page.pastRead : page.pastWritten).make(page.cellBytes)[cell] = {
            launch_->act, launch_->index, plane->cells()[cell]};
  }
}

void MemoryShard::hostReads(Act act, bool mayOverlap, const Range &range) {
  if (!mayOverlap)
    return;
  CheckPage &page = pageOf(range.begin >> kCheckPageShift);
  const auto from = static_cast<std::uint32_t>(range.begin & (kCheckPageBytes - 1));
  const auto count = static_cast<std::uint32_t>(range.bytes());
  if ((from | count) % 4 != 0)
    page.refine();
  const PastAccess now{act, kHost, Moment{0, 0, 0, 0, 0}};
  PastAccess *const past = page.pastRead.make(page.cellBytes);
  for (std::uint32_t cell = from / page.cellBytes; cell < (from + count) / page.cellBytes; ++cell) {
    if (page.pastWritten.isThere())
      meetPast(page.pastWritten.cells()[cell], now, range.begin, count);
    past[cell] = now;
  }
}

void MemoryShard::hostWrites(Act act, bool mayOverlap, const Range &range) {
  CheckPage &page = pageOf(range.begin >> kCheckPageShift);
  const auto from = static_cast<std::uint32_t>(range.begin & (kCheckPageBytes - 1));
  const auto count = static_cast<std::uint32_t>(range.bytes());
  page.write(from, count);
  if (!mayOverlap)
    return;
  if ((from | count) % 4 != 0)
    page.refine();
  const PastAccess now{act, kHost, Moment{0, 0, 1, 0, 0}};
  PastAccess *const past = page.pastWritten.make(page.cellBytes);
  for (std::uint32_t cell = from / page.cellBytes; cell < (from + count) / page.cellBytes; ++cell) {
    meetPast(past[cell], now, range.begin, count);
    if (page.pastRead.isThere())
      meetPast(page.pastRead.cells()[cell], now, range.begin, count);
    past[cell] = now;
  }
}

void MemoryShard::forget(const Range &range) {
  const auto found = pages_.find(range.begin >> kCheckPageShift);
  if (found == pages_.end())
    return;
  if (range.bytes() == kCheckPageBytes && !found->second.isOfLaunch) {
    pages_.erase(found);
    lastNumber_ = UINT64_MAX;
    return;
  }
  found->second.forget(static_cast<std::uint32_t>(range.begin & (kCheckPageBytes - 1)),
                       static_cast<std::uint32_t>(range.bytes()));
}

/// Half of the pages that the launch has touched lose who accessed them: those that it touched first.
void MemoryShard::makeRoom() {
  const std::size_t half = (ofLaunch_.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const auto found = pages_.find(ofLaunch_[i]);
    if (found == pages_.end())
      continue;
    held_ -= found->second.cellsHeld();
    if ((ofLaunch_[i] & kShared) == 0 && launch_->mayOverlap)
      keepPast(ofLaunch_[i], found->second);
    found->second.endLaunch();
    if ((ofLaunch_[i] & kShared) != 0) {
      found->second.isWhollyWritten = true; // of what comes to it later, nothing is claimed
      emptied_.push_back(ofLaunch_[i]);
    }
  }
  gaps_.pages += half;
  ofLaunch_.erase(ofLaunch_.begin(), ofLaunch_.begin() + static_cast<std::ptrdiff_t>(half));
}

} // namespace cupr::analysis
