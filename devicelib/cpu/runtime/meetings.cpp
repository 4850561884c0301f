/// Block's meetings: warp operations and barriers.
#include "block.h"

namespace cupr::cpu {

namespace {

unsigned lowest(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

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

std::uint64_t Block::meet(Meeting meeting, unsigned mode, std::uint32_t mask, std::uint32_t value,
                          std::uint32_t source, std::uint32_t clamp, std::uint64_t wide) {
  const unsigned self = current_, w = self / 32;
  Lane &lane = lanes_[self];
  lane.meeting = meeting;
  lane.mode = static_cast<std::uint8_t>(mode);
  lane.mask = mask | 1u << (self % 32);
  lane.value = value;
  lane.source = source;
  lane.clamp = clamp;
  lane.wide = wide;
  warps_[w].atOperation |= 1u << (self % 32);
  if (shape_.sink)
    saveCursor();
  if (!completeMeeting(w, self))
    suspend(Wait::Warp);
  return lane.wide;
}

/// Carries out the operation at which `lane` waits if all its lanes are there.
bool Block::completeMeeting(unsigned w, unsigned lane) {
  Warp &warp = warps_[w];
  const Lane &own = lanes_[lane];
  const std::uint32_t mask = own.mask & warp.alive;
  if ((warp.atOperation & mask) != mask)
    return false;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const Lane &other = lanes_[w * 32 + lowest(rest)];
    if (other.mask != own.mask || other.meeting != own.meeting ||
        (own.meeting == Meeting::Together && other.compute != own.compute))
      return false;
  }
  computeMeeting(w, mask);
  warp.atOperation &= ~mask;
  warp.ready |= mask;
  readyWarps_ |= 1u << w;
  // Lanes that are gone have nothing to come: their columns go along.
  if (shape_.sink)
    drainLog(w, mask == warp.alive ? ~0u : mask);
  return true;
}

void Block::computeMeeting(unsigned w, std::uint32_t mask) {
  Lane *lanes = lanes_ + w * 32;
  const Meeting meeting = lanes[lowest(mask)].meeting;
  const unsigned mode = lanes[lowest(mask)].mode;
  switch (meeting) {
  case Meeting::Sync:
    return;
  case Meeting::Shuffle:
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const unsigned lane = lowest(rest);
      const Source source =
          shuffleSource(static_cast<Shuffle>(lanes[lane].mode), lane, lanes[lane].source, lanes[lane].clamp);
      const std::uint32_t value = (mask >> source.lane & 1u) ? lanes[source.lane].value : lanes[lane].value;
      lanes[lane].wide = value | static_cast<std::uint64_t>(source.inRange) << 32;
    }
    return;
  case Meeting::Vote: {
    std::uint32_t ballot = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      ballot |= static_cast<std::uint32_t>(lanes[lowest(rest)].value != 0) << lowest(rest);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      Lane &lane = lanes[lowest(rest)];
      lane.wide = lane.mode == kVoteAll   ? ballot == mask
                  : lane.mode == kVoteAny ? ballot != 0
                  : lane.mode == kVoteUni ? ballot == mask || ballot == 0
                                          : ballot;
    }
    return;
  }
  case Meeting::MatchAny: {
    std::uint64_t values[32];
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      values[lowest(rest)] = lanes[lowest(rest)].wide;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      std::uint32_t same = 0;
      for (std::uint32_t others = mask; others; others &= others - 1)
        same |= static_cast<std::uint32_t>(values[lowest(others)] == values[lowest(rest)]) << lowest(others);
      lanes[lowest(rest)].wide = same;
    }
    return;
  }
  case Meeting::MatchAll: {
    bool same = true;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      same = same && lanes[lowest(rest)].wide == lanes[lowest(mask)].wide;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      lanes[lowest(rest)].wide = same ? mask : 0;
    return;
  }
  case Meeting::Reduce: {
    std::uint32_t result = lanes[lowest(mask)].value;
    for (std::uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
      const std::uint32_t value = lanes[lowest(rest)].value;
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
      lanes[lowest(rest)].wide = result;
    return;
  }
  case Meeting::Together: {
    void *own[32] = {};
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      own[lowest(rest)] = reinterpret_cast<void *>(lanes[lowest(rest)].wide);
    lanes[lowest(mask)].compute(own, mask);
    return;
  }
  case Meeting::Elect:
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      lanes[lowest(rest)].wide = lowest(mask);
    return;
  }
}

