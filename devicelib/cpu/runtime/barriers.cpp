/// Block's barriers. What most calls do, to arrive and to leave for the next lane, is inline in one function
/// that calls nothing (block_switch.h); the last to arrive lets the others go on.
#include "block_switch.h"

#include <utility>

namespace cupr::cpu {

namespace {

/// The same pointer, in one register: the compiler would keep its parts in several, and save as many.
template <typename T> T *opaque(T *pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

} // namespace

inline void Block::arrive(BarrierState &barrier, std::uint32_t count) {
  barriersInUse_ += barrier.arrived++ == 0;
  barrier.count = count;
}

/// Arrives at the barrier and waits until it opens; then the lane's result.
[[gnu::always_inline]] inline std::uint64_t Block::waitAt(BarrierState &barrier, std::uint32_t count,
                                                          BarrierKind kind) {
  Lane &self = *lane_;
  BarrierState::AtWarp &here = *opaque(&barrier.warps[self.number / 32]);
  const char *const where = self.where;
  arrive(barrier, count);
  if (here.waiting == 0)
    here.where = where;
  else if (here.where != where && kind == kBarrierAligned)
    barrier.diverged |= laneBit(self.number / 32);
  here.waiting |= self.bit;
  return barrier.arrived < (count ? count : alive_) ? suspend() : arriveLast(barrier);
}

std::uint64_t Block::arriveLast(BarrierState &barrier) {
  saveCursor();
  openIfComplete(barrier);
  return lane_->result;
}

void Block::openIfComplete(BarrierState &barrier) {
  if (barrier.arrived == 0 || barrier.arrived < (barrier.count ? barrier.count : alive_))
    return;
  --barriersInUse_;
  for (unsigned w = 0; w < warpCount_; ++w)
    if (const std::uint32_t waiting = std::exchange(barrier.warps[w].waiting, 0)) {
      if (barrier.reduces)
        handOnReduced(barrier, w, waiting);
      if (barrier.diverged >> w & 1u)
        warnOfDivergentBarrier(w, waiting);
      warps_[w].ready |= waiting;
      readyWarps_ |= laneBit(w);
      drainLog(w, waiting == warps_[w].alive ? ~0u : waiting);
    }
  barrier.arrived = barrier.diverged = 0;
  barrier.reduces = false;
  barrier.popc = barrier.any = 0;
  barrier.all = 1;
}

void Block::handOnReduced(const BarrierState &barrier, unsigned w, std::uint32_t waiting) {
  for (std::uint32_t rest = waiting; rest; rest &= rest - 1) {
    const unsigned lane = w * 32 + lowestLane(rest), reduction = operations_[lane].mode;
    lanes_[lane].result = reduction == kBarrierPopc  ? barrier.popc
                          : reduction == kBarrierAnd ? barrier.all
                                                     : barrier.any;
  }
}

[[gnu::always_inline]] inline void Block::barrier(std::uint32_t number, std::uint32_t count,
                                                  BarrierKind kind) {
  waitAt(*opaque(&barriers_[number % kBarriers]), count, kind);
}

void Block::barrierArrive(std::uint32_t number, std::uint32_t count) {
  BarrierState &barrier = barriers_[number % kBarriers];
  arrive(barrier, count);
  saveCursor();
  openIfComplete(barrier);
}

[[gnu::always_inline]] inline std::uint32_t Block::barrierReduce(BarrierReduction reduction,
                                                                 std::uint32_t number, std::uint32_t count,
                                                                 std::uint32_t predicate) {
  BarrierState &barrier = barriers_[number % kBarriers];
  operations_[current()].mode = reduction;
  barrier.reduces = true;
  barrier.popc += predicate != 0;
  barrier.all &= predicate != 0;
  barrier.any |= predicate != 0;
  return static_cast<std::uint32_t>(waitAt(barrier, count, kBarrierUnaligned));
}

namespace calls {

void Barrier(U32 barrier, U32 count, U32 kind, Place place) {
  Block::running()->at(place).barrier(barrier, count, static_cast<BarrierKind>(kind));
}
void BarrierArrive(U32 barrier, U32 count) { Block::running()->barrierArrive(barrier, count); }
U32 BarrierReduce(U32 reduction, U32 barrier, U32 count, U32 predicate, Place place) {
  return Block::running()->at(place).barrierReduce(static_cast<BarrierReduction>(reduction), barrier, count,
                                                   predicate);
}

} // namespace calls

} // namespace cupr::cpu
