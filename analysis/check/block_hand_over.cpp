/// BlockOrder: what threads hand each other through places in memory, by fences, releases and acquires.
#include "block_order.h"

#include "devicelib/abi/cluster_address.h"

#include <algorithm>

namespace cupr::analysis {

Places BlockOrder::placeOf(std::uint64_t address, abi::MemorySpace space) {
  if (space == abi::MemorySpace::Shared) // the same to all who reach it
    address = abi::offsetOfShared(address);
  const std::uint64_t key = address / 4 * 2 + (space == abi::MemorySpace::Shared);
  return Places{1} << ((key * 0x9e3779b97f4a7c15u >> 40) % kClusterClass);
}

void BlockOrder::fence(Block &block, Warp &warp, const WarpStep &step, const SiteTraits &site) {
  acquire(block, warp, step.warp, warp.looking & step.lanes, warp.lookedBlock, warp.lookedLocks,
          site.isForCluster() ? warp.lookedCluster : 0, site.isForDevice() ? warp.lookedDevice : 0);
  warp.lookedBlock = warp.lookedLocks = 0;
  if (site.isForCluster())
    warp.lookedCluster = 0;
  if (site.isForDevice())
    warp.lookedDevice = 0;
  if ((warp.lookedCluster | warp.lookedDevice) == 0)
    warp.looking = 0;
  const Left left = own(warp, step.warp, step.lanes);
  warp.fenced = std::make_unique<Left>(left);
  if (site.isForCluster() && hasClusters())
    warp.fencedCluster = std::make_unique<Left>(left);
  if (site.isForDevice())
    warp.fencedDevice = std::make_unique<Left>(left);
  ++warp.clock;
  warp.batch = 0;
}

/// For whose threads an access is there to count on. Only blocks of a cluster reach each other's shared memory.
HandOver BlockOrder::reachOf(const SiteTraits &site) const {
  if (site.isForDevice() && site.space == abi::MemorySpace::Global)
    return HandOver::Device;
  return site.isForCluster() && hasClusters() ? HandOver::Cluster : HandOver::Block;
}

/// An access that others may count on: what fences and its own order make of it.
void BlockOrder::handOver(Block &block, Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                          const SiteTraits &site) {
  Places places = 0;
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1)
    places |= placeOf(chunk.addressOf(step, static_cast<unsigned>(__builtin_ctz(left))), site.space);
  const HandOver reach = reachOf(site);
  const Places forDevice = reach == HandOver::Device ? places : 0,
               forCluster = hasClusters() && reach != HandOver::Block ? places : 0;
  if (site.writes)
    follow(warp, step, site, places);
  // Of an access that does both, others' releases come first.
  if (site.reads) {
    block.looked |= forCluster;
    if (!site.writes) // a look, with a fence behind it or not: the block is still there
      block.acquired.fromCluster |= forCluster;
    if (site.acquires && !areInOrder_) {
      acquire(block, warp, step.warp, step.lanes, places, site.takesLock ? places : 0, forCluster, forDevice);
    } else if (site.acquires) {
      // Its record may stand in front of those of what it finds: at the next one that is known.
      warp.acquiring |= places;
      warp.acquiringLocks |= site.takesLock ? places : 0;
      warp.acquiringCluster |= forCluster;
      warp.acquiringDevice |= forDevice;
      warp.acquiringLanes |= step.lanes;
    } else {
      warp.lookedBlock |= places;
      warp.lookedLocks |= site.takesLock ? places : 0;
      warp.lookedCluster |= forCluster;
      warp.lookedDevice |= forDevice;
      warp.looking |= step.lanes;
      if (module_.model == RaceModel::Scoped && !site.takesLock) {
        warp.seen |= Acquired{.fromBlocks = forDevice,
                              .inBlock = places,
                              .fromCluster = forCluster | (hasClusters() ? forDevice : 0)};
        warp.seeing |= step.lanes;
      }
    }
  }
  if (!site.writes)
    return;
  if (site.releases) {
    release(block, own(warp, step.warp, step.lanes), places, reach);
    ++warp.clock;
    warp.batch = 0;
  } else if (warp.fenced) {
    release(block, *warp.fenced, places, HandOver::Block);
    if (forCluster != 0 && warp.fencedCluster)
      release(block, *warp.fencedCluster, places, HandOver::Cluster);
    if (forDevice != 0 && warp.fencedDevice)
      release(block, *warp.fencedDevice, places, HandOver::Device);
  }
}