std::uint64_t Block::shuffle(Shuffle mode, std::uint32_t mask, std::uint32_t value, std::uint32_t lane,
                             std::uint32_t clamp) {
  return meet(Meeting::Shuffle, mode, mask, value, lane, clamp, 0);
}
std::uint32_t Block::vote(Vote vote, std::uint32_t mask, std::uint32_t predicate) {
  return static_cast<std::uint32_t>(meet(Meeting::Vote, vote, mask, predicate, 0, 0, 0));
}
std::uint32_t Block::matchAny(std::uint32_t mask, std::uint64_t value) {
  return static_cast<std::uint32_t>(meet(Meeting::MatchAny, 0, mask, 0, 0, 0, value));
}
std::uint32_t Block::matchAll(std::uint32_t mask, std::uint64_t value) {
  return static_cast<std::uint32_t>(meet(Meeting::MatchAll, 0, mask, 0, 0, 0, value));
}
std::uint32_t Block::reduce(Reduction reduction, std::uint32_t mask, std::uint32_t value) {
  return static_cast<std::uint32_t>(meet(Meeting::Reduce, reduction, mask, value, 0, 0, 0));
}
void Block::syncWarp(std::uint32_t mask) { meet(Meeting::Sync, 0, mask, 0, 0, 0, 0); }
std::uint32_t Block::elect(std::uint32_t mask) {
  return static_cast<std::uint32_t>(meet(Meeting::Elect, 0, mask, 0, 0, 0, 0));
}

void Block::together(void *own, Together compute) {
  lanes_[current_].compute = compute;
  meet(Meeting::Together, 0, ~0u, 0, 0, 0, reinterpret_cast<std::uint64_t>(own));
}

std::uint32_t Block::activeMask(const void *place) {
  const unsigned self = current_;
  lanes_[self].place = place;
  warps_[self / 32].atActiveMask |= 1u << (self % 32);
  suspend(Wait::ActiveMask);
  return lanes_[self].mask;
}

void Block::arrive(BarrierState &barrier, std::uint32_t count, std::uint32_t predicate) {
  if (!barrier.used) {
    barrier = BarrierState{};
    barrier.used = true;
    barrier.all = 1;
    ++barriersInUse_;
  }
  ++barrier.arrived;
  barrier.count = count;
  barrier.popc += predicate != 0;
  barrier.all &= predicate != 0;
  barrier.any |= predicate != 0;
}

bool Block::openIfComplete(BarrierState &barrier) {
  if (!barrier.used || barrier.arrived < (barrier.count ? barrier.count : alive_))
    return false;
  const BarrierState open = barrier;
  barrier = BarrierState{};
  --barriersInUse_;
  for (unsigned w = 0; w < warpCount_; ++w) {
    if (!open.waiting[w])
      continue;
    for (std::uint32_t rest = open.waiting[w]; open.reduces && rest; rest &= rest - 1) {
      Lane &lane = lanes_[w * 32 + lowest(rest)];
      lane.value = lane.mode == kBarrierPopc ? open.popc : lane.mode == kBarrierAnd ? open.all : open.any;
    }
    if (open.diverged >> w & 1u)
      warnOfDivergentBarrier(w, open.waiting[w]);
    warps_[w].ready |= open.waiting[w];
    readyWarps_ |= 1u << w;
    drainLog(w, open.waiting[w] == warps_[w].alive ? ~0u : open.waiting[w]);
  }
  return true;
}

/// Arrives at the barrier and waits until it opens.
void Block::waitAt(std::uint32_t number, std::uint32_t count, std::uint32_t predicate, bool reduces) {
  BarrierState &barrier = barriers_[number % 16];
  const unsigned self = current_;
  arrive(barrier, count, predicate);
  barrier.reduces = barrier.reduces || reduces;
  barrier.waiting[self / 32] |= 1u << (self % 32);
  barrier.where[self / 32] = lanes_[self].where;
  lanes_[self].barrier = static_cast<std::uint8_t>(number % 16);
  saveCursor();
  if (!openIfComplete(barrier))
    suspend(Wait::Barrier);
}

void Block::barrier(std::uint32_t number, std::uint32_t count, BarrierKind kind) {
  BarrierState &barrier = barriers_[number % 16];
  const unsigned w = current_ / 32;
  const char *const where = lanes_[current_].where;
  if (kind == kBarrierAligned && barrier.waiting[w] && barrier.where[w] != where)
    barrier.diverged |= 1u << w;
  waitAt(number, count, 0, false);
}

void Block::barrierArrive(std::uint32_t number, std::uint32_t count) {
  BarrierState &barrier = barriers_[number % 16];
  arrive(barrier, count, 0);
  saveCursor();
  openIfComplete(barrier);
}

std::uint32_t Block::barrierReduce(BarrierReduction reduction, std::uint32_t number, std::uint32_t count,
                                   std::uint32_t predicate) {
  const unsigned self = current_;
  lanes_[self].mode = reduction;
  waitAt(number, count, predicate, true);
  return lanes_[self].value;
}

} // namespace cupr::cpu
