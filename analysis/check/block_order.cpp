#include "block_order.h"

#include <algorithm>
#include <ranges>

namespace cupr::analysis {

namespace {

/// Which is no number of a barrier.
constexpr std::uint64_t kClusterBarrier = std::uint64_t{1} << 62;
/// Of what its lanes know apart a warp keeps so much; of an mbarrier so many phases.
constexpr std::size_t kMostParts = 8, kMostPhases = 16;
/// Of the barrier of a cluster a block keeps so many.
constexpr std::size_t kMostClusterPhases = 1024;
/// Groups of copies that a warp may have on their way.
constexpr std::size_t kMostCopies = 64;
constexpr std::size_t kMostDivergent = 1000, kMostMissed = 1000;

} // namespace

void WarpClocks::raise(const WarpClocks &more) {
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    all[warp] = std::max(all[warp], more.all[warp]);
    some[warp] = std::max(some[warp], more.some[warp]);
    lanes[warp] |= more.lanes[warp];
  }
}

WarpClocks::Clocks Knowledge::atMost(WarpClocks::Clocks others, std::size_t warp) const {
  for (std::size_t of = 0; of < others.size(); ++of)
    others[of] = std::min(others[of], of == warp ? std::max(met, all.clocks.all[of]) : all.clocks.all[of]);
  return others;
}

BlockOrder::Left &BlockOrder::Mbarrier::current() {
  if (isOver) {
    isOver = false;
    phases.emplace_back();
    if (phases.size() > kMostPhases) {
      phases.pop_front();
      ++dropped;
    }
  }
  return phases.back();
}

/// Null: there is none any more.
const BlockOrder::Left *BlockOrder::Mbarrier::phase(std::uint64_t number) const {
  return number < dropped || number - dropped >= phases.size() ? nullptr : &phases[number - dropped];
}

BlockOrder::BlockOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks,
                       bool areInOrder, ClusterUse clusters)
    : module_(module), threads_(threadsPerBlock), mostBlocks_(std::max<std::size_t>(mostBlocks, 1)),
      areInOrder_(areInOrder), clusters_(clusters) {
  known_[kKnowsAll].all.clocks.all.fill(UINT32_MAX);
  known_[kKnowsAll].met = UINT32_MAX;
}

void BlockOrder::beginBatch() {
  known_.resize(2);
  ++batch_;
  if (blocks_.size() > mostBlocks_)
    forgetOldest();
}

/// Those that have done nothing for longest have probably ended; if not, nothing is claimed of what they do inside.
void BlockOrder::forgetOldest() {
  std::vector<std::uint32_t> uses;
  uses.reserve(blocks_.size());
  for (const auto &[number, block] : blocks_)
    uses.push_back(block->lastUse);
  const auto half = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
  std::ranges::nth_element(uses, half);
  last_ = nullptr;
  std::erase_if(blocks_, [&](auto &entry) {
    Block &block = *entry.second;
    if (block.lastUse > *half || block.lastUse + 1 >= batch_)
      return false;
    forgotten_.insert(entry.first);
    addMissed(entry.first, block, missedMeetings_);
    locks_ |= locksOf(block);
    if (!block.released.empty())
      released_.emplace(entry.first, std::move(block.released));
    if (!block.releasedInCluster.empty())
      releasedInCluster_.emplace(entry.first, std::move(block.releasedInCluster));
    return true;
  });
}

/// Those that the block has: its last warp may have fewer than 32.
std::uint32_t BlockOrder::lanesOf(std::uint32_t warp) const {
  const std::uint32_t first = warp * abi::kLanes;
  const std::uint32_t count = threads_ > first ? std::min<std::uint32_t>(threads_ - first, abi::kLanes) : 0;
  return count == abi::kLanes ? ~0u : (1u << count) - 1;
}

BlockOrder::Block &BlockOrder::blockOf(std::uint32_t number) {
  if (number == lastNumber_ && last_)
    return *last_;
  std::unique_ptr<Block> &block = blocks_[number];
  if (!block) {
    block = std::make_unique<Block>();
    block->warps.resize((threads_ + abi::kLanes - 1) / abi::kLanes);
  }
  lastNumber_ = number;
  return *(last_ = block.get());
}

