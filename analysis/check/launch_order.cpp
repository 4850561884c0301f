#include "launch_order.h"

#include <tbb/parallel_for.h>

namespace cupr::analysis {

LaunchOrder::LaunchOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks,
                         bool areInOrder, const trace::Clusters &clusters)
    : module_(module), areInOrder_(areInOrder), threads_(threadsPerBlock), mostBlocks_(mostBlocks),
      clusters_(clusters) {}

/// What is known of a million blocks takes as long to free as to follow a batch.
LaunchOrder::~LaunchOrder() {
  tbb::parallel_for(std::size_t{0}, parts_.size(), [this](std::size_t part) { parts_[part].reset(); });
}

void LaunchOrder::beginBatch() {
  for (const std::unique_ptr<BlockOrder> &part : parts_)
    if (part)
      part->beginBatch();
}

void LaunchOrder::close() {
  LockPlaces locks;
  for (const std::unique_ptr<BlockOrder> &part : parts_) {
    if (!part)
      continue;
    locks |= part->locks();
    reach_.add(part->reach());
    reachInBlocks_.add(part->reachInBlocks());
    reachInCluster_.add(part->reachInCluster());
  }
  reach_.close();
  reachInBlocks_.close();
  reachInCluster_.close();
  locks_ = locks.all();
}

bool LaunchOrder::mayHandOver(const Moment &first, const Moment &second) const {
  return mayHandOver(first, second, ~Places{0});
}

bool LaunchOrder::mayHandOver(const Moment &first, const Moment &second, Places through) const {
  const bool inBlock = first.block == second.block;
  const BlockOrder &part = partOf(first.block);
  if (inBlock && part.isForgotten(first.block))
    return true;
  const Places acquired = isUntold(second) ? ~Places{0}
                          : inBlock        ? acquiredBy(second).inBlock
                                           : acquiredBy(second).fromBlocks;
  if (inBlock)
    return part.hasReleased(first, true, acquired & through, reachInBlocks_, 0);
  const Places handedOn = part.handedOn(first, reachInBlocks_);
  if (part.hasReleased(first, false, acquired & through, reach_, handedOn))
    return true;
  if (!clusters_.areThere())
    return false;
  const Places inCluster = isUntold(second) ? ~Places{0} : acquiredBy(second).fromCluster;
  return mayHandOverInCluster(first, handedOn, inCluster & through,
                              clusters_.areTogether(first.block, second.block));
}

/// Through places of the cluster, be it by way of others. The barrier of a cluster counts by its phases (isClusterBefore), and here only where
/// something else comes between; so does, for another cluster, what was handed over inside of one.
bool LaunchOrder::mayHandOverInCluster(const Moment &first, Places handedOn, Places acquired,
                                       bool areTogether) const {
  constexpr unsigned kBarrier = BlockOrder::kClusterClass;
  constexpr Places kBarrierPlace = Places{1} << kBarrier;
  return partOf(first.block).hasReleasedInCluster(first, handedOn, [&](unsigned place) {
    Places reached = reachInCluster_.beyond(place);
    if (areTogether && place != kBarrier)
      reached |= Places{1} << place;
    if (place == kBarrier) {
      bool comesBack = false;
      for (Places rest = reached & ~kBarrierPlace; rest != 0; rest &= rest - 1)
        comesBack = comesBack || (reachInCluster_.beyond(static_cast<unsigned>(std::countr_zero(rest))) &
                                  kBarrierPlace) != 0;
      if (!comesBack)
        reached &= ~kBarrierPlace;
    }
    return (reached & acquired) != 0;
  });
}

bool LaunchOrder::isClusterBefore(const Moment &first, const Moment &second) const {
  if (isUntold(first) || isUntold(second))
    return false;
  return partOf(first.block).hasArrivedBehind(first, acquiredBy(first).arrivals, acquiredBy(second).waits);
}

bool LaunchOrder::mayOutlive(std::uint32_t block, const Moment &first, Places signals) const {
  const BlockOrder &part = partOf(block);
  if (part.isForgotten(block) || isUntold(first) || (part.looked(block) & signals) != 0)
    return true;
  const Acquired last = part.lastAcquired(block);
  return acquiredBy(first).arrivals < last.waits ||
         partOf(first.block).hasArrivedBehind(first, acquiredBy(first).arrivals, last.waits) ||
         mayHandOverInCluster(first, partOf(first.block).handedOn(first, reachInBlocks_), last.fromCluster,
                              true);
}

bool LaunchOrder::areUnderLock(const Moment &first, const Moment &second) const {
  return !isUntold(first) && !isUntold(second) && commonLocks(first, second) != 0 &&
         !mayHandOver(first, second, ~locks_) && !mayHandOver(second, first, ~locks_);
}

bool LaunchOrder::isBehindLock(const Moment &first, const Moment &second) const {
  if (isUntold(first) || isUntold(second))
    return false;
  const Acquired &one = acquiredBy(first);
  return (one.lockedOnce & ~one.locks & acquiredBy(second).lockedOnce & locks_) != 0 &&
         !mayHandOver(first, second, ~locks_) && !mayHandOver(second, first, ~locks_);
}

std::vector<DivergentBarrier> LaunchOrder::divergent() const {
  std::vector<DivergentBarrier> all;
  for (const std::unique_ptr<BlockOrder> &part : parts_)
    if (part)
      all.insert(all.end(), part->divergent().begin(), part->divergent().end());
  return all;
}

std::vector<MissedMeeting> LaunchOrder::missedMeetings() const {
  std::vector<MissedMeeting> all;
  for (const std::unique_ptr<BlockOrder> &part : parts_)
    if (part)
      for (const MissedMeeting &missed : part->missedMeetings())
        all.push_back(missed);
  return all;
}

std::size_t LaunchOrder::missed() const {
  std::size_t missed = 0;
  for (const std::unique_ptr<BlockOrder> &part : parts_)
    missed += part ? part->missed() : 0;
  return missed;
}

} // namespace cupr::analysis
