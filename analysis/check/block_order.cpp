#include "block_order.h"


#include <algorithm>
#include <ranges>

namespace cupr::analysis {

namespace {

/// Of what blocks of a cluster leave for each other: addresses have the others.
constexpr unsigned kClusterClass = kPlaceClasses - 1;
/// Which are no numbers of barriers, nor objects in shared memory.
constexpr std::uint64_t kClusterBarrier = std::uint64_t{1} << 62, kMbarrier = std::uint64_t{1} << 63;
/// A set that can't be told apart any more: it holds all places, so everything may be handed over.
constexpr std::size_t kMostSets = 0xffff;
constexpr std::size_t kMostDivergent = 1000;

Places placeOf(std::uint64_t address, abi::MemorySpace space) {
  const std::uint64_t key = address / 4 * 2 + (space == abi::MemorySpace::Shared);
  return Places{1} << ((key * 0x9e3779b97f4a7c15u >> 40) % kClusterClass);
}

void raise(std::array<std::uint32_t, Knowledge::kWarps> &clocks,
           const std::array<std::uint32_t, Knowledge::kWarps> &more) {
  for (std::size_t i = 0; i < clocks.size(); ++i)
    clocks[i] = std::max(clocks[i], more[i]);
}

} // namespace

void BlockOrder::Left::add(const Clocks &more, Places places) {
  raise(clocks, more);
  acquired |= places;
}

BlockOrder::BlockOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks)
    : module_(module), threads_(threadsPerBlock), mostBlocks_(std::max<std::size_t>(mostBlocks, 1)) {
  known_[kKnowsAll].clocks.fill(UINT32_MAX);
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
    if (!block.released.empty())
      released_.emplace(entry.first, std::move(block.released));
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
  step.clock = 1;
  step.knowledge = 0;
  step.acquired = 0;
  const bool orders = site.isSynchronisation || (module_.mayHandOver && site.isStrong);
  if (!module_.isSynchronised ||
      (!orders && step.block != lastNumber_ && blocks_.find(step.block) == blocks_.end()))
    return; // a block that has done nothing yet that orders: it knows nothing
  if (!forgotten_.empty() && forgotten_.contains(step.block)) {
    step.knowledge = kKnowsAll;
    step.acquired = numberOf(~Places{0});
    return;
  }
  Block &block = blockOf(step.block);
  block.lastUse = batch_;
  if (step.warp >= block.warps.size())
    return;
  Warp &warp = block.warps[step.warp];
  if (warp.waits && (step.lanes & warp.waiting) != 0)
    goOn(warp);
  if (warp.acquiring | warp.acquiringDevice) {
    acquire(block, warp, warp.acquiring, warp.acquiringDevice);
    warp.acquiring = warp.acquiringDevice = 0;
  }
  number(warp);
  step.clock = warp.clock;
  step.knowledge = warp.number;
  step.acquired = numberOf(warp.acquired);
  if (site.isSynchronisation)
    synchronise(block, warp, step, site);
  else if (orders)
    handOver(block, warp, step, chunk, site);
}

/// What others may know of the warp and what it knows, from now on.
BlockOrder::Clocks BlockOrder::own(const Warp &warp, unsigned number) const {
  Clocks clocks = warp.known.clocks;
  clocks[number] = warp.clock + 1;
  return clocks;
}

void BlockOrder::number(Warp &warp) {
  if (warp.batch == batch_)
    return;
  warp.batch = batch_;
  warp.number = static_cast<std::uint32_t>(known_.size());
  known_.push_back(warp.known);
}

std::uint16_t BlockOrder::numberOf(Places acquired) {
  if (acquired == 0)
    return 0;
  const auto known = acquiredNumbers_.find(acquired);
  if (known != acquiredNumbers_.end())
    return known->second;
  if (acquired_.size() == kMostSets) { // the last one stands for all that come now
    acquired_.push_back(~Places{0});
    return kMostSets;
  }
  if (acquired_.size() > kMostSets)
    return kMostSets;
  const auto next = static_cast<std::uint16_t>(acquired_.size());
  acquired_.push_back(acquired);
  acquiredNumbers_.emplace(acquired, next);
  return next;
}

