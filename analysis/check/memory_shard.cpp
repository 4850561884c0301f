#include "memory_shard.h"

#include "check_shards.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::size_t kMostUnwritten = 65536;
/// Planes of cells that the next launch may take over.
constexpr std::size_t kMostLeft = 512;
/// A page is as many ages old as the room for cells, in parts of so many, has been filled since it was touched.
constexpr std::uint32_t kAges = 8;
/// Of a pair that is pending, about.
constexpr std::uint64_t kBytesPerPair = 160;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

std::uint64_t hashOf(const Moment &moment, std::uint64_t hash) {
  hash = mixed(hash, std::uint64_t{moment.block} << 32 | moment.site);
  return mixed(hash,
               std::uint64_t{moment.clock} << 32 | std::uint64_t{moment.thread} << 16 | moment.acquired);
}

} // namespace

MemoryShard::MemoryShard(std::size_t number, const Ordering &ordering,
                         const std::vector<const ModuleTraits *> &modules,
                         const std::vector<LaunchIndex> &kernels, std::uint64_t mostBytes)
    : number_(number), ordering_(ordering), modules_(modules), mostBytes_(mostBytes),
      faults_(kernels, modules) {}

CheckPage &MemoryShard::pageOf(std::uint64_t number) {
  if (number == lastNumber_)
    return *last_;
  lastNumber_ = number;
  const auto [found, isNew] = pages_.try_emplace(number);
  if (isNew && (number & kShared) == 0)
    found->second.isWhollyWritten = written_.has(number);
  return *(last_ = &found->second);
}

bool MemoryShard::isMine(std::uint64_t page) const { return checkShardOf(page) == number_; }

/// The parts of the range in this shard's pages.
template <typename Visitor> void MemoryShard::forPages(const Range &range, Visitor visitor) {
  for (std::uint64_t at = range.begin; at < range.end;) {
    const std::uint64_t next = std::min(range.end, ((at >> kCheckPageShift) + 1) << kCheckPageShift);
    if (isMine(at >> kCheckPageShift))
      visitor(Range{at, next});
    at = next;
  }
}

/// The same of pages that there are already: of large ranges that is less to do.
template <typename Visitor> void MemoryShard::forKnownPages(const Range &range, Visitor visitor) {
  if (range.begin >= range.end)
    return;
  const std::uint64_t first = range.begin >> kCheckPageShift, last = (range.end - 1) >> kCheckPageShift;
  if (last - first < pages_.size()) {
    forPages(range, [&](const Range &part) {
      if (const auto found = pages_.find(part.begin >> kCheckPageShift); found != pages_.end())
        visitor(found->second, part);
    });
    return;
  }
  for (auto &[number, page] : pages_)
    if ((number & kShared) == 0 && number >= first && number <= last)
      visitor(page, Range{std::max(range.begin, number << kCheckPageShift),
                          std::min(range.end, (number << kCheckPageShift) + kCheckPageBytes)});
}

