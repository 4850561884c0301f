/// Block at the barrier of its cluster.
///
/// The block tells its cluster that all its threads have arrived when they wait, or when nobody else can run, has ended or looks for what
/// others do: until then records of what came in front can still be handed over, so that a file has them in the barrier's order. It finds out
/// that a phase is over when it has nothing else to do, or when somebody looks.
#include "block_switch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cupr::cpu {

void Block::enterClusterPhase() {
  const std::uint32_t phase = cluster_->barrier.phase();
  if (phase == clusterPhase_)
    return;
  clusterPhase_ = phase;
  clusterPending_ = alive_;
  hasArrivedAtCluster_ = false;
}

void Block::clusterArrive() {
  enterClusterPhase();
  std::uint32_t &arrived = arrivedInPhase_[current()];
  if (arrived == clusterPhase_ + 1)
    fail(Failure::Deadlock,
         "it arrives twice at the cluster's barrier and has not waited, which is undefined on a GPU");
  arrived = clusterPhase_ + 1;
  --clusterPending_;
}

void Block::clusterWait() {
  openCluster(); // so that all who wait do so for one phase
  const std::uint32_t arrived = arrivedInPhase_[current()];
  if (cluster_->barrier.phase() >= arrived) // also of who has not arrived
    return;
  clusterWaitsFor_ = arrived;
  clusterWaiting_[current() / 32] |= laneBit(current());
  ++clusterWaits_;
  suspend();
}

/// Tells the cluster that all have arrived, once they have.
void Block::settleCluster() {
  enterClusterPhase();
  if (clusterPending_ != 0 || hasArrivedAtCluster_ || alive_ == 0)
    return;
  if (shape_.sink) {
    for (unsigned w = 0; w < warpCount_; ++w)
      if (clusterWaiting_[w])
        drainLog(w, clusterWaiting_[w] == warps_[w].alive ? ~0u : clusterWaiting_[w]);
    records_.flush();
  }
  hasArrivedAtCluster_ = true;
  if (cluster_->barrier.arrive(clusterRank_))
    shape_.blocks->advanced();
}

/// Lets those go on whose phase is over. False: there are none.
bool Block::openCluster() {
  if (!clusterWaits_ || cluster_->barrier.phase() < clusterWaitsFor_)
    return false;
  clusterWaits_ = 0;
  for (unsigned w = 0; w < warpCount_; ++w)
    if (const std::uint32_t waiting = std::exchange(clusterWaiting_[w], 0)) {
      warps_[w].ready |= waiting;
      readyWarps_ |= laneBit(w);
    }
  return true;
}

/// Nobody can run. Waits until the cluster lets some go on. False: there are none, or nothing ever will.
bool Block::awaitCluster() {
  if (!cluster_)
    return false;
  settleCluster();
  while (!openCluster()) {
    if (!clusterWaits_ || cluster_->barrier.isStuck(clusterRank_, clusterWaitsFor_))
      return false;
    endIfTooLate();
    if (!shape_.blocks->letOthersRun())
      endOfBlock(current(), Failure::GivenUp);
  }
  return true;
}

/// The lane has ended: the cluster does not wait for it.
void Block::leaveCluster(unsigned lane) {
  const std::uint32_t before = clusterPhase_;
  enterClusterPhase(); // counts those that are left
  if (before == clusterPhase_ && arrivedInPhase_[lane] != clusterPhase_ + 1)
    --clusterPending_;
  settleCluster();
}

namespace calls {

// A cluster of one block has the wait as its barrier.
void ClusterArrive(Place place) {
  if (Block &block = Block::running()->at(place); block.isInCluster())
    block.clusterArrive();
}
void ClusterWait(Place place) {
  constexpr U32 kOfCluster = 15;
  if (Block &block = Block::running()->at(place); block.isInCluster())
    block.clusterWait();
  else
    Barrier(kOfCluster, 0, kBarrierUnaligned, place);
}

Ptr MapShared(Ptr address, U32 rank) {
  const LaneState &state = __cupr_cpu_lane;
  if (!state.clusterFrames)
    return address;
  // Of a rank that there is not: in the frame that is nobody's.
  const std::uint64_t to = std::min(rank, state.clusterBlocks) * kSharedWindow;
  const auto from = static_cast<std::uint64_t>(static_cast<unsigned char *>(address) - state.clusterFrames);
  return state.clusterFrames + to + from % kSharedWindow;
}

U32 SharedRank(Ptr address) {
  const LaneState &state = __cupr_cpu_lane;
  const auto from = static_cast<std::uint64_t>(static_cast<unsigned char *>(address) - state.clusterFrames);
  return state.clusterFrames ? static_cast<U32>(from / kSharedWindow) : 0;
}

void Multicast(Ptr to, Ptr from, U32 bytes, Ptr mbarrier, U32 ranks) {
  for (U32 rank = 0; rank < __cupr_cpu_lane.clusterBlocks; ++rank)
    if (ranks >> rank & 1u) {
      std::memcpy(MapShared(to, rank), from, bytes);
      MbarrierComplete(MapShared(mbarrier, rank), bytes);
    }
}

} // namespace calls

} // namespace cupr::cpu
