#include "block_switch.h"

#include "poisoned_bytes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <sys/mman.h>

namespace cupr::cpu {

Block::Block(std::size_t stackBytes) : stacks_(stackBytes, kMaxLanes) {
  void *memory =
      mmap(nullptr, kSharedWindow, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  shared_ = memory == MAP_FAILED ? nullptr : static_cast<unsigned char *>(memory);
  for (unsigned lane = 0; lane < std::size(lanes_); ++lane)
    lanes_[lane] = {};
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    lanes_[lane].warp = &warps_[lane / 32];
    lanes_[lane].cursor = &logs_[lane / 32].end[lane % 32];
    lanes_[lane].bit = laneBit(lane);
    lanes_[lane].number = lane;
  }
}

Block::~Block() {
  if (shared_)
    munmap(shared_, kSharedWindow);
}

FiberPointer Block::startOn(unsigned char *top) {
  sanitizer::start(top, stacks_.bytes());
  return makeFiber(top, laneMain, this);
}

Failure Block::run(const LaunchShape &shape, const BlockPlace &place) {
  const std::uint64_t linear = place.linear;
  const bool newBlockShape =
      shape.block.x != shape_.block.x || shape.block.y != shape_.block.y || shape.block.z != shape_.block.z;
  shape_ = shape;
  cta_ = linear;
  threads_ = shape.block.x * shape.block.y * shape.block.z;
  warpCount_ = (threads_ + 31) / 32;
  alive_ = threads_;
  failure_ = Failure::None;
  message_.clear();
  if (newBlockShape)
    for (unsigned lane = 0; lane < threads_; ++lane)
      lanes_[lane].position = {
          {lane % shape.block.x, lane / shape.block.x % shape.block.y, lane / shape.block.x / shape.block.y},
          lane % 32};
  for (unsigned w = 0; w < warpCount_; ++w) {
    const unsigned lanes = threads_ - w * 32 < 32 ? threads_ - w * 32 : 32;
    const std::uint32_t all = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[w] = Warp{all, all, 0, 0, 0, 31};
    if (shape.sink)
      logs_[w].open();
  }
  barriersInUse_ = 0;
  readyWarps_ = warpCount_ == 32 ? ~0u : (1u << warpCount_) - 1;
  for (BarrierState &barrier : barriers_)
    if (barrier.arrived)
      barrier = BarrierState{};

  LaneState &state = __cupr_cpu_lane;
  const std::uint32_t sm = static_cast<std::uint32_t>(linear % kMultiprocessors);
  state.ctaid[0] = static_cast<std::uint32_t>(linear % shape.grid.x);
  state.ctaid[1] = static_cast<std::uint32_t>(linear / shape.grid.x % shape.grid.y);
  state.ctaid[2] = static_cast<std::uint32_t>(linear / shape.grid.x / shape.grid.y);
  state.ntid[0] = shape.block.x;
  state.ntid[1] = shape.block.y;
  state.ntid[2] = shape.block.z;
  state.nctaid[0] = shape.grid.x;
  state.nctaid[1] = shape.grid.y;
  state.nctaid[2] = shape.grid.z;
  state.sm = sm;
  cluster_ = place.cluster;
  clusterRank_ = place.rank;
  clusterPhase_ = clusterWaits_ = 0;
  clusterPending_ = alive_;
  hasArrivedAtCluster_ = false;
  if (cluster_) {
    std::fill_n(clusterWaiting_, warpCount_, 0);
    std::fill_n(arrivedInPhase_, threads_, 0);
  }
  const Dim3 &cluster = shape.cluster;
  const std::uint32_t size[] = {cluster.x, cluster.y, cluster.z};
  for (unsigned axis = 0; axis < 3; ++axis) {
    state.clusterNctaid[axis] = size[axis];
    state.clusterCtaid[axis] = state.ctaid[axis] % size[axis];
    state.clusterid[axis] = state.ctaid[axis] / size[axis];
    state.nclusterid[axis] = state.nctaid[axis] / size[axis];
  }
  state.clusterRank = clusterRank_;
  state.clusterBlocks = cluster.x * cluster.y * cluster.z;
  state.hasClusters = shape.hasClusters;
  state.clusterFrames = cluster_ ? cluster_->frames : nullptr;
  unsigned char *const frame = cluster_ ? cluster_->frames + clusterRank_ * kSharedWindow : shared_;
  state.shared = frame;
  std::fill_n(frame, kSharedReserved, std::uint8_t{0}); // as libraries find it
  state.dynamicShared = frame + kSharedReserved + shape.kernel->staticSharedBytes;
  state.dynamicSharedBytes = shape.dynamicSharedBytes;
  state.staticSharedBytes = shape.kernel->staticSharedBytes;
  state.stackLow = stacks_.low();
  state.stackHigh = stacks_.high();
  state.sharedBytes = kSharedReserved + shape.kernel->staticSharedBytes + shape.dynamicSharedBytes;
  state.poisonedBytes = PoisonedBytes::instance().table();
  state.pageShift = PoisonedBytes::instance().pageShift();
  state.marks = shape.merging == Merging::Lockstep;
  state.spins = 0;
  waits_ = 0;
  turns_ = longTurns_ = 0;
  std::fill_n(turnOf_, threads_, 0);
  state.gridWorkspace = reinterpret_cast<std::uint64_t>(shape.workspace);
  state.row = state.rowEnd = nullptr;
  records_.open(shape.sink, linear, sm);
  state.launch = 0; // no launch's number: the first access tells the buffer whose records come

  Block *outer = state.block;
  state.block = this;
  stackTop_[0] = stacks_.take();
  loadLane(0);
  change(&scheduler_, startOn(stackTop_[0]), stackTop_[0], sanitizer::Return::Expected, 0);
  state.block = outer;

  if (shape.sink) {
    for (unsigned w = 0; w < warpCount_; ++w)
      logs_[w].drain(~0u, w, records_);
    records_.flush();
  }
  if (counters_)
    handOnCounts();
  if (failure_ != Failure::None)
    for (unsigned lane = 0; lane < threads_; ++lane)
      if (stackTop_[lane]) {
        stacks_.give(stackTop_[lane]);
        stackTop_[lane] = nullptr;
        lanes_[lane].fiber = nullptr;
      }
  return failure_;
}

/// Adds what this block has counted to the launch's counters.
void Block::handOnCounts() {
  for (std::size_t site = 0; site < counts_.size(); ++site)
    if (counts_[site])
      std::atomic_ref(counters_[site]).fetch_add(counts_[site], std::memory_order_relaxed);
  counts_.clear();
  counters_ = nullptr;
}

void Block::laneMain(void *argument) {
  sanitizer::arrive(nullptr);
  Block &block = *static_cast<Block *>(argument);
  for (;;) {
    block.shape_.kernel->entry(block.shape_.arguments);
    if (!block.stepInWarp())
      block.leave(block.current());
  }
}

/// leave() for the common case: nobody waits, and the next lane of the warp starts.
inline bool Block::stepInWarp() {
  Lane &self = *lane_;
  Warp &warp = *self.warp;
  const std::uint32_t above = warp.ready & lanesAbove(self.number);
  if (!above || warp.atOperation || barriersInUse_ || cluster_)
    return false;
  const unsigned lane = (self.number & ~31u) + lowestLane(above);
  if (stackTop_[lane])
    return false;
  saveCursor();
  warp.ready &= ~self.bit;
  warp.alive &= ~self.bit;
  --alive_;
  stackTop_[lane] = stackTop_[self.number];
  stackTop_[self.number] = nullptr;
  self.fiber = nullptr;
  loadInWarp(lanes_[lane]);
  return true;
}

inline unsigned Block::next() {
  const std::uint32_t above = lane_->warp->ready & lanesAbove(current());
  return above ? (current() & ~31u) + lowestLane(above) : nextElsewhere();
}

/// Ends lane `self`. Returns, with another lane as the current one, when that lane
/// starts on the same stack.
CUPR_CPU_LEAVES_STACK void Block::leave(unsigned self) {
  saveCursor();
  const unsigned w = self / 32;
  Warp &warp = warps_[w];
  warp.ready &= ~laneBit(self);
  warp.alive &= ~laneBit(self);
  --alive_;
  for (std::uint32_t waiting = warp.atOperation; waiting; waiting &= waiting - 1)
    if (warp.atOperation & waiting & -waiting)
      completeWarpOperation(w, w * 32 + lowestLane(waiting));
  if (barriersInUse_)
    for (BarrierState &barrier : barriers_)
      openIfComplete(barrier);
  if (cluster_)
    leaveCluster(self);
  if (shape_.sink && !warp.alive)
    drainLog(w, ~0u);
  if (!alive_)
    endOfBlock(self, Failure::None);
  const unsigned lane = next();
  if (lane == kNoLane) {
    message_ = deadlockReport();
    endOfBlock(self, Failure::Deadlock);
  }
  unsigned char *stack = stackTop_[self];
  stackTop_[self] = nullptr;
  lanes_[self].fiber = nullptr;
  if (!stackTop_[lane]) {
    stackTop_[lane] = stack;
    loadLane(lane);
    return;
  }
  stacks_.give(stack);
  loadLane(lane);
  FiberPointer gone;
  change(&gone, lanes_[lane].fiber, stackTop_[lane], sanitizer::Return::Never, lanes_[lane].result);
  __builtin_unreachable();
}

CUPR_CPU_LEAVES_STACK void Block::endOfBlock(unsigned self, Failure failure) {
  failure_ = failure;
  stacks_.give(stackTop_[self]);
  stackTop_[self] = nullptr;
  lanes_[self].fiber = nullptr;
  FiberPointer gone;
  change(&gone, scheduler_, nullptr, sanitizer::Return::Never, 0);
  __builtin_unreachable();
}

/// The same where no lane above is ready in the warp.
unsigned Block::nextElsewhere() {
  unsigned w = current() / 32;
  std::uint32_t above = lanesAbove(current());
  while (!warps_[w].ready && !resolve(w)) {
    readyWarps_ &= ~laneBit(w);
    if (!readyWarps_ && !awaitCluster())
      return kNoLane;
    const std::uint32_t later = readyWarps_ & lanesAbove(w);
    w = lowestLane(later ? later : readyWarps_);
    above = ~0u;
  }
  const std::uint32_t ready = warps_[w].ready;
  return w * 32 + lowestLane(ready & above ? ready & above : ready);
}

/// Lets lanes go on that waited only for the rest of warp `w` to get no further.
bool Block::resolve(unsigned w) {
  Warp &warp = warps_[w];
  if (warp.atLog) {
    logs_[w].relieve(w, records_);
    for (std::uint32_t rest = warp.atLog; rest; rest &= rest - 1)
      if (!logs_[w].full(lowestLane(rest))) {
        warp.atLog &= ~laneBit(lowestLane(rest));
        warp.ready |= laneBit(lowestLane(rest));
      }
  } else if (warp.atActiveMask) {
    // Each in its turn: a lane may come back at once, and wait for what another one is to write.
    const std::uint32_t later = warp.atActiveMask & lanesAbove(warp.lastResolved);
    warp.lastResolved = lowestLane(later ? later : warp.atActiveMask);
    const void *place = operations_[w * 32 + warp.lastResolved].place;
    std::uint32_t group = 0;
    for (std::uint32_t rest = warp.atActiveMask; rest; rest &= rest - 1)
      if (operations_[w * 32 + lowestLane(rest)].place == place)
        group |= laneBit(lowestLane(rest));
    for (std::uint32_t rest = group; rest; rest &= rest - 1)
      lanes_[w * 32 + lowestLane(rest)].result = group;
    if (shape_.sink)
      logs_[w].drain(group, w, records_);
    warp.atActiveMask &= ~group;
    warp.ready |= group;
  }
  if (warp.ready)
    readyWarps_ |= 1u << w;
  return warp.ready != 0;
}

std::uint64_t Block::suspendForAnother() {
  saveCursor();
  const unsigned lane = next();
  if (lane == kNoLane) {
    message_ = deadlockReport();
    endOfBlock(current(), Failure::Deadlock);
  }
  return switchTo(lane);
}

std::uint64_t Block::switchTo(unsigned lane) {
  Lane &self = *lane_, &to = lanes_[lane];
  if (!stackTop_[lane]) {
    stackTop_[lane] = stacks_.take();
    to.fiber = startOn(stackTop_[lane]);
  }
  loadLane(lane);
  if (&to == &self)
    return to.result;
  return change(&self.fiber, to.fiber, stackTop_[lane], sanitizer::Return::Expected, to.result);
}

void Block::yield() {
  saveCursor();
  endIfTooLate();
  if (cluster_) {
    settleCluster();
    openCluster();
  }
  const unsigned w = current() / 32;
  // What a lane waits for is mostly another lane's near by. But lanes that wait together take turns in a pattern,
  // and one that all wait for may never be next in it: now and then it is the turn of who has waited longest.
  constexpr std::uint32_t kNearTurns = 64;
  if (++turns_ % kNearTurns == 0) {
    const unsigned lane = longestWaiting();
    waitedFor(lane);
    switchTo(lane);
    return;
  }
  if (const std::uint32_t above = warps_[w].ready & lanesAbove(current())) {
    const unsigned lane = w * 32 + lowestLane(above);
    waitedFor(lane);
    switchTo(lane);
    return;
  }
  resolve(w);
  for (unsigned step = 1; step <= warpCount_; ++step) {
    const unsigned other = (w + step) % warpCount_;
    if (warps_[other].ready || resolve(other)) {
      const unsigned lane = other * 32 + lowestLane(warps_[other].ready);
      waitedFor(lane);
      switchTo(lane);
      return;
    }
  }
}

/// The ready lane whose last such turn is the longest ago. There must be one, also of warps that are resolved.
unsigned Block::longestWaiting() {
  unsigned longest = kNoLane;
  for (unsigned w = 0; w < warpCount_; ++w) {
    if (!warps_[w].ready)
      resolve(w);
    for (std::uint32_t rest = warps_[w].ready; rest; rest &= rest - 1)
      if (const unsigned lane = w * 32 + lowestLane(rest);
          longest == kNoLane || turnOf_[lane] < turnOf_[longest])
        longest = lane;
  }
  turnOf_[longest] = ++longTurns_;
  return longest;
}

/// The running lane, which waits, is to be followed by `lane`. Lanes of a block may all wait for another block: then each
/// comes by here time after time, and one that is alone in it follows itself.
void Block::waitedFor(unsigned lane) {
  constexpr std::uint32_t kTimesEach = 16;
  waits_ += lane == current() ? alive_ : 1;
  if (waits_ < kTimesEach * alive_)
    return;
  waits_ = 0;
  if (!shape_.blocks->letOthersRun())
    endOfBlock(current(), Failure::GivenUp);
}

/// Ends a launch that waits for longer than it may.
void Block::endIfTooLate() {
  constexpr std::uint32_t kYieldsPerLook = 256;
  if (!shape_.timeoutSeconds || ++yields_ % kYieldsPerLook)
    return;
  if (std::chrono::steady_clock::now() - shape_.start < std::chrono::seconds(shape_.timeoutSeconds))
    return;
  const char *const where = lane_->where;
  fail(Failure::Timeout, "it still waits for another thread after the " +
                             std::to_string(shape_.timeoutSeconds) + " s of CUPR_CPU_TIMEOUT" +
                             (where ? std::string(", at ") + where : ""));
}

bool Block::makeRoom() {
  if (!shape_.sink)
    return false;
  lane_->warp->atLog |= lane_->bit;
  suspend();
  return true;
}

CUPR_CPU_LEAVES_STACK void Block::exitLane() {
  leave(current());
  // Another lane is to start on this stack, from its top: nothing returns to what
  // the ended lane left there.
  FiberPointer gone;
  unsigned char *const top = stackTop_[current()];
  change(&gone, startOn(top), top, sanitizer::Return::Never, 0);
  __builtin_unreachable();
}

void Block::fail(Failure failure, const std::string &what) {
  message_ = lanePlace() + ": " + what;
  saveCursor();
  endOfBlock(current(), failure);
}

void Block::drainLog(unsigned w, std::uint32_t mask) {
  if (!shape_.sink)
    return;
  const bool own = current() / 32 == w;
  logs_[w].drain(mask, w, records_);
  if (own)
    __cupr_cpu_lane.row = logs_[w].end[current() % 32];
}

} // namespace cupr::cpu