void MemoryShard::access(const ChunkSteps &chunk, const WarpStep &step, std::uint32_t lanes,
                         std::uint64_t number) {
  const SiteTraits &site = launch_->module->sites[step.site];
  const bool isOnlyRead = (number & kOnlyRead) != 0;
  number &= ~kOnlyRead;
  CheckPage &page = pageOf(number);
  if (isOnlyRead && page.isWhollyWritten)
    return;
  const bool isShared = (number & kShared) != 0;
  const std::uint64_t begin =
      isShared ? (number & kSharedOffsets) << kCheckPageShift : number << kCheckPageShift;
  Access access{&chunk, &step, &site, &launch_->order->knowledge(step), 0, 0, {}};
  access.who.block = step.block;
  access.who.clock = step.clock;
  access.who.site = step.site;
  access.who.acquired = step.acquired;
  access.who.thread = static_cast<std::uint16_t>(step.warp * abi::kLanes + std::countr_zero(step.lanes));
  const bool isChecked = site.reads && (isShared ? launch_->sharedIsKnown : step.isChecked);
  const bool isFollowed =
      isShared ? launch_->inBlocks
               : !isOnlyRead && (launch_->inBlocks || launch_->betweenBlocks || launch_->mayOverlap);
  if (isFollowed) {
    page.age = age_;
    if (!page.isOfLaunch) {
      page.isOfLaunch = true;
      ofLaunch_.push_back(number);
      gaps_.pages += page.isEmptied ? 1 : 0;
      page.isEmptied = false;
    }
  }
  const bool isAside =
      isShared && isFollowed && step.warp < WarpClocks::kWarps && followShared(page, number, access, lanes);
  const bool isDone = isAside ? !isChecked || page.isWhollyWritten
                              : isFollowed && lanes == step.lanes && touchRow(page, access, isChecked);
  if (isDone)
    return bound();
  const bool isAffine = step.addresses == WarpStep::kAffine;
  const int lowest = __builtin_ctz(step.lanes);
  unsigned seen = 0; // lanes
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    access.address = isAffine ? step.base + static_cast<std::uint64_t>(std::int64_t{step.stride} *
                                                                       (static_cast<int>(lane) - lowest))
                              : chunk.addressOf(step, lane);
    const std::uint64_t bytes = chunk.bytesOf(step, lane);
    access.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
    access.who.thread = static_cast<std::uint16_t>(step.warp * abi::kLanes + lane);
    access.who.acquired = step.acquiredBy(lane);
    // The part of it that is in this page.
    const std::uint64_t from = std::max(access.address, begin);
    const std::uint64_t end = std::min(accessRange(access.address, bytes).end, begin + kCheckPageBytes);
    if (from >= end)
      continue;
    const auto first = static_cast<std::uint32_t>(from - begin),
               count = static_cast<std::uint32_t>(end - from);
    // Of a structure that is copied whole some bytes may be filling: it counts if nothing of it has been written.
    if (isChecked && count == access.bytes && !isWritten(page, site, first, count))
      tellUnwritten(access);
    if (site.writes)
      page.write(first, count);
    if (!isFollowed || isAside)
      continue;
    touch(page, access, first, count);
    // All lanes read one place: of a tile, of a table.
    if (isAffine && step.stride == 0 && !site.writes && ++seen == 2 && unwritten_.empty() &&
        isSettled(page, access, first, count))
      break;
  }
  bound();
}

/// After each access: what is held ages, and is bounded.
void MemoryShard::bound() {
  if (held_ > heldAtAge_ + mostBytes_ / kAges) {
    ++age_;
    heldAtAge_ = held_;
  }
  if (held_ > mostBytes_)
    makeRoom();
}

void MemoryShard::expect(const ChunkSteps &chunk, const WarpStep &step, std::uint32_t lanes,
                         std::uint64_t page) {
  constexpr int kScattered = 4; // lanes: more of them are neighbours
  if (std::popcount(lanes) > kScattered)
    return;
  const auto found = pages_.find(page & ~kOnlyRead);
  if (found == pages_.end())
    return;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t from =
        chunk.addressOf(step, static_cast<unsigned>(__builtin_ctz(left))) & (kCheckPageBytes - 1);
    for (CellPlane<Moment> *const plane : found->second.ofLaunch())
      if (plane->isThere())
        __builtin_prefetch(plane->cells() + from / found->second.cellBytes);
  }
}

/// Whether the two count on each other: atomic both, and for each other's threads.
bool MemoryShard::isMutual(const Moment &earlier, const SiteTraits &site, bool isOneBlock) const {
  const SiteTraits &before = launch_->module->sites[earlier.site];
  if (!before.isStrong || !site.isStrong)
    return false;
  return isOneBlock ? before.isForBlock() && site.isForBlock() : before.isForDevice() && site.isForDevice();
}

