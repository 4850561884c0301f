/// Operations of a warp's lanes together, and activemasks.
#include "block_switch.h"

namespace cupr::cpu {

namespace {

/// The source lane and whether it is in range: PTX ISA, "shfl.sync".
struct Source {
  unsigned lane;
  bool inRange;
};

Source shuffleSource(Shuffle mode, unsigned lane, std::uint32_t b, std::uint32_t c) {
  const unsigned segment = c >> 8 & 31, offset = b & 31;
  const unsigned highest = (lane & segment) | (c & 31 & ~segment);
  int source = 0;
  bool inRange = false;
  switch (mode) {
  case kShuffleUp:
    source = static_cast<int>(lane) - static_cast<int>(offset);
    inRange = source >= static_cast<int>(highest);
    break;
  case kShuffleDown:
    source = static_cast<int>(lane + offset);
    inRange = source <= static_cast<int>(highest);
    break;
  case kShuffleButterfly:
    source = static_cast<int>(lane ^ offset);
    inRange = source <= static_cast<int>(highest);
    break;
  case kShuffleIndex:
    source = static_cast<int>((lane & segment) | (offset & ~segment));
    inRange = source <= static_cast<int>(highest);
    break;
  }
  return {inRange ? static_cast<unsigned>(source) : lane, inRange};
}

} // namespace

[[gnu::always_inline]] inline std::uint64_t Block::meet(WarpOperation kind, unsigned mode, std::uint32_t mask,
                                                        std::uint32_t value, std::uint32_t source,
                                                        std::uint32_t clamp, std::uint64_t wide) {
  Lane &self = *lane_;
  Warp &warp = *self.warp;
  Operation &own = operations_[self.number];
  own.kind = kind;
  own.mode = static_cast<std::uint8_t>(mode);
  own.mask = mask | self.bit;
  own.value = value;
  own.source = source;
  own.clamp = clamp;
  own.wide = wide;
  warp.atOperation |= self.bit;
  // Only the last one to come calls anything.
  return own.mask & warp.alive & ~warp.atOperation ? suspend() : arriveLast(self);
}

std::uint64_t Block::arriveLast(Lane &self) {
  saveCursor();
  return completeWarpOperation(self.number / 32, self.number) ? self.result : suspend();
}

/// Carries out the operation at which `lane` waits if all its lanes are there.
bool Block::completeWarpOperation(unsigned w, unsigned lane) {
  Warp &warp = warps_[w];
  const Operation &own = operations_[lane];
  const std::uint32_t mask = own.mask & warp.alive;
  if ((warp.atOperation & mask) != mask)
    return false;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const Operation &other = operations_[w * 32 + lowestLane(rest)];
    if (other.mask != own.mask || other.kind != own.kind ||
        (own.kind == WarpOperation::Together && other.compute != own.compute))
      return false;
  }
  computeWarpOperation(w, mask);
  warp.atOperation &= ~mask;
  warp.ready |= mask;
  readyWarps_ |= 1u << w;
  // Lanes that are gone have nothing to come: their columns go along.
  if (shape_.sink)
    drainLog(w, mask == warp.alive ? ~0u : mask);
  return true;
}

void Block::computeWarpOperation(unsigned w, std::uint32_t mask) {
  Lane *lanes = lanes_ + w * 32;
  const Operation *operations = operations_ + w * 32;
  const WarpOperation kind = operations[lowestLane(mask)].kind;
  const unsigned mode = operations[lowestLane(mask)].mode;
  switch (kind) {
  case WarpOperation::Sync:
    return;
  case WarpOperation::Shuffle:
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const unsigned lane = lowestLane(rest);
      const Operation &own = operations[lane];
      const Source source = shuffleSource(static_cast<Shuffle>(own.mode), lane, own.source, own.clamp);
      const std::uint32_t value = (mask >> source.lane & 1u) ? operations[source.lane].value : own.value;
      lanes[lane].result = value | static_cast<std::uint64_t>(source.inRange) << 32;
    }
    return;
  case WarpOperation::Vote: {
    std::uint32_t ballot = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      ballot |= static_cast<std::uint32_t>(operations[lowestLane(rest)].value != 0) << lowestLane(rest);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const unsigned vote = operations[lowestLane(rest)].mode;
      lanes[lowestLane(rest)].result = vote == kVoteAll   ? ballot == mask
                                       : vote == kVoteAny ? ballot != 0
                                       : vote == kVoteUni ? ballot == mask || ballot == 0
                                                          : ballot;
    }
    return;
  }
  case WarpOperation::MatchAny: {
    std::uint64_t values[32];
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      values[lowestLane(rest)] = operations[lowestLane(rest)].wide;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      std::uint32_t same = 0;
      for (std::uint32_t others = mask; others; others &= others - 1)
        same |= static_cast<std::uint32_t>(values[lowestLane(others)] == values[lowestLane(rest)])
                << lowestLane(others);
      lanes[lowestLane(rest)].result = same;
    }
    return;
  }
  case WarpOperation::MatchAll: {
    bool same = true;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      same = same && operations[lowestLane(rest)].wide == operations[lowestLane(mask)].wide;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      lanes[lowestLane(rest)].result = same ? mask : 0;
    return;
  }
  case WarpOperation::Reduce: {
    std::uint32_t result = operations[lowestLane(mask)].value;
    for (std::uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
      const std::uint32_t value = operations[lowestLane(rest)].value;
      const std::int32_t a = static_cast<std::int32_t>(result), b = static_cast<std::int32_t>(value);
      switch (static_cast<Reduction>(mode)) {
      case kReduceAdd:
        result += value;
        break;
      case kReduceMin:
        result = static_cast<std::uint32_t>(a < b ? a : b);
        break;
      case kReduceMax:
        result = static_cast<std::uint32_t>(a > b ? a : b);
        break;
      case kReduceUmin:
        result = result < value ? result : value;
        break;
      case kReduceUmax:
        result = result > value ? result : value;
        break;
      case kReduceAnd:
        result &= value;
        break;
      case kReduceOr:
        result |= value;
        break;
      case kReduceXor:
        result ^= value;
        break;
      }
    }
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      lanes[lowestLane(rest)].result = result;
    return;
  }
  case WarpOperation::Together: {
    void *own[32] = {};
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      own[lowestLane(rest)] = reinterpret_cast<void *>(operations[lowestLane(rest)].wide);
    operations[lowestLane(mask)].compute(own, mask);
    return;
  }
  case WarpOperation::Elect:
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      lanes[lowestLane(rest)].result = lowestLane(mask);
    return;
  }
}

