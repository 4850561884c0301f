#include "memory_shard.h"

#include "devicelib/abi/cluster_address.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace cupr::analysis {

namespace {

/// Planes of cells that the next launch may take over.
constexpr std::size_t kMostLeft = 512;
/// A page is as many ages old as the room for cells, in parts of so many, has been filled since it was touched.
constexpr std::uint32_t kAges = 8;

/// Of a page of shared memory of any block of a cluster, its number in that block's.
std::uint64_t inWindow(std::uint64_t page) { return page & abi::kSharedWindowMask >> kCheckPageShift; }

} // namespace

MemoryShard::MemoryShard(std::size_t number, const Ordering &ordering,
                         const std::vector<const ModuleTraits *> &modules,
                         const std::vector<LaunchIndex> &kernels, const PageRanges &ofBoth,
                         std::uint64_t mostBytes)
    : number_(number), ordering_(ordering), modules_(modules), ofBoth_(ofBoth), mostBytes_(mostBytes),
      faults_(kernels, modules) {}

CheckPage &MemoryShard::pageOf(std::uint64_t number) {
  Near &near = nearOf(number);
  if (near.number == number)
    return *near.page;
  const auto [found, isNew] = pages_.try_emplace(number);
  if (isNew && (number & kShared) == 0)
    found->second.isWhollyWritten = written_.has(number);
  near = {number, &found->second};
  return found->second;
}

/// Null: it is not there.
const CheckPage *MemoryShard::knownPage(std::uint64_t number) {
  Near &near = nearOf(number);
  if (near.number == number)
    return near.page;
  const auto found = pages_.find(number);
  if (found == pages_.end())
    return nullptr;
  near = {number, &found->second};
  return near.page;
}

bool MemoryShard::isMine(std::uint64_t page) const { return shardOf(page) == number_; }

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
  Access access{&chunk, &step, &launch_->module->sites[step.site], &launch_->order->knowledge(step), 0,
                0,      {}};
  access.who.block = step.block;
  access.who.clock = step.clock;
  access.who.site = step.site;
  access.who.acquired = step.acquired;
  access.who.thread = static_cast<std::uint16_t>(step.warp * abi::kLanes + std::countr_zero(step.lanes));
  if ((number & kShared) == 0)
    accessPage(number & ~kOnlyRead, (number & kOnlyRead) != 0, access, lanes);
  else
    forPagesOf(chunk, step, lanes, [&](std::uint64_t page, std::uint32_t itsLanes) {
      accessPage(number | inWindow(page), false, access, itsLanes);
    });
  bound();
}