void BlockOrder::take(WarpStep &step, const ChunkSteps &chunk) {
  const SiteTraits &site = module_.sites[step.site];
  const bool orders =
      site.isSynchronisation || site.isGridArrival || site.isCopied || (module_.mayHandOver && site.isStrong);
  if (!forgotten_.empty() && forgotten_.contains(step.block)) {
    step.knowledge = kKnowsAll;
    step.acquired = kUntold;
    missed_.insert(step.block);
    return;
  }
  if (!orders && step.block != lastNumber_ && blocks_.find(step.block) == blocks_.end())
    return; // a block that has done nothing yet that orders: it knows nothing
  Block &block = blockOf(step.block);
  block.lastUse = batch_;
  if (step.warp >= block.warps.size())
    return;
  Warp &warp = block.warps[step.warp];
  if (warp.waits && (step.lanes & warp.waiting) != 0)
    goOn(warp, step.warp);
  if ((warp.acquiring | warp.acquiringCluster | warp.acquiringDevice) != 0) {
    acquire(block, warp, step.warp, warp.acquiringLanes, warp.acquiring, warp.acquiringLocks,
            warp.acquiringCluster, warp.acquiringDevice);
    warp.acquiring = warp.acquiringLocks = warp.acquiringCluster = warp.acquiringDevice = 0;
    warp.acquiringLanes = 0;
  }
  if ((step.lanes & warp.clusterWaiting) != 0)
    passCluster(block, warp, step.warp);
  number(warp);
  step.clock = warp.clock | (site.isCopied ? Moment::kCopy : 0);
  step.knowledge = warp.number;
  Acquired acquired = warp.known.all.acquired;
  acquired.phase = block.phase;
  if ((step.lanes & ~warp.locking) == 0)
    acquired.locks = warp.locks;
  acquired.arrivals = arrivalsOf(warp, step.lanes);
  acquired.lockedOnce = lockedOnce(warp, step.lanes);
  if (site.isCoherent && (step.lanes & warp.seeing) != 0)
    acquired |= warp.seen;
  step.acquired = numberOf(acquired);
  for (const Knowledge::Part &part : warp.known.parts)
    if ((part.lanes & step.lanes) != 0 && part.acquired != Acquired{}) {
      acquired |= part.acquired;
      step.moreLanes |= part.lanes;
    }
  if (step.moreLanes != 0)
    step.more = numberOf(acquired);
  if (site.isGridArrival)
    ++block.phase;
  else if (site.isSynchronisation)
    synchronise(block, warp, step, chunk, site);
  else if (orders && !site.isCopied)
    handOver(block, warp, step, chunk, site);
}

/// What these lanes know, and what they have done so far.
BlockOrder::Left BlockOrder::own(const Warp &warp, unsigned number, std::uint32_t lanes) const {
  Left left{warp.known.all.clocks, warp.known.all.acquired};
  for (const Knowledge::Part &part : warp.known.parts)
    if ((part.lanes & lanes) != 0)
      left.add({part.clocks, part.acquired});
  WarpClocks &clocks = left.clocks;
  clocks.all[number] = std::max(clocks.all[number], warp.known.met);
  clocks.some[number] = warp.clock + 1;
  clocks.lanes[number] = lanes;
  if ((lanesOf(number) & ~lanes) == 0)
    clocks.all[number] = warp.clock + 1;
  else
    for (const Knowledge::Meeting &meeting : warp.known.meetings)
      if ((meeting.lanes & lanes) != 0)
        clocks.lanes[number] |= meeting.lanes;
  return left;
}

void BlockOrder::number(Warp &warp) {
  if (warp.batch == batch_)
    return;
  warp.batch = batch_;
  warp.number = static_cast<std::uint32_t>(known_.size());
  known_.push_back(warp.known);
}

std::uint16_t BlockOrder::numberOf(const Acquired &acquired) {
  if (acquired == lastNumbered_.first)
    return lastNumbered_.second;
  if (acquired == Acquired{})
    return 0;
  const auto known = acquiredNumbers_.find(acquired);
  if (known != acquiredNumbers_.end()) {
    lastNumbered_ = *known;
    return known->second;
  }
  if (acquired_.size() == kUntold)
    return kUntold;
  const auto next = static_cast<std::uint16_t>(acquired_.size());
  acquired_.push_back(acquired);
  acquiredNumbers_.emplace(acquired, next);
  return next;
}

