/// What threads of a launch know of each other's accesses: its blocks in parts, each of which many threads may go through by itself.
///
/// Inside a block that is BlockOrder's. Between blocks nothing is replayed: what the parts have noted is put together when all records
/// were taken.
#ifndef CUPR_ANALYSIS_LAUNCH_ORDER_H
#define CUPR_ANALYSIS_LAUNCH_ORDER_H

#include "block_order.h"
#include "order_parts.h"

#include "hostlib/trace/clusters.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cupr::analysis {

class LaunchOrder {
public:
  /// See BlockOrder; `mostBlocks` of all parts.
  LaunchOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks,
              bool areInOrder, const trace::Clusters &clusters);
  ~LaunchOrder();
  LaunchOrder(const LaunchOrder &) = delete;
  LaunchOrder &operator=(const LaunchOrder &) = delete;

  const trace::Clusters &clusters() const { return clusters_; }

  /// Takes the records of its blocks. One thread at a time for each.
  BlockOrder &part(std::size_t number) {
    if (!parts_[number])
      parts_[number] = made();
    return *parts_[number];
  }
  void beginBatch();
  /// Of each block.
  std::uint32_t warps() const { return (threads_ + abi::kLanes - 1) / abi::kLanes; }
  const Knowledge &knowledge(const WarpStep &step) const { return knowledge(step.block, step.knowledge); }
  const Knowledge &knowledge(std::uint32_t block, std::uint32_t number) const {
    return partOf(block).knowledge(number);
  }
  /// The same moment, but of an asynchronous copy that has been waited for that wait's.
  Moment whenDone(Moment moment) const {
    if (moment.isOfCopy())
      if (const std::uint32_t done = partOf(moment.block).whenDone(moment.block, moment.warp(), moment.clock);
          done != BlockOrder::kNotDone)
        moment.clock = done;
    return moment;
  }
  /// At the end of a batch: see BlockOrder.
  WarpClocks::Clocks knownByAll(std::uint32_t block) const { return partOf(block).knownByAll(block); }

  /// When all records were taken, before what follows is asked.
  void close();
  /// Whether what came at the first moment may have been handed over to the second.
  bool mayHandOver(const Moment &first, const Moment &second) const;
  /// Whether both came under one lock, and nothing but locks may hand over what they did: that depends on whose turn was first then, which
  /// a trace does not say.
  bool areUnderLock(const Moment &first, const Moment &second) const;
  /// Whether the first came behind a lock that the second has, or has had, too, each of them once; and nothing but locks may hand over
  /// what they did.
  bool isBehindLock(const Moment &first, const Moment &second) const;
  /// Whether the second one had acquired a lock, as far as fences go, that both had.
  bool hasAcquiredLock(const Moment &first, const Moment &second) const {
    const Acquired &acquired = acquiredBy(second);
    const Places places = first.block == second.block ? acquired.inBlock : acquired.fromBlocks;
    return (places & commonLocks(first, second)) != 0;
  }
  /// Whether a barrier of the grid stands between the two, the first one in front; whether one may.
  bool isPhaseBefore(const Moment &first, const Moment &second) const {
    return !isUntold(first) && !isUntold(second) && acquiredBy(first).phase < acquiredBy(second).phase;
  }
  bool mayBePhasesApart(const Moment &first, const Moment &second) const {
    return isUntold(first) || isUntold(second) || acquiredBy(first).phase != acquiredBy(second).phase;
  }
  /// Whether a barrier of the cluster stands between the two, of which each is in another of its blocks, the first one in front.
  bool isClusterBefore(const Moment &first, const Moment &second) const;
  /// Whether one does, or may, in either order.
  bool mayClusterOrder(const Moment &first, const Moment &second) const {
    return isUntold(first) || isUntold(second) || isClusterBefore(first, second) ||
           isClusterBefore(second, first);
  }
  /// Whether a thread of the block may have waited for what came at this moment, in another block of its cluster, by barrier or otherwise:
  /// then it was still there. `signals`: what was done there is itself something to wait for, at these places.
  bool mayOutlive(std::uint32_t block, const Moment &first, Places signals) const;
  /// To other blocks, and from them.
  bool isReleased(const Moment &first) const { return partOf(first.block).isReleased(first); }
  bool hasAcquired(const Moment &second) const {
    constexpr Places kBarrier = Places{1} << BlockOrder::kClusterClass;
    return isUntold(second) ||
           ((acquiredBy(second).fromBlocks | acquiredBy(second).fromCluster) & ~kBarrier) != 0;
  }
  /// Whether pairs of accesses inside a block must be asked for, too.
  bool mayHandOverInBlocks() const { return module_.mayHandOver && (!areInOrder_ || module_.hasLocks); }

  /// By part.
  std::vector<DivergentBarrier> divergent() const;
  std::vector<MissedMeeting> missedMeetings() const;
  /// Blocks that went on when they had been taken for done: how many.
  std::size_t missed() const;

private:
  std::unique_ptr<BlockOrder> made() const {
    return std::make_unique<BlockOrder>(module_, threads_, mostBlocks_ / kOrderParts, areInOrder_,
                                        !clusters_.areKnown()  ? ClusterUse::NotKnown
                                        : clusters_.areThere() ? ClusterUse::Some
                                                               : ClusterUse::None);
  }
  const BlockOrder &partOf(std::uint32_t block) const {
    const std::unique_ptr<BlockOrder> &part = parts_[orderPartOf(block)];
    return part ? *part : *nobody_;
  }
  bool mayHandOver(const Moment &first, const Moment &second, Places through) const;
  bool mayHandOverInCluster(const Moment &first, Places handedOn, Places acquired, bool areTogether) const;
  Places commonLocks(const Moment &first, const Moment &second) const {
    return acquiredBy(first).locks & acquiredBy(second).locks & locks_;
  }
  static bool isUntold(const Moment &moment) { return moment.acquired == BlockOrder::kUntold; }
  const Acquired &acquiredBy(const Moment &moment) const {
    return partOf(moment.block).acquired(moment.acquired);
  }

  const ModuleTraits &module_;
  const bool areInOrder_;
  const std::uint32_t threads_;
  const std::size_t mostBlocks_;
  const trace::Clusters clusters_;
  std::array<std::unique_ptr<BlockOrder>, kOrderParts>
      parts_;                                         ///< of which anything is known: most launches are small
  const std::unique_ptr<BlockOrder> nobody_ = made(); ///< for the others
  PlaceReach reach_, reachInBlocks_, reachInCluster_; ///< of all parts, by way of others, too
  Places locks_ = 0;
};

} // namespace cupr::analysis

#endif