/// What a write means for the locks at these places.
void BlockOrder::follow(Warp &warp, const WarpStep &step, const SiteTraits &site, Places places) {
  if (site.takesLock) {
    warp.locks |= places;
    warp.taken |= places;
    warp.locking |= step.lanes;
    return;
  }
  if (!site.givesLock) {
    locks_.others |= places;
    return;
  }
  locks_.others |= places & ~warp.taken;
  warp.givenAgain |= std::has_single_bit(step.lanes) ? places & warp.given : places;
  warp.given |= places;
  warp.giving |= step.lanes;
  warp.locks &= ~places;
  if (warp.locks == 0)
    warp.locking = 0;
}

/// Acquired::lockedOnce.
Places BlockOrder::lockedOnce(const Warp &warp, std::uint32_t lanes) {
  Places once = 0;
  if ((lanes & ~warp.locking) == 0)
    once |= warp.locks & ~warp.given;
  if ((lanes & ~warp.giving) == 0)
    once |= warp.given & ~warp.givenAgain & ~warp.locks;
  return once;
}

LockPlaces BlockOrder::locksOf(const Block &block) {
  LockPlaces locks;
  for (const Warp &warp : block.warps)
    locks |= {warp.taken, warp.taken & ~warp.given};
  return locks;
}

LockPlaces BlockOrder::locks() const {
  LockPlaces locks = locks_;
  for (const auto &[number, block] : blocks_)
    locks |= locksOf(*block);
  return locks;
}

void BlockOrder::release(Block &block, const Left &left, Places places, HandOver reach) {
  const bool isForDevice = reach == HandOver::Device,
             isForCluster = reach != HandOver::Block && hasClusters();
  reachInBlocks_.note(left.acquired.inBlock, places);
  if (isForDevice)
    reach_.note(left.acquired.fromBlocks, places);
  if (isForCluster)
    reachInCluster_.note(left.acquired.fromCluster, places);
  for (Places rest = places; rest != 0; rest &= rest - 1) {
    const auto which = static_cast<unsigned>(std::countr_zero(rest));
    block.places[which].add(left);
    if (isForDevice)
      block.released[which].add(left);
    if (isForCluster)
      block.releasedInCluster[which].add(left);
  }
}

/// Of locks it is not counted on who had them first, though a GPU's records may say it: the other order must be one as well.
void BlockOrder::acquire(Block &block, Warp &warp, unsigned number, std::uint32_t lanes, Places forBlock,
                         Places locks, Places forCluster, Places forDevice) {
  if (lanes == 0)
    return;
  Left left;
  left.acquired.fromBlocks = forDevice;
  left.acquired.inBlock = areInOrder_ ? locks : forBlock;
  left.acquired.fromCluster = forCluster | (hasClusters() ? forDevice : 0);
  block.acquired.fromCluster |= left.acquired.fromCluster;
  for (Places rest = areInOrder_ ? forBlock & ~locks : 0; rest != 0; rest &= rest - 1)
    if (const auto found = block.places.find(static_cast<unsigned>(std::countr_zero(rest)));
        found != block.places.end())
      left.add(found->second);
  learn(warp, number, lanes, left);
}

/// What the block has released, for itself or for others; null: nothing.
const BlockOrder::Released *BlockOrder::releasedBy(std::uint32_t block, bool inBlock) const {
  if (const auto found = blocks_.find(block); found != blocks_.end())
    return inBlock ? &found->second->places : &found->second->released;
  const auto found = released_.find(block);
  return inBlock || found == released_.end() ? nullptr : &found->second;
}

bool BlockOrder::hasReleased(const Moment &first, bool inBlock, Places acquired, const PlaceReach &reach,
                             Places handedOn) const {
  const Released *const released = acquired == 0 ? nullptr : releasedBy(first.block, inBlock);
  return released && std::ranges::any_of(*released, [&](const auto &entry) {
           return entry.second.mayKnow(first, handedOn) && (reach.from(entry.first) & acquired) != 0;
         });
}

Places BlockOrder::handedOn(const Moment &first, const PlaceReach &reachInBlocks) const {
  if (isForgotten(first.block))
    return ~Places{0};
  Places places = 0;
  if (const Released *const released = releasedBy(first.block, true))
    for (const auto &[place, left] : *released)
      if (left.clocks.hold(first))
        places |= reachInBlocks.from(place);
  return places;
}

const BlockOrder::Released *BlockOrder::releasedInCluster(std::uint32_t block) const {
  if (const auto found = blocks_.find(block); found != blocks_.end())
    return &found->second->releasedInCluster;
  const auto found = releasedInCluster_.find(block);
  return found == releasedInCluster_.end() ? nullptr : &found->second;
}

bool BlockOrder::isReleased(const Moment &first) const {
  const Released *const released = releasedBy(first.block, false);
  return (released && std::ranges::any_of(
                          *released, [&](const auto &entry) { return entry.second.clocks.hold(first); })) ||
         hasReleasedInCluster(first, 0, [](unsigned place) { return place != kClusterClass; });
}

} // namespace cupr::analysis