/// How often these lanes have arrived at the cluster's barrier, at least.
std::uint32_t BlockOrder::arrivalsOf(const Warp &warp, std::uint32_t lanes) {
  std::uint32_t least = warp.arrivals ? UINT32_MAX : 0;
  for (std::uint32_t left = warp.arrivals ? lanes : 0; left != 0; left &= left - 1)
    least = std::min(least, (*warp.arrivals)[static_cast<unsigned>(__builtin_ctz(left))]);
  return least;
}

void BlockOrder::arriveAtCluster(Block &block, Warp &warp, const WarpStep &step, const SiteTraits &site) {
  // A fence before an arrival that orders nothing makes it one that does, of what was before the fence: more is taken for ordered.
  const bool releases = site.releases || warp.fenced;
  if (!hasClusters()) {
    if (clusters_ == ClusterUse::NotKnown)
      release(block, own(warp, step.warp, step.lanes), Places{1} << kClusterClass, HandOver::Device);
    return arrive(block, warp, step, false, kClusterBarrier, releases);
  }
  if (!warp.arrivals)
    warp.arrivals = std::make_unique<std::array<std::uint32_t, abi::kLanes>>();
  const std::uint32_t phase = arrivalsOf(warp, step.lanes);
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1)
    ++(*warp.arrivals)[static_cast<unsigned>(__builtin_ctz(left))];
  if (releases) {
    const Left left = own(warp, step.warp, step.lanes);
    release(block, left, Places{1} << kClusterClass, HandOver::Cluster);
    while (block.droppedArrivals + block.arrivals.size() <= phase) {
      block.arrivals.emplace_back();
      if (block.arrivals.size() > kMostClusterPhases) {
        block.arrivals.pop_front();
        ++block.droppedArrivals;
      }
    }
    if (phase >= block.droppedArrivals)
      block.arrivals[phase - block.droppedArrivals].add(left);
  }
  ++warp.clock;
  warp.batch = 0;
}

/// Recorded in front: what others leave is there when it goes on.
void BlockOrder::waitForCluster(Block &block, Warp &warp, const WarpStep &step) {
  if (hasClusters()) {
    // Who waits without having arrived since waits for nothing.
    warp.clusterWaiting |= step.lanes;
    for (std::uint32_t left = warp.arrivals ? step.lanes : 0; left != 0; left &= left - 1)
      warp.clusterPhases =
          std::max(warp.clusterPhases, (*warp.arrivals)[static_cast<unsigned>(__builtin_ctz(left))]);
    block.acquired.waits = std::max(block.acquired.waits, warp.clusterPhases);
    block.acquired.fromCluster |= Places{1} << kClusterClass;
    return;
  }
  if (clusters_ == ClusterUse::NotKnown)
    warp.known.all.acquired.fromBlocks |= Places{1} << kClusterClass;
  if (const auto meeting = block.barriers.find(kClusterBarrier); meeting != block.barriers.end()) {
    warp.waits = meeting->second;
    warp.waiting = step.lanes;
  }
  warp.batch = 0;
}

/// The warp has passed the cluster's barrier: it knows what its own block's threads knew who arrived there, and of others how far they were.
void BlockOrder::passCluster(const Block &block, Warp &warp, unsigned number) {
  Left left;
  if (warp.clusterPhases > block.droppedArrivals &&
      warp.clusterPhases - block.droppedArrivals <= block.arrivals.size())
    left = block.arrivals[warp.clusterPhases - block.droppedArrivals - 1];
  left.acquired.waits = std::max(left.acquired.waits, warp.clusterPhases);
  left.acquired.fromCluster |= Places{1} << kClusterClass;
  learn(warp, number, warp.clusterWaiting, left);
  warp.clusterWaiting = 0;
}

bool BlockOrder::hasArrivedBehind(const Moment &first, std::uint32_t arrivals, std::uint32_t phases) const {
  const auto found = blocks_.find(first.block);
  if (found == blocks_.end())
    return isForgotten(first.block) || arrivals < phases;
  const Block &block = *found->second;
  // Others of the block may still arrive in a phase that the thread itself has arrived in before.
  const std::uint32_t from = std::max(arrivals, 1u) - 1;
  if (from < block.droppedArrivals)
    return true;
  for (std::uint32_t phase = from; phase < phases; ++phase)
    if (const std::uint32_t at = phase - block.droppedArrivals;
        at < block.arrivals.size() && block.arrivals[at].clocks.hold(first))
      return true;
  return false;
}

