/// How a block goes from one of its lanes to the next: inline, for the calls that wait.
///
/// A kernel that has a barrier for every few instructions is ruled by this. Two things make it
/// cheap, besides few instructions:
///
/// - A switch is the last thing that a waiting call does (a tail call), so a lane that is come
///   back to goes on in the kernel at once. Returning through calls instead would mislead the
///   processor's predictor of returns, once for each: the calls that it remembers are those of
///   the lane that was left.
/// - A lane's stack lies in pages of its own and has mostly left the nearest caches when its
///   turn comes. So the stack of the lane after the next is asked for at each switch.
#ifndef CUPR_CPU_BLOCK_SWITCH_H
#define CUPR_CPU_BLOCK_SWITCH_H

#include "block.h"

namespace cupr::cpu {

constexpr std::uint32_t laneBit(unsigned lane) { return 1u << (lane % 32); }
inline unsigned lowestLane(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }
/// The lanes above one, of a warp.
constexpr std::uint32_t lanesAbove(unsigned lane) { return ~1u << (lane % 32); }

[[gnu::always_inline]] inline void Block::saveCursor() {
  if (shape_.sink)
    *lane_->cursor = __cupr_cpu_lane.row;
}

/// Makes `lane` the current one: its special registers and its column of the log. The current one is of the
/// same warp.
[[gnu::always_inline]] inline void Block::loadInWarp(Lane &lane) {
  lane_ = &lane;
  __cupr_cpu_lane.position = lane.position;
  if (shape_.sink)
    __cupr_cpu_lane.row = *lane.cursor;
}

/// The same, whatever the current one is.
inline void Block::loadLane(unsigned lane) {
  loadInWarp(lanes_[lane]);
  __cupr_cpu_lane.warp = lane / 32;
  if (shape_.sink)
    __cupr_cpu_lane.rowEnd = logs_[lane / 32].limit();
}

CUPR_CPU_LEAVES_STACK inline std::uint64_t Block::change(FiberPointer *from, FiberPointer to,
                                                         unsigned char *top, sanitizer::Return expected,
                                                         std::uint64_t result) {
  void *const left = sanitizer::leave(top, stacks_.bytes(), expected);
  const std::uint64_t own = cuprCpuSwitch(from, to, result);
  sanitizer::arrive(left);
  return own;
}

/// Most often the next lane is the one above.
[[gnu::always_inline]] inline std::uint64_t Block::suspend() {
  Lane &self = *lane_, &to = (&self)[1];
  Warp &warp = *self.warp;
  warp.ready &= ~self.bit;
  if (!(warp.ready & (self.bit << 1)) || !to.fiber)
    return suspendForAnother();
  __builtin_prefetch((&self)[2].fiber);
  saveCursor();
  loadInWarp(to);
  return change(&self.fiber, to.fiber, stackTop_[to.number], sanitizer::Return::Expected, to.result);
}

} // namespace cupr::cpu

#endif