std::uint64_t Block::shuffle(Shuffle mode, std::uint32_t mask, std::uint32_t value, std::uint32_t lane,
                             std::uint32_t clamp) {
  return meet(WarpOperation::Shuffle, mode, mask, value, lane, clamp, 0);
}
std::uint32_t Block::vote(Vote vote, std::uint32_t mask, std::uint32_t predicate) {
  return static_cast<std::uint32_t>(meet(WarpOperation::Vote, vote, mask, predicate, 0, 0, 0));
}
std::uint32_t Block::matchAny(std::uint32_t mask, std::uint64_t value) {
  return static_cast<std::uint32_t>(meet(WarpOperation::MatchAny, 0, mask, 0, 0, 0, value));
}
std::uint32_t Block::matchAll(std::uint32_t mask, std::uint64_t value) {
  return static_cast<std::uint32_t>(meet(WarpOperation::MatchAll, 0, mask, 0, 0, 0, value));
}
std::uint32_t Block::reduce(Reduction reduction, std::uint32_t mask, std::uint32_t value) {
  return static_cast<std::uint32_t>(meet(WarpOperation::Reduce, reduction, mask, value, 0, 0, 0));
}
void Block::syncWarp(std::uint32_t mask) { meet(WarpOperation::Sync, 0, mask, 0, 0, 0, 0); }
std::uint32_t Block::elect(std::uint32_t mask) {
  return static_cast<std::uint32_t>(meet(WarpOperation::Elect, 0, mask, 0, 0, 0, 0));
}

void Block::together(void *own, Together compute) {
  operations_[current()].compute = compute;
  meet(WarpOperation::Together, 0, ~0u, 0, 0, 0, reinterpret_cast<std::uint64_t>(own));
}

std::uint32_t Block::activeMask(const void *place) {
  const unsigned self = current();
  operations_[self].place = place;
  warps_[self / 32].atActiveMask |= laneBit(self);
  return static_cast<std::uint32_t>(suspend());
}

void Block::step(const void *place) {
  operations_[lane_->number].place = place;
  lane_->warp->atActiveMask |= lane_->bit;
  // The warp may be waiting for another one, which must have its turn.
  constexpr std::uint32_t kStepsPerLook = 64;
  if (++steps_ % kStepsPerLook)
    suspend();
  else
    stepAside();
}

/// The running lane waits, and it is the turn of the one that has waited longest, of whatever warp.
void Block::stepAside() {
  saveCursor();
  endIfTooLate();
  lane_->warp->ready &= ~lane_->bit;
  const unsigned lane = longestWaiting(); // there is one: the warp is resolved
  waitedFor(lane);
  switchTo(lane);
}

namespace calls {

U64 ShuffleSync(U32 mode, U32 mask, U32 value, U32 lane, U32 clamp, Place place) {
  return Block::running()->at(place).shuffle(static_cast<Shuffle>(mode), mask, value, lane, clamp);
}
U32 VoteSync(U32 vote, U32 mask, U32 predicate, Place place) {
  return Block::running()->at(place).vote(static_cast<Vote>(vote), mask, predicate);
}
U32 MatchAny(U32 mask, U64 value, Place place) { return Block::running()->at(place).matchAny(mask, value); }
U32 MatchAll(U32 mask, U64 value, Place place) { return Block::running()->at(place).matchAll(mask, value); }
U32 ReduceSync(U32 reduction, U32 mask, U32 value, Place place) {
  return Block::running()->at(place).reduce(static_cast<Reduction>(reduction), mask, value);
}
void SyncWarp(U32 mask, Place place) { Block::running()->at(place).syncWarp(mask); }
U32 ElectSync(U32 mask, Place place) { return Block::running()->at(place).elect(mask); }
void Step(Place place) { Block::running()->at(place).step(__builtin_return_address(0)); }
U32 ActiveMask() { return Block::running()->activeMask(__builtin_return_address(0)); }

} // namespace calls

} // namespace cupr::cpu