Acquired BlockOrder::lastAcquired(std::uint32_t block) const {
  const auto found = blocks_.find(block);
  return found == blocks_.end() ? Acquired{} : found->second->acquired;
}

Places BlockOrder::looked(std::uint32_t block) const {
  const auto found = blocks_.find(block);
  return found == blocks_.end() ? 0 : found->second->looked;
}

void BlockOrder::learn(Warp &warp, unsigned number, std::uint32_t lanes, const Left &left) {
  warp.batch = 0;
  std::vector<Knowledge::Part> &parts = warp.known.parts;
  Knowledge::Part *to = &warp.known.all;
  if ((lanesOf(number) & ~lanes) != 0) {
    const auto same = std::ranges::find(parts, lanes, &Knowledge::Part::lanes);
    if (same != parts.end())
      to = &*same;
    else if (parts.size() < kMostParts)
      (to = &parts.emplace_back())->lanes = lanes;
  }
  to->clocks.raise(left.clocks);
  to->acquired |= left.acquired;
}

/// The warp has passed the barrier that it waited at.
void BlockOrder::goOn(Warp &warp, unsigned number) {
  warp.waits->isPassed = true;
  learn(warp, number, warp.waiting, warp.waits->left);
  warp.waits.reset();
  warp.waiting = 0;
}

/// These lanes know each other's accesses so far.
void BlockOrder::meet(Warp &warp, std::uint32_t number, std::uint32_t lanes) {
  const std::uint32_t all = lanesOf(number);
  Knowledge &known = warp.known;
  warp.batch = 0;
  if ((lanes & all) == all) {
    known.met = warp.clock;
    known.meetings.clear();
    for (const Knowledge::Part &part : known.parts) {
      known.all.clocks.raise(part.clocks);
      known.all.acquired |= part.acquired;
    }
    known.parts.clear();
    return;
  }
  for (Knowledge::Part &part : known.parts)
    if ((part.lanes & lanes) != 0)
      part.lanes |= lanes;
  std::erase_if(known.meetings,
                [&](const Knowledge::Meeting &meeting) { return (meeting.lanes & ~lanes) == 0; });
  known.meetings.push_back({lanes, warp.clock});
}

void BlockOrder::arrive(Block &block, Warp &warp, const WarpStep &step, bool waits, std::uint64_t barrier,
                        bool releases) {
  // Who says how many take part may mean some of the block, wherever they come.
  const bool isOfBlock = barrier == 0 && step.base >> 32 == 0;
  std::shared_ptr<Meeting> &meeting = block.barriers[barrier];
  if (!meeting || meeting->isPassed)
    meeting = std::make_shared<Meeting>();
  const std::uint32_t thread =
      step.warp * abi::kLanes + static_cast<std::uint32_t>(__builtin_ctz(step.lanes));
  const SiteTraits &site = module_.sites[step.site];
  if (isOfBlock && !meeting->hasFirst) {
    meeting->hasFirst = true;
    meeting->site = step.site;
    meeting->thread = thread;
  } else if (isOfBlock && site.operation == abi::Operation::Barrier &&
             module_.sites[meeting->site].operation == abi::Operation::Barrier &&
             module_.sites[meeting->site].barrier != site.barrier && divergent_.size() < kMostDivergent) {
    divergent_.push_back({step.block, step.site, thread, meeting->site, meeting->thread});
  }
  if (releases)
    meeting->left.add(own(warp, step.warp, step.lanes));
  ++warp.clock;
  if (releases)
    meet(warp, step.warp, step.lanes);
  if (waits) {
    // Lanes that come apart, to one barrier, wait for the same.
    warp.waits = meeting;
    warp.waiting |= step.lanes;
  }
}

/// Calls what(lanes, mask) of the step's lanes, those with one mask together: lanes of tiles come together, each with the mask of its own.
template <typename What>
static void forEachMask(const WarpStep &step, const ChunkSteps &chunk, const What &what) {
  for (std::uint32_t rest = step.lanes; rest != 0;) {
    const auto maskOf = [&](unsigned lane) {
      return static_cast<std::uint32_t>(chunk.addressOf(step, lane));
    };
    const std::uint32_t mask = maskOf(static_cast<unsigned>(__builtin_ctz(rest)));
    std::uint32_t lanes = 0;
    for (std::uint32_t left = rest; left != 0; left &= left - 1)
      if (const auto lane = static_cast<unsigned>(__builtin_ctz(left)); maskOf(lane) == mask)
        lanes |= 1u << lane;
    what(lanes, mask);
    rest &= ~lanes;
  }
}