/// Whether each lane of the warp knows that the earlier access happens before: mostly that is how it is, and is soon seen.
bool MemoryShard::isKnownByAll(const Moment &earlier, const Access &access) {
  return earlier.block == access.who.block &&
         (earlier.clock < access.knowledge->all.clocks.all[earlier.warp()] ||
          (earlier.clock < access.knowledge->met && earlier.warp() == access.who.warp()));
}

/// Whether the earlier access happens before.
bool MemoryShard::isKnown(const Moment &earlier, const Access &access) const {
  if (earlier.block != access.who.block)
    return launch_->module->hasGridBarrier && launch_->order->isPhaseBefore(earlier, access.who);
  return earlier.thread == access.who.thread ||
         knows(*access.knowledge, access.who.warp(), access.who.lane(), earlier);
}

bool MemoryShard::isRaced(const Moment &earlier, const Access &access) const {
  const bool isOneBlock = earlier.block == access.who.block;
  if (isMutual(earlier, *access.site, isOneBlock)) // soonest seen
    return false;
  if (isOneBlock)
    return launch_->inBlocks && !isKnown(earlier, access);
  return launch_->betweenBlocks &&
         !(launch_->module->hasGridBarrier && launch_->order->mayBePhasesApart(earlier, access.who));
}

bool MemoryShard::isWritten(const CheckPage &page, const SiteTraits &site, std::uint32_t from,
                            std::uint32_t count) {
  return site.isNumber ? page.areAllWritten(from, count) : page.isAnyWritten(from, count);
}

Moment *MemoryShard::cellsOf(CellPlane<Moment> &plane, std::uint32_t cellBytes) {
  if (plane.isThere())
    return plane.cells();
  if (cellBytes == 4)
    return plane.make(left_, held_);
  held_ += sizeof(Moment) * kCheckPageBytes;
  return plane.make(cellBytes);
}

void MemoryShard::refine(CheckPage &page) {
  if (page.cellBytes == 1)
    return;
  held_ += 3 * page.cellsHeld();
  page.refine();
}

void MemoryShard::touch(CheckPage &page, const Access &access, std::uint32_t from, std::uint32_t count) {
  const SiteTraits &site = *access.site;
  if (((from | count) % 4) != 0)
    refine(page);
  const std::uint32_t first = from / page.cellBytes, end = (from + count) / page.cellBytes;
  // Atomic and volatile writes are beside plain ones, which meet more.
  Moment *const mine = cellsOf(!site.writes    ? page.read
                               : site.isStrong ? page.updated
                                               : page.written,
                               page.cellBytes);
  Moment *const written = page.written.cells(), *const updated = page.updated.cells();
  Moment *const read = page.read.cells();
  Moment *const alsoRead = page.alsoRead.cells();
  // The first cell of each kind tells the race.
  std::array<Moment, 4> raced;
  bool isAnyRaced = false;
  const auto note = [&](std::size_t kind, const Moment &earlier) {
    if (earlier.isSomebody() && !isKnownByAll(earlier, access) && !raced[kind].isSomebody() &&
        isRaced(earlier, access)) {
      raced[kind] = earlier;
      isAnyRaced = true;
    }
  };
  const auto overtake = [&](std::size_t kind, Moment &reader) {
    if (!reader.isSomebody())
      return;
    note(kind, reader);
    // Who races with the reader races with this write, too, if all lanes that may come to the cell know of it, and nobody counts on it.
    if (!site.isStrong && isKnownByAll(reader, access))
      reader = {};
  };
  for (std::uint32_t cell = first; cell < end; ++cell) {
    if (written)
      note(0, written[cell]);
    if (updated)
      note(1, updated[cell]);
    if (!site.writes) {
      keepReader(page, cell, access);
      continue;
    }
    if (read)
      overtake(2, read[cell]);
    if (alsoRead)
      overtake(3, alsoRead[cell]);
    mine[cell] = access.who;
  }
  if (isAnyRaced)
    for (const Moment &earlier : raced)
      if (earlier.isSomebody())
        tellRace(earlier, access);
}