void MemoryShard::accessPage(std::uint64_t number, bool isOnlyRead, Access &access, std::uint32_t lanes) {
  CheckPage &page = pageOf(number);
  if (isOnlyRead && page.isWhollyWritten)
    return;
  const ChunkSteps &chunk = *access.chunk;
  const WarpStep &step = *access.step;
  const SiteTraits &site = *access.site;
  const bool isShared = (number & kShared) != 0;
  const bool isOfCluster = isShared && launch_->order->clusters().areThere();
  const std::uint64_t begin =
      isShared ? (number & kSharedOffsets) << kCheckPageShift : number << kCheckPageShift;
  const bool isChecked = site.reads && (isShared ? launch_->sharedIsKnown : step.isChecked);
  const bool isFollowed =
      isShared ? launch_->inBlocks || (isOfCluster && launch_->betweenBlocks)
               : !isOnlyRead && (launch_->inBlocks || launch_->betweenBlocks || leavesPast(number));
  if (isFollowed) {
    page.age = age_;
    if (!page.isOfLaunch) {
      page.isOfLaunch = true;
      (isShared && launch_->areInTurn ? inTurn_ : ofLaunch_).push_back(number);
      gaps_.pages += page.isEmptied ? 1 : 0;
      page.isEmptied = false;
    }
  }
  page.changes += site.isStrong && !site.writes ? 0 : 1;
  const bool isAside = isShared && !isOfCluster && isFollowed && step.warp < WarpClocks::kWarps &&
                       followShared(page, number, access, lanes);
  if (isFollowed && !isShared && touchSectors(page, access, lanes, isChecked))
    return;
  if (isFollowed)
    spread(page);
  const bool isDone =
      isAside ? !isChecked || page.isWhollyWritten
              : isFollowed && !isOfCluster && lanes == step.lanes && touchRow(page, access, isChecked);
  if (isDone)
    return;
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
    const std::uint64_t place = isOfCluster ? abi::offsetOfShared(access.address) : access.address;
    const std::uint64_t from = std::max(place, begin);
    const std::uint64_t end = std::min(accessRange(place, bytes).end, begin + kCheckPageBytes);
    if (from >= end)
      continue;
    const auto first = static_cast<std::uint32_t>(from - begin),
               count = static_cast<std::uint32_t>(end - from);
    // Of a structure that is copied whole some bytes may be filling: it counts if nothing of it has been written.
    if (isChecked && count == access.bytes && !isWritten(page, site, first, count))
      tellUnwritten(access);
    if (site.writes)
      page.write(first, count);
    if (isOfCluster && blockOf(number) != step.block)
      noteForeign(number, access);
    if (!isFollowed || isAside)
      continue;
    touch(page, access, first, count);
    // All lanes read one place: of a tile, of a table.
    if (isAffine && step.stride == 0 && !site.writes && ++seen == 2 && unwritten_.empty() &&
        isSettled(page, access, first, count))
      break;
  }
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
                         std::uint64_t number) {
  constexpr int kScattered = 4; // lanes in a page: more of them are neighbours
  const bool isShared = (number & kShared) != 0;
  if (isShared ? step.addresses == WarpStep::kAffine : std::popcount(lanes) > kScattered)
    return;
  number &= ~kOnlyRead;
  const CheckPage *page = isShared ? nullptr : knownPage(number);
  if (!isShared && !page)
    return;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t address = chunk.addressOf(step, static_cast<unsigned>(std::countr_zero(left)));
    if (isShared)
      page = knownPage(number | inWindow(address >> kCheckPageShift));
    if (!page)
      continue;
    const std::uint64_t cell = (address & (kCheckPageBytes - 1)) / page->cellBytes;
    for (const CellPlane<Moment> *const plane : page->ofLaunch())
      if (plane->isThere())
        __builtin_prefetch(plane->cells() + cell);
  }
}

/// Whether the two count on each other: atomic both, and for each other's threads.
bool MemoryShard::isMutual(const Moment &earlier, const Access &access) const {
  const SiteTraits &site = *access.site;
  const SiteTraits &before = launch_->module->sites[earlier.site];
  if (!before.isStrong || !site.isStrong)
    return false;
  if (earlier.block == access.who.block)
    return before.isForBlock() && site.isForBlock();
  return launch_->order->clusters().areTogether(earlier.block, access.who.block)
             ? before.isForCluster() && site.isForCluster()
             : before.isForDevice() && site.isForDevice();
}

/// Whether each lane of the warp knows that the earlier access happens before: mostly that is how it is, and is soon seen.
bool MemoryShard::isKnownByAll(const Moment &earlier, const Access &access) {
  return earlier.block == access.who.block &&
         (earlier.clock < access.knowledge->all.clocks.all[earlier.warp()] ||
          (earlier.clock < access.knowledge->met && earlier.warp() == access.who.warp()));
}

/// LaunchOrder::whenDone(): most cells that an access meets were copied at once.
Moment MemoryShard::whenDone(const Moment &copy) {
  if (copyBatch_ != batch_ || lastCopy_.block != copy.block || lastCopy_.clock != copy.clock ||
      lastCopy_.warp() != copy.warp()) {
    copyBatch_ = batch_;
    lastCopy_ = copy;
    lastDone_ = launch_->order->whenDone(copy);
  }
  Moment done = copy;
  done.clock = lastDone_.clock;
  return done;
}

/// comesBefore(), of what blocks of one launch did that know of each other somehow.
bool MemoryShard::mayComeBefore(const Moment &now, const Moment &other) const {
  const LaunchOrder &order = *launch_->order;
  return (launch_->module->hasGridBarrier && order.isPhaseBefore(now, other)) ||
         (order.clusters().areTogether(now.block, other.block) && order.isClusterBefore(now, other));
}