/// What the lanes wait for each other at. Lanes that their mask does not name wait for nobody.
void BlockOrder::comeTogether(Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                              const SiteTraits &site) {
  const bool isOfBlock = site.operation == abi::Operation::Barrier && step.base == 0;
  if (!isOfBlock && !site.hasMask)
    return;
  if (!warp.meetings)
    warp.meetings = std::make_unique<WarpMeetings>(lanesOf(step.warp));
  if (isOfBlock)
    return warp.meetings->come(step.lanes, {site.operation, ~0u}, 1, step.site);
  const auto count = abi::isOfLanes(site.operation)
                         ? static_cast<std::uint32_t>(step.base >> abi::kLaneOperationsShift)
                         : 1u;
  forEachMask(step, chunk, [&](std::uint32_t lanes, std::uint32_t mask) {
    if ((lanes & mask) != 0)
      warp.meetings->come(lanes & mask, {site.operation, mask}, std::max(count, 1u), step.site);
  });
}

void BlockOrder::addMissed(std::uint32_t number, const Block &block, std::vector<MissedMeeting> &missed) {
  for (std::uint32_t i = 0; i < block.warps.size() && missed.size() < kMostMissed; ++i)
    if (const std::unique_ptr<WarpMeetings> &meetings = block.warps[i].meetings)
      if (const auto circle = meetings->circle())
        missed.push_back({number, circle->site, i * abi::kLanes + circle->lane, circle->otherSite,
                          i * abi::kLanes + circle->otherLane, circle->mask});
}

std::vector<MissedMeeting> BlockOrder::missedMeetings() const {
  std::vector<MissedMeeting> missed = missedMeetings_;
  for (const auto &[number, block] : blocks_)
    addMissed(number, *block, missed);
  return missed;
}

void BlockOrder::synchronise(Block &block, Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                             const SiteTraits &site) {
  if (module_.hasMasks)
    comeTogether(warp, step, chunk, site);
  switch (site.operation) {
  case abi::Operation::Barrier:
  case abi::Operation::BarrierArrive:
    // The low half is the number; what stands above says how many take part.
    arrive(block, warp, step, site.operation == abi::Operation::Barrier, step.base & 0xffffffffu);
    break;
  case abi::Operation::WarpBarrier:
    ++warp.clock;
    forEachMask(step, chunk,
                [&](std::uint32_t lanes, std::uint32_t mask) { meet(warp, step.warp, lanes | mask); });
    break;
  case abi::Operation::ClusterArrive:
    arriveAtCluster(block, warp, step, site);
    break;
  case abi::Operation::ClusterWait:
    waitForCluster(block, warp, step);
    break;
  case abi::Operation::Fence:
    fence(block, warp, step, site);
    break;
  case abi::Operation::CopyCommit:
    warp.copies.push_back(warp.clock++);
    if (warp.copies.size() > kMostCopies)
      warp.copies.erase(warp.copies.begin());
    break;
  case abi::Operation::CopyWait:
    waitForCopies(warp, step.base);
    break;
  case abi::Operation::MbarrierCopy: // which phase that is, is not followed
    waitForCopies(warp, 0);
    break;
  case abi::Operation::MbarrierInit:
    block.mbarriers.erase(step.base);
    break;
  case abi::Operation::MbarrierArrive: {
    if (hasClusters())
      release(block, own(warp, step.warp, step.lanes), placeOf(step.base, abi::MemorySpace::Shared),
              HandOver::Cluster);
    if (!areInOrder_) {
      release(block, own(warp, step.warp, step.lanes), placeOf(step.base, abi::MemorySpace::Shared),
              HandOver::Block);
      ++warp.clock;
      warp.batch = 0;
      break;
    }
    Mbarrier &mbarrier = block.mbarriers[step.base];
    mbarrier.current().add(own(warp, step.warp, step.lanes));
    std::vector<Warp::Arrival> &arrived = warp.arrived[step.base];
    for (Warp::Arrival &before : arrived)
      before.lanes &= ~step.lanes;
    std::erase_if(arrived, [](const Warp::Arrival &before) { return before.lanes == 0; });
    arrived.push_back({step.lanes, mbarrier.last()});
    ++warp.clock;
    warp.batch = 0;
    break;
  }
  case abi::Operation::MbarrierWait:
    waitForMbarrier(block, warp, step);
    break;
  default:
    break;
  }
}