void BlockOrder::learn(Warp &warp, const Left &left) {
  raise(warp.known.clocks, left.clocks);
  warp.acquired |= left.acquired;
  warp.batch = 0;
}

/// The warp has passed the barrier that it waited at.
void BlockOrder::goOn(Warp &warp) {
  warp.waits->isPassed = true;
  learn(warp, *warp.waits);
  warp.waits.reset();
  warp.waiting = 0;
}

/// These lanes know each other's accesses so far.
void BlockOrder::meet(Warp &warp, std::uint32_t number, std::uint32_t lanes) {
  const std::uint32_t all = lanesOf(number);
  warp.batch = 0;
  if ((lanes & all) == all) {
    warp.known.met = warp.clock;
    warp.known.meetings.clear();
    return;
  }
  std::erase_if(warp.known.meetings,
                [&](const Knowledge::Meeting &meeting) { return (meeting.lanes & ~lanes) == 0; });
  warp.known.meetings.push_back({lanes, warp.clock});
}

void BlockOrder::arrive(Block &block, Warp &warp, const WarpStep &step, bool waits, std::uint64_t barrier) {
  std::shared_ptr<Left> &left = block.barriers[barrier];
  if (!left || left->isPassed)
    left = std::make_shared<Left>();
  const std::uint32_t thread =
      step.warp * abi::kLanes + static_cast<std::uint32_t>(__builtin_ctz(step.lanes));
  const SiteTraits &site = module_.sites[step.site];
  if (!left->hasFirst) {
    left->hasFirst = true;
    left->site = step.site;
    left->thread = thread;
  } else if (barrier == 0 && !left->isTold && site.operation == abi::Operation::Barrier &&
             module_.sites[left->site].operation == abi::Operation::Barrier &&
             module_.sites[left->site].barrier != site.barrier && divergent_.size() < kMostDivergent) {
    left->isTold = true;
    divergent_.push_back({step.block, step.site, thread, left->site, left->thread});
  }
  left->add(own(warp, step.warp), warp.acquired);
  ++warp.clock;
  meet(warp, step.warp, step.lanes);
  if (waits) {
    // Lanes that come apart, to one barrier, wait for the same.
    warp.waits = left;
    warp.waiting |= step.lanes;
  }
}

void BlockOrder::synchronise(Block &block, Warp &warp, const WarpStep &step, const SiteTraits &site) {
  switch (site.operation) {
  case abi::Operation::Barrier:
  case abi::Operation::BarrierArrive:
    // The low half is the number; what stands above says how many take part.
    arrive(block, warp, step, site.operation == abi::Operation::Barrier, step.base & 0xffffffffu);
    break;
  case abi::Operation::WarpBarrier:
    ++warp.clock;
    meet(warp, step.warp, step.lanes | static_cast<std::uint32_t>(step.base));
    break;
  case abi::Operation::ClusterArrive:
    release(block, own(warp, step.warp), warp.acquired, Places{1} << kClusterClass, true);
    arrive(block, warp, step, false, kClusterBarrier);
    break;
  case abi::Operation::ClusterWait:
    // Recorded in front: what others leave is there when it goes on.
    warp.acquired |= Places{1} << kClusterClass;
    if (const auto left = block.barriers.find(kClusterBarrier); left != block.barriers.end()) {
      warp.waits = left->second;
      warp.waiting = step.lanes;
    }
    warp.batch = 0;
    break;
  case abi::Operation::Fence:
    fence(block, warp, step.warp, site);
    break;
  case abi::Operation::MbarrierArrive: {
    std::shared_ptr<Left> &left = block.barriers[kMbarrier | step.base];
    if (!left)
      left = std::make_shared<Left>();
    left->add(own(warp, step.warp), warp.acquired);
    ++warp.clock;
    warp.batch = 0;
    break;
  }
  case abi::Operation::MbarrierWait:
    if (const auto left = block.barriers.find(kMbarrier | step.base); left != block.barriers.end())
      learn(warp, *left->second);
    // Lanes that have all found the phase over know what arrived, also of each other.
    ++warp.clock;
    meet(warp, step.warp, step.lanes);
    break;
  default:
    break;
  }
}