/// Notes who read a cell. Two stay; `page.read` is there.
void MemoryShard::keepReader(CheckPage &page, std::uint32_t cell, const Access &access) {
  Moment &one = page.read.cells()[cell];
  if (makesWay(one, access)) {
    one = access.who;
    return;
  }
  Moment &two = cellsOf(page.alsoRead, page.cellBytes)[cell];
  if (makesWay(two, access))
    two = access.who;
  else if (!access.site->isStrong && launch_->module->sites[one.site].isStrong)
    one = access.who;
  else if (one.block == two.block &&
           (access.who.block != one.block || (one.warp() == two.warp() && access.who.warp() != one.warp())))
    two = access.who;
}

/// Whether a reader may be forgotten for this one: whoever meets it later meets this one as well.
bool MemoryShard::makesWay(const Moment &reader, const Access &access) const {
  return !reader.isSomebody() || ((!access.site->isStrong || launch_->module->sites[reader.site].isStrong) &&
                                  (isKnownByAll(reader, access) || isKnown(reader, access)));
}

/// Whether more lanes of the warp that read the same would find what the first two have found: they are noted, and each lane knows of the
/// writes.
bool MemoryShard::isSettled(CheckPage &page, const Access &access, std::uint32_t from,
                            std::uint32_t count) const {
  for (std::uint32_t cell = from / page.cellBytes; cell < (from + count) / page.cellBytes; ++cell)
    for (CellPlane<Moment> *plane : {&page.written, &page.updated})
      if (plane->isThere() && plane->cells()[cell].isSomebody() &&
          !isKnownByAll(plane->cells()[cell], access))
        return false;
  return true;
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
    if (there < access.address + access.bytes &&
        access.address < there + access.chunk->bytesOf(*access.step, lane))
      return RaceCause::OneInstruction;
  }
  return RaceCause::Nothing;
}

