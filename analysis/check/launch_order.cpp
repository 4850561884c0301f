#include "launch_order.h"

#include <tbb/parallel_for.h>

namespace cupr::analysis {

LaunchOrder::LaunchOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks,
                         bool areInOrder)
    : module_(module), areInOrder_(areInOrder), threads_(threadsPerBlock), mostBlocks_(mostBlocks) {}

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
  }
  reach_.close();
  reachInBlocks_.close();
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
  return part.hasReleased(first, inBlock, acquired & through, inBlock ? reachInBlocks_ : reach_);
}

bool LaunchOrder::areUnderLock(const Moment &first, const Moment &second) const {
  return !isUntold(first) && !isUntold(second) && commonLocks(first, second) != 0 &&
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