void BlockOrder::fence(Block &block, Warp &warp, unsigned number, const SiteTraits &site) {
  acquire(block, warp, warp.lookedBlock, site.isForDevice() ? warp.lookedDevice : 0);
  warp.lookedBlock = 0;
  if (site.isForDevice())
    warp.lookedDevice = 0;
  const Clocks clocks = own(warp, number);
  warp.fenced = std::make_unique<Clocks>(clocks);
  if (site.isForDevice())
    warp.fencedDevice = std::make_unique<Clocks>(clocks);
  warp.fencedAcquired = warp.acquired;
  ++warp.clock;
  warp.batch = 0;
}

/// An access that others may count on: what fences and its own order make of it.
void BlockOrder::handOver(Block &block, Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                          const SiteTraits &site) {
  Places places = 0;
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1)
    places |= placeOf(chunk.addressOf(step, static_cast<unsigned>(__builtin_ctz(left))), site.space);
  const bool isForDevice = site.isForDevice() && site.space == abi::MemorySpace::Global;
  if (site.writes) {
    if (site.releases) {
      release(block, own(warp, step.warp), warp.acquired, places, isForDevice);
      ++warp.clock;
      warp.batch = 0;
    } else if (warp.fenced) {
      if (isForDevice && warp.fencedDevice)
        release(block, *warp.fencedDevice, warp.fencedAcquired, places, true);
      release(block, *warp.fenced, warp.fencedAcquired, places, false);
    }
  }
  if (site.reads) {
    // Its record stands in front of it: what it finds is known at the next one.
    if (site.acquires) {
      warp.acquiring |= places;
      warp.acquiringDevice |= isForDevice ? places : 0;
    } else {
      warp.lookedBlock |= places;
      warp.lookedDevice |= isForDevice ? places : 0;
    }
  }
}

void BlockOrder::release(Block &block, const Clocks &clocks, Places acquired, Places places,
                         bool isForDevice) {
  for (Places left = places; left != 0; left &= left - 1) {
    const auto which = static_cast<unsigned>(std::countr_zero(left));
    block.places[which].add(clocks, acquired);
    if (!isForDevice)
      continue;
    block.released[which].add(clocks, acquired);
    for (Places from = acquired; from != 0; from &= from - 1)
      reached_[static_cast<std::size_t>(std::countr_zero(from))] |= Places{1} << which;
  }
}

void BlockOrder::acquire(Block &block, Warp &warp, Places forBlock, Places forDevice) {
  for (Places left = forBlock; left != 0; left &= left - 1)
    if (const auto found = block.places.find(static_cast<unsigned>(std::countr_zero(left)));
        found != block.places.end())
      learn(warp, found->second);
  warp.acquired |= forDevice;
  if (forBlock | forDevice) {
    // Each lane that looked knows what the others' looks have found, too: warps are not taken apart here.
    ++warp.clock;
    warp.known.met = warp.clock;
    warp.batch = 0;
  }
}

/// What the block has released for others; null: nothing.
const BlockOrder::Released *BlockOrder::releasedBy(std::uint32_t block) const {
  if (const auto found = blocks_.find(block); found != blocks_.end())
    return &found->second->released;
  const auto found = released_.find(block);
  return found == released_.end() ? nullptr : &found->second;
}

void BlockOrder::close() {
  for (unsigned through = 0; through < kPlaceClasses; ++through)
    for (Places &reached : reached_)
      if (reached >> through & 1)
        reached |= reached_[through];
}

bool BlockOrder::mayHandOver(const Moment &first, const Moment &second) const {
  const Places acquired = acquired_[second.acquired];
  const Released *const released = acquired == 0 ? nullptr : releasedBy(first.block);
  return released && std::ranges::any_of(*released, [&](const auto &entry) {
           return entry.second.clocks[first.warp()] > first.clock &&
                  ((Places{1} << entry.first | reached_[entry.first]) & acquired) != 0;
         });
}

bool BlockOrder::isReleased(const Moment &first) const {
  const Released *const released = releasedBy(first.block);
  return released && std::ranges::any_of(*released, [&](const auto &entry) {
           return entry.second.clocks[first.warp()] > first.clock;
         });
}

bool knows(const Knowledge &knowledge, unsigned warp, unsigned lane, const Moment &moment) {
  if (moment.warp() != warp)
    return moment.clock < knowledge.clocks[moment.warp()];
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