void MemoryShard::tellRace(const Moment &earlier, const Access &access) {
  const bool isOneBlock = earlier.block == access.who.block;
  if (!unwritten_.empty() && isOneBlock) {
    const std::uint32_t bytes = std::min(access.bytes, kCheckPageBytes); // of a copy of many, the first
    for (std::uint64_t word = access.address / 4; word <= (access.address + bytes - 1) / 4; ++word)
      raced_.insert(keyOf(word * 4, access.who.block));
  }
  if (isOneBlock ? launch_->order->mayHandOverInBlocks() : launch_->module->mayHandOver) {
    const std::uint64_t hash = hashOf(access.who, hashOf(earlier, 0));
    const auto [place, isNew] = pendingPlaces_.try_emplace(hash, pending_.size());
    if (!isNew) {
      ++pending_[place->second].count;
      return;
    }
    if (pending_.size() >= mostBytes_ / 2 / kBytesPerPair) {
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
  const LaunchOrder &order = *launch_->order;
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
      CheckPage &page =
          pageOf(isGlobal ? read.address >> kCheckPageShift : sharedPage(read.who.block, read.address));
      const auto from = static_cast<std::uint32_t>(read.address & (kCheckPageBytes - 1));
      const std::uint32_t cell = from / page.cellBytes;
      const auto isOwn = [&](CellPlane<Moment> &plane) {
        return plane.isThere() && plane.cells()[cell].block == read.who.block;
      };
      const bool isOrdered =
          !launch_->order->mayHandOverInBlocks() && (isOwn(page.written) || isOwn(page.updated));
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
    found->second.endLaunch(left_);
  }
  for (const std::uint64_t number : emptied_)
    if (const auto found = pages_.find(number); found != pages_.end()) {
      found->second.isEmptied = false;
      if ((number & kShared) != 0)
        pages_.erase(found);
    }
  emptied_.clear();
  ofLaunch_.clear();
  aside_.clear();
  age_ = 0;
  heldAtAge_ = 0;
  lastNumber_ = UINT64_MAX;
  held_ = 0;
  if (left_.size() > kMostLeft)
    left_.resize(kMostLeft);
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
        pastHeld_ += sizeof(PastAccess) * (kCheckPageBytes / page.cellBytes);
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
    pastHeld_ += sizeof(PastAccess) * (kCheckPageBytes / page.cellBytes);
  PastAccess *const past = plane.make(page.cellBytes);
  for (std::uint32_t cell = from / page.cellBytes; cell < (from + count) / page.cellBytes; ++cell) {
    if (page.pastWritten.isThere())
      meetPast(page.pastWritten.cells()[cell], now, part.begin, count);
    if (writes && page.pastRead.isThere())
      meetPast(page.pastRead.cells()[cell], now, part.begin, count);
    past[cell] = now;
  }
}

void MemoryShard::hostReads(Act act, bool mayOverlap, const Range &range) {
  if (mayOverlap)
    forPages(range, [&](const Range &part) { hostTouches(act, false, part); });
}

void MemoryShard::hostWrites(Act act, bool mayOverlap, const Range &range) {
  const std::uint64_t first = (range.begin + kCheckPageBytes - 1) >> kCheckPageShift,
                      end = range.end >> kCheckPageShift;
  written_.add(first, end);
  forKnownPages(range, [](CheckPage &page, const Range &part) {
    page.write(static_cast<std::uint32_t>(part.begin & (kCheckPageBytes - 1)),
               static_cast<std::uint32_t>(part.bytes()));
  });
  // Pages that are written in part are there from now on.
  for (const std::uint64_t edge : {range.begin >> kCheckPageShift, (range.end - 1) >> kCheckPageShift})
    if ((edge < first || edge >= end) && isMine(edge)) {
      const std::uint64_t from = std::max(range.begin, edge << kCheckPageShift);
      const std::uint64_t to = std::min(range.end, (edge << kCheckPageShift) + kCheckPageBytes);
      pageOf(edge).write(static_cast<std::uint32_t>(from & (kCheckPageBytes - 1)),
                         static_cast<std::uint32_t>(to - from));
    }
  if (mayOverlap)
    forPages(range, [&](const Range &part) { hostTouches(act, true, part); });
}

void MemoryShard::forget(const Range &range) {
  if (range.begin >= range.end)
    return;
  // A page that others have a part of is there, or has nothing written in it: it is made first.
  const std::uint64_t first = range.begin >> kCheckPageShift, last = (range.end - 1) >> kCheckPageShift;
  for (const std::uint64_t edge : {first, last})
    if (isMine(edge) && written_.has(edge))
      pageOf(edge);
  written_.remove(first, last + 1);
  forKnownPages(range, [](CheckPage &page, const Range &part) {
    page.forget(static_cast<std::uint32_t>(part.begin & (kCheckPageBytes - 1)),
                static_cast<std::uint32_t>(part.bytes()));
  });
}

/// Of pages that were not touched for longest it is dropped who accessed them: blocks that have ended don't come back to theirs.
void MemoryShard::makeRoom() {
  const auto isOld = [&](std::uint64_t number) {
    const auto found = pages_.find(number);
    return found == pages_.end() || found->second.age + kAges / 2 < age_;
  };
  auto kept = std::ranges::partition(ofLaunch_, isOld).begin();
  if (kept == ofLaunch_.begin())
    kept += static_cast<std::ptrdiff_t>((ofLaunch_.size() + 1) / 2);
  for (auto number = ofLaunch_.begin(); number != kept; ++number) {
    const auto found = pages_.find(*number);
    if (found == pages_.end())
      continue;
    CheckPage &page = found->second;
    held_ -= page.cellsHeld();
    if ((*number & kShared) == 0 && launch_->mayOverlap)
      keepPast(*number, page);
    page.endLaunch(left_);
    page.isEmptied = true;
    if ((*number & kShared) != 0)
      page.isWhollyWritten = true; // of what comes to it later, nothing is claimed
    emptied_.push_back(*number);
  }
  ofLaunch_.erase(ofLaunch_.begin(), kept);
  heldAtAge_ = held_;
}

} // namespace cupr::analysis