/// All copies are done but those of so many groups: of 0, also those that are in no group, since that may be cp.async.wait_all. Lanes that
/// commit apart make groups of their own here, so that more counts as done than is.
void BlockOrder::waitForCopies(Warp &warp, std::uint64_t newest) {
  std::vector<std::uint32_t> &copies = warp.copies;
  const std::uint32_t clock = warp.clock++;
  if (newest == 0 || newest >= kMostCopies) {
    warp.copyWaits.push_back({clock, clock});
    copies.clear();
  } else if (newest < copies.size()) {
    const auto left = copies.end() - static_cast<std::ptrdiff_t>(newest);
    warp.copyWaits.push_back({left[-1], clock});
    copies.erase(copies.begin(), left);
  }
}

std::uint32_t BlockOrder::whenDone(std::uint32_t block, unsigned warp, std::uint32_t clock) const {
  const auto found = blocks_.find(block);
  if (found == blocks_.end())
    return 0; // forgotten: nothing is claimed
  const std::vector<Warp::Wait> &waits = found->second->warps[warp].copyWaits;
  const auto wait = std::ranges::lower_bound(waits, clock & ~Moment::kCopy, {}, &Warp::Wait::issued);
  return wait == waits.end() ? kNotDone : wait->clock;
}

/// Recorded behind the wait: all have arrived in the phase that a lane arrived in itself, or, if it hasn't, in the last one.
void BlockOrder::waitForMbarrier(Block &block, Warp &warp, const WarpStep &step) {
  const Places place = placeOf(step.base, abi::MemorySpace::Shared), forCluster = hasClusters() ? place : 0;
  if (!areInOrder_) {
    acquire(block, warp, step.warp, step.lanes, place, 0, forCluster, 0);
    ++warp.clock;
    return;
  }
  acquire(block, warp, step.warp, forCluster != 0 ? step.lanes : 0, 0, 0, forCluster, 0);
  const auto found = block.mbarriers.find(step.base);
  if (found == block.mbarriers.end() || found->second.phases.empty())
    return;
  Mbarrier &mbarrier = found->second;
  const std::uint64_t last = mbarrier.last();
  const auto wait = [&](std::uint32_t lanes, std::uint64_t phase) {
    const Left *const left = mbarrier.phase(phase);
    learn(warp, step.warp, lanes, left ? *left : mbarrier.phases.back());
    mbarrier.isOver = mbarrier.isOver || phase == last;
  };
  std::uint32_t rest = step.lanes;
  if (const auto arrived = warp.arrived.find(step.base); arrived != warp.arrived.end())
    for (const Warp::Arrival &arrival : arrived->second)
      if ((arrival.lanes & rest) != 0) {
        wait(arrival.lanes & rest, arrival.phase);
        rest &= ~arrival.lanes;
      }
  if (rest != 0)
    wait(rest, last);
  ++warp.clock;
}

WarpClocks::Clocks BlockOrder::knownByAll(std::uint32_t block) const {
  WarpClocks::Clocks known{};
  if (forgotten_.contains(block))
    known.fill(UINT32_MAX); // nothing will be claimed of it
  const auto found = blocks_.find(block);
  if (found == blocks_.end())
    return known;
  known.fill(UINT32_MAX);
  const std::vector<Warp> &warps = found->second->warps;
  for (std::size_t by = 0; by < warps.size(); ++by)
    known = warps[by].known.atMost(known, by);
  return known;
}

bool knows(const Knowledge &knowledge, unsigned warp, unsigned lane, const Moment &moment) {
  if (knowledge.all.clocks.hold(moment))
    return true;
  for (const Knowledge::Part &part : knowledge.parts)
    if ((part.lanes >> lane & 1) != 0 && part.clocks.hold(moment))
      return true;
  if (moment.warp() != warp)
    return false;
  if (moment.lane() == lane || moment.clock < knowledge.met)
    return true;
  // Through others: who met the one may have met this one later.
  std::uint32_t reached = 1u << moment.lane();
  for (const Knowledge::Meeting &meeting : knowledge.meetings)
    if (meeting.clock > moment.clock && (meeting.lanes & reached) != 0)
      reached |= meeting.lanes;
  return (reached >> lane & 1) != 0;
}

} // namespace cupr::analysis