/// Whether the earlier access happens before.
bool MemoryShard::isKnown(const Moment &earlier, const Access &access) {
  if (earlier.block != access.who.block)
    return comesBefore(earlier, access.who);
  if (earlier.isOfCopy()) {
    const Moment done = whenDone(earlier);
    return !done.isOfCopy() && (earlier.thread == access.who.thread
                                    ? done.clock < (access.who.clock & ~Moment::kCopy)
                                    : knows(*access.knowledge, access.who.warp(), access.who.lane(), done));
  }
  return earlier.thread == access.who.thread ||
         knows(*access.knowledge, access.who.warp(), access.who.lane(), earlier);
}

bool MemoryShard::isRaced(const Moment &earlier, const Access &access) {
  const bool isOneBlock = earlier.block == access.who.block;
  if (isMutual(earlier, access)) // soonest seen
    return false;
  const bool areTogether =
      !isOneBlock && launch_->order->clusters().areTogether(earlier.block, access.who.block);
  const SiteTraits &before = launch_->module->sites[earlier.site];
  if (before.isRemoteCopy || access.site->isRemoteCopy)
    return false; // who waits for them at which mbarrier is not followed
  // Nor is it of bulk copies to other blocks' memory.
  if (areTogether && access.site->space == abi::MemorySpace::Shared &&
      (before.bytes == 0 || access.site->bytes == 0))
    return false;
  if (areTogether && launch_->order->mayClusterOrder(earlier, access.who))
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
  Moment *alsoUpdated = page.alsoUpdated.cells();
  Moment *const read = page.read.cells();
  Moment *const alsoRead = page.alsoRead.cells();
  // The first cell of each kind tells the race.
  enum Kind : std::size_t { kWritten, kUpdated, kRead, kAlsoRead, kAlsoUpdated, kKinds };
  std::optional<std::array<Moment, kKinds>> raced;
  const auto meet = [&](Kind kind, const Moment &earlier) {
    if ((raced && (*raced)[kind].isSomebody()) || !isRaced(earlier, access))
      return;
    if (!raced)
      raced.emplace();
    (*raced)[kind] = earlier;
  };
  const auto isUnknown = [&](const Moment &earlier) {
    return earlier.isSomebody() && !isKnownByAll(earlier, access);
  };
  // Two updates in one place of the source are met alike: by the access's block, or by others in no cluster with it.
  const bool hasClusters = launch_->order->clusters().areThere();
  const auto areAlike = [&](const Moment &one, const Moment &other) {
    return one.site == other.site &&
           (one.block == other.block ||
            (!hasClusters && one.block != access.who.block && other.block != access.who.block));
  };
  const auto overtake = [&](Kind kind, Moment &reader) {
    if (!reader.isSomebody())
      return;
    const bool isKnownReader = isKnownByAll(reader, access);
    if (!isKnownReader)
      meet(kind, reader);
    // Who races with the reader races with this write, too, if all lanes that may come to the cell know of it, and nobody counts on it.
    else if (!site.isStrong)
      reader = {};
  };
  for (std::uint32_t cell = first; cell < end; ++cell) {
    if (written && isUnknown(written[cell]))
      meet(kWritten, written[cell]);
    const bool isUpdateUnknown = updated && isUnknown(updated[cell]);
    if (isUpdateUnknown)
      meet(kUpdated, updated[cell]);
    if (alsoUpdated && !(isUpdateUnknown && site.isStrong && areAlike(alsoUpdated[cell], updated[cell])) &&
        isUnknown(alsoUpdated[cell]))
      meet(kAlsoUpdated, alsoUpdated[cell]);
    if (!site.writes) {
      keepReader(page, cell, access);
      continue;
    }
    if (read)
      overtake(kRead, read[cell]);
    if (alsoRead)
      overtake(kAlsoRead, alsoRead[cell]);
    if (comesBefore(access.who, mine[cell]))
      continue;
    if (isUpdateUnknown && site.isStrong && isOfOtherWarp(updated[cell], access)) {
      if (!alsoUpdated)
        alsoUpdated = cellsOf(page.alsoUpdated, page.cellBytes);
      if (!mustStay(alsoUpdated[cell], access))
        alsoUpdated[cell] = updated[cell];
    }
    mine[cell] = access.who;
  }
  if (raced)
    for (const Moment &earlier : *raced)
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
bool MemoryShard::makesWay(const Moment &reader, const Access &access) {
  return !reader.isSomebody() || ((!access.site->isStrong || launch_->module->sites[reader.site].isStrong) &&
                                  (isKnownByAll(reader, access) || isKnown(reader, access)));
}

/// Whether more lanes of the warp that read the same would find what the first two have found: they are noted, and each lane knows of the
/// writes.
bool MemoryShard::isSettled(CheckPage &page, const Access &access, std::uint32_t from,
                            std::uint32_t count) const {
  for (std::uint32_t cell = from / page.cellBytes; cell < (from + count) / page.cellBytes; ++cell)
    for (CellPlane<Moment> *plane : {&page.written, &page.updated, &page.alsoUpdated})
      if (plane->isThere() && plane->cells()[cell].isSomebody() &&
          !isKnownByAll(plane->cells()[cell], access))
        return false;
  return true;
}

void MemoryShard::end() {
  resolve();
  confirmOwners();
  confirmUnwritten();
  for (const std::uint64_t number : ofLaunch_) {
    const auto found = pages_.find(number);
    if (found == pages_.end())
      continue;
    if ((number & kShared) != 0) {
      pages_.erase(found);
      continue;
    }
    if (leavesPast(number)) {
      spread(found->second);
      keepPast(number, found->second);
    }
    leaveSectors(found->second);
    found->second.endLaunch(left_);
  }
  for (const std::uint64_t number : inTurn_)
    pages_.erase(number);
  inTurn_.clear();
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
  forgetPlaces();
  held_ = 0;
  if (left_.size() > kMostLeft)
    left_.resize(kMostLeft);
}

/// Shared memory of all blocks but the last one: where they come one after the other, they are over.
void MemoryShard::endBlocks() {
  std::erase_if(inTurn_, [this](std::uint64_t number) {
    if (blockOf(number) == lastBlock_)
      return false;
    const auto found = pages_.find(number);
    held_ -= found->second.cellsHeld();
    found->second.endLaunch(left_);
    pages_.erase(found);
    return true;
  });
  forgetPlaces();
}

void MemoryShard::hostReads(Act act, bool mayOverlap, const Range &range) {
  if (mayOverlap)
    forPages(range, [&](const Range &part) { hostTouches(act, false, part); });
}

void MemoryShard::hostFetches(Act act, const Range &range) {
  UnwrittenFetch fetch;
  forPages(range, [&](const Range &part) {
    const std::uint64_t number = part.begin >> kCheckPageShift, base = number << kCheckPageShift;
    const auto found = pages_.find(number);
    if (found != pages_.end())
      found->second.forUnwritten(
          static_cast<std::uint32_t>(part.begin - base), static_cast<std::uint32_t>(part.bytes()),
          [&](std::uint32_t from, std::uint32_t count) { fetch.add(base + from, count); });
    else if (!written_.has(number))
      fetch.add(part.begin, part.bytes());
  });
  if (fetch.bytes != 0)
    fetches_[act].add(fetch);
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

void MemoryShard::hostAccesses(const HostStep &step) {
  forKnownPages(step.range, [&](CheckPage &page, const Range &part) {
    hostAccessesIn(page, part.begin >> kCheckPageShift, step);
  });
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
    if ((*number & kShared) == 0 && leavesPast(*number)) {
      spread(page);
      keepPast(*number, page);
    }
    held_ -= page.cellsHeld();
    leaveSectors(page);
    page.endLaunch(left_);
    page.isEmptied = true;
    if ((*number & kShared) != 0)
      page.isWhollyWritten = true; // of what comes to it later, nothing is claimed
    emptied_.push_back(*number);
  }
  ofLaunch_.erase(ofLaunch_.begin(), kept);
  looks_.fill({});
  heldAtAge_ = held_;
}

} // namespace cupr::analysis
