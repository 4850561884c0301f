/// Runs one block after the other on the calling host thread: its lanes as
/// fibers, their warp operations, and what they record.
///
/// Terms. A lane is *ready* (may run), *waiting* (at a warp operation, a barrier,
/// an activemask, or with a full access log), or *gone*. A warp operation happens
/// when all lanes of its mask that are not gone wait at it. A barrier opens when
/// as many lanes as it counts have arrived; for a barrier of all, lanes that are
/// gone don't count.
///
/// Order. A lane runs until it waits or ends; then the next ready lane of its
/// warp, in cyclic order, then the next warps'. Lanes start in ascending order, and
/// a lane that starts where another ended takes over its stack: a kernel that never
/// waits is a plain loop. So one block is deterministic.
///
/// `__activemask()` and full logs are resolved when no lane of the warp is ready:
/// the waiting lanes with the same call of `__activemask()` are each other's mask.
///
/// When no lane can run and some are left, the block is deadlocked: that is
/// reported, and the block is given up. When those that can run only look again and again for what another block
/// is to write, other blocks have their turn (resident_blocks.h).
#ifndef CUPR_CPU_BLOCK_H
#define CUPR_CPU_BLOCK_H

#include "access_log.h"
#include "cluster.h"
#include "devicelib/abi/trace_argument.h"
#include "fiber.h"
#include "lane_state.h"
#include "resident_blocks.h"
#include "runtime_calls.h"
#include "stack_sanitizing.h"

#include <chrono>
#include <string>
#include <vector>

namespace cupr::cpu {

/// Why a launch failed.
enum class Failure {
  None,
  NoMemory,
  Deadlock,
  Trap,
  Assert,
  Unsupported,
  IllegalAddress,
  MisalignedAddress,
  Timeout,
  GivenUp ///< another block has failed
};

/// How the lanes of a warp that parted in a loop come together again in its records (CUPR_CPU_MODE).
enum class Merging {
  Lockstep, ///< after each iteration, as on a GPU (retarget/iteration_marks.cpp)
  Fast      ///< wherever they are at the same site, be it in different iterations
};

/// What all blocks of one launch have in common.
struct LaunchShape {
  const abi::CpuKernel *kernel;
  void **arguments;
  Dim3 grid, block;
  std::uint32_t dynamicSharedBytes;
  abi::RecordSink *sink;
  GridWorkspace *workspace; ///< null unless the launch is cooperative
  ResidentBlocks *blocks;   ///< the running one among them
  unsigned timeoutSeconds;  ///< after `start`, a thread that waits for another one ends the launch; 0: never
  std::chrono::steady_clock::time_point start;
  int device; ///< that it is for
  Merging merging = Merging::Lockstep;
  Dim3 cluster = {1, 1, 1}; ///< blocks that see each other's shared memory, and start together
  bool hasClusters = false; ///< the program has said how large they are
};

inline constexpr unsigned kMaxLanes = 1024;
inline constexpr unsigned kMaxWarps = kMaxLanes / 32;
inline constexpr std::uint32_t kSharedPerBlock = 227 * 1024;

class Block {
public:
  explicit Block(std::size_t stackBytes);
  ~Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Whether there was memory for it. If not, it can't run anything.
  bool exists() const { return stacks_.exists() && shared_; }

  /// Runs a block of the launch to its end.
  Failure run(const LaunchShape &shape, const BlockPlace &place);

  /// The linear number of the block that runs.
  std::uint64_t cta() const { return cta_; }
  /// The number of the lane that runs in it.
  unsigned thread() const { return lane_->number; }

  /// What to tell the user about the last run's failure.
  const std::string &message() const { return message_; }

  /// The block that the calling host thread is running, or null.
  static Block *running() { return __cupr_cpu_lane.block; }

  // What lanes call (runtime_calls.def).
  /// The running lane is at `where`, in case it has to wait there. Returns the block.
  Block &at(const char *where) {
    lane_->where = where;
    return *this;
  }
  std::uint64_t shuffle(Shuffle mode, std::uint32_t mask, std::uint32_t value, std::uint32_t lane,
                        std::uint32_t clamp);
  std::uint32_t vote(Vote vote, std::uint32_t mask, std::uint32_t predicate);
  std::uint32_t matchAny(std::uint32_t mask, std::uint64_t value);
  std::uint32_t matchAll(std::uint32_t mask, std::uint64_t value);
  std::uint32_t reduce(Reduction reduction, std::uint32_t mask, std::uint32_t value);
  void syncWarp(std::uint32_t mask);
  std::uint32_t elect(std::uint32_t mask);
  /// All lanes of the warp meet; `compute` is called once, with what each lane has brought, by lane.
  using Together = void (*)(void *const *lanes, std::uint32_t mask);
  void together(void *own, Together compute);
  std::uint32_t activeMask(const void *place);
  void step(const void *place);
  void barrier(std::uint32_t barrier, std::uint32_t count, BarrierKind kind);
  void barrierArrive(std::uint32_t barrier, std::uint32_t count);
  std::uint32_t barrierReduce(BarrierReduction reduction, std::uint32_t barrier, std::uint32_t count,
                              std::uint32_t predicate);
  bool isInCluster() const { return cluster_ != nullptr; }
  /// At the barrier of the cluster (cluster_waits.cpp).
  void clusterArrive();
  void clusterWait();
  /// Lets every other ready lane run before this one goes on.
  void yield();
  [[noreturn]] void exitLane();
  /// Reports `what` with kernel, block and lane, and gives the block up.
  [[noreturn]] void fail(Failure failure, const std::string &what);
  /// The calling lane's row is the log's end: makes room. False: record nothing.
  bool makeRoom();
  /// The row that the calling lane has just written is a range of `bytes`.
  void noteBytes(const LogRow *row, std::uint64_t bytes) {
    logs_[lane_->number / 32].bytesOf(row, lane_->number % 32) = bytes;
  }
  void noteValues(const LogRow *row, std::uint32_t packed, const std::uint64_t *pieces) {
    RowValues &values = logs_[lane_->number / 32].valuesOf(row);
    const unsigned lane = lane_->number % 32;
    values.what[lane] = packed;
    for (unsigned i = 0; i < abi::piecesOf(abi::unpackValues(packed).shape); ++i)
      values.piece[i][lane] = pieces[i];
  }
  /// ... and is an access in this space that is timed.
  void noteSpace(const LogRow *row, abi::MemorySpace space) {
    logs_[lane_->number / 32].valuesOf(row).space[lane_->number % 32] = space;
  }
  /// Where an address on the calling lane's stack lies in it, counted from its lowest byte.
  std::uint64_t placeInStack(const void *address) const {
    return static_cast<std::uint64_t>(static_cast<const unsigned char *>(address) -
                                      (stackTop_[lane_->number] - stacks_.bytes()));
  }
  /// The accesses that follow belong to `launch`.
  void noteLaunch(std::uint64_t launch) { records_.launch(launch); }
  /// Counts an access of the calling lane (Trace::tally): here first, for blocks run side by side.
  void count(const Trace &trace, std::uint32_t site) {
    counters_ = trace.tally;
    if (counts_.size() < trace.tallyWords)
      counts_.resize(trace.tallyWords);
    if (site < trace.tallyWords)
      ++counts_[site];
  }

private:
  enum class WarpOperation : std::uint8_t {
    Shuffle,
    Vote,
    MatchAny,
    MatchAll,
    Reduce,
    Sync,
    Elect,
    Together
  };

  struct Warp {
    std::uint32_t ready, alive;
    std::uint32_t atOperation, atActiveMask, atLog;
    unsigned lastResolved; ///< the lane whose activemask was resolved last
  };
  /// What every switch between lanes touches: one line of the cache.
  struct alignas(64) Lane {
    LanePosition position;
    FiberPointer fiber;   ///< null: has not started, or runs and has not waited so far, or is gone
    std::uint64_t result; ///< what the call that it waits in returns
    const char *where;    ///< in the source, where it last might have waited; or null
    Warp *warp;
    LogRow **cursor; ///< where its log keeps the next free row
    std::uint32_t bit, number;
  };
  /// What a lane brings to a warp operation, an activemask or a barrier that reduces.
  struct Operation {
    WarpOperation kind;
    std::uint8_t mode; ///< Shuffle, Vote, Reduction, BarrierReduction
    std::uint32_t mask, value, source, clamp;
    std::uint64_t wide; ///< the value of match operations
    const void *place;  ///< of an activemask
    Together compute;
  };
  /// As it is when nobody has arrived.
  struct BarrierState {
    std::uint32_t arrived = 0, count = 0; ///< count 0: all
    bool reduces = false;
    std::uint32_t popc = 0, all = 1, any = 0;
    std::uint32_t diverged = 0; ///< warps whose lanes wait at it in different places, which they may not
    struct AtWarp {
      std::uint32_t waiting;
      const char *where; ///< the first of them
    } warps[kMaxWarps] = {};
  };
  static constexpr unsigned kBarriers = 16;

  static void laneMain(void *block);
  bool stepInWarp();
  void saveCursor();
  void loadInWarp(Lane &lane);
  void loadLane(unsigned lane);
  unsigned current() const { return lane_->number; }
  /// The lane to run after the current one, or kNoLane.
  unsigned next();
  unsigned nextElsewhere();
  bool resolve(unsigned warp);
  /// Leaves the current lane until something lets it go on; then its result. This and what follows are the
  /// last that a function does: the switch then comes back to whoever called that.
  std::uint64_t suspend();
  /// The same where the next lane has to be looked for, or has not started.
  std::uint64_t suspendForAnother();
  std::uint64_t switchTo(unsigned lane);
  /// Switches stacks: to the fiber on the stack with this top, null for the host thread's own.
  std::uint64_t change(FiberPointer *from, FiberPointer to, unsigned char *top, sanitizer::Return expected,
                       std::uint64_t result);
  /// A fiber for a lane that starts at the top of this stack.
  FiberPointer startOn(unsigned char *top);
  void leave(unsigned lane);
  [[noreturn]] void endOfBlock(unsigned self, Failure failure);
  std::uint64_t meet(WarpOperation kind, unsigned mode, std::uint32_t mask, std::uint32_t value,
                     std::uint32_t source, std::uint32_t clamp, std::uint64_t wide);
  std::uint64_t arriveLast(Lane &self);
  bool completeWarpOperation(unsigned warp, unsigned lane);
  void computeWarpOperation(unsigned warp, std::uint32_t mask);
  void arrive(BarrierState &barrier, std::uint32_t count);
  std::uint64_t waitAt(BarrierState &barrier, std::uint32_t count, BarrierKind kind);
  std::uint64_t arriveLast(BarrierState &barrier);
  void openIfComplete(BarrierState &barrier);
  void handOnReduced(const BarrierState &barrier, unsigned warp, std::uint32_t waiting);
  void handOnCounts();
  void drainLog(unsigned warp, std::uint32_t mask);
  void enterClusterPhase();
  void settleCluster();
  bool openCluster();
  bool awaitCluster();
  void leaveCluster(unsigned lane);
  void endIfTooLate();
  void waitedFor(unsigned lane);
  void stepAside();
  unsigned longestWaiting();
  std::uint32_t beside(unsigned warp, std::uint32_t mask) const;
  unsigned barrierOf(unsigned lane) const;
  bool isAtCluster(unsigned lane) const {
    return cluster_ && (clusterWaiting_[lane / 32] >> lane % 32 & 1u) != 0;
  }
  std::uint32_t waitingAlike(unsigned warp, std::uint32_t mask) const;
  std::string deadlockReport() const;
  void warnOfDivergentBarrier(unsigned warp, std::uint32_t mask) const;
  /// "kernel k(int*), block (0,0,0)", and the same with the running thread.
  std::string place() const;
  std::string lanePlace() const;

  static constexpr unsigned kNoLane = ~0u;
  StackPool stacks_;
  unsigned char *shared_;
  Lane *lane_ = lanes_;                     ///< the current one
  Lane lanes_[kMaxLanes + 2];               ///< two more, which are not used but looked at
  unsigned char *stackTop_[kMaxLanes] = {}; ///< null: has not started, or is gone
  Operation operations_[kMaxLanes];
  Warp warps_[kMaxWarps];
  WarpLog logs_[kMaxWarps];
  BarrierState barriers_[kBarriers];
  RecordBuffer records_;
  unsigned long long *counters_ = nullptr; ///< of the launch; null: nothing has been counted
  std::vector<unsigned long long> counts_; ///< of this block, by site
  LaunchShape shape_{};
  std::uint64_t cta_ = 0;
  unsigned threads_ = 0, warpCount_ = 0, alive_ = 0;
  std::uint32_t readyWarps_ = 0, barriersInUse_ = 0, yields_ = 0, waits_ = 0, steps_ = 0, turns_ = 0,
                longTurns_ = 0;
  std::uint32_t turnOf_[kMaxLanes] = {}; ///< of longTurns_, by lane
  FiberPointer scheduler_ = nullptr;
  // Of the cluster's barrier; nothing of it is used where the launch has no clusters.
  Cluster *cluster_ = nullptr;
  unsigned clusterRank_ = 0;
  std::uint32_t clusterPhase_ = 0;               ///< that the block's threads arrive in
  std::uint32_t clusterPending_ = 0;             ///< threads that have not arrived in it
  std::uint32_t clusterWaits_ = 0;               ///< threads that wait, ...
  std::uint32_t clusterWaitsFor_ = 0;            ///< ... until so many phases are over
  bool hasArrivedAtCluster_ = false;             ///< all have, and the cluster knows of it
  std::uint32_t clusterWaiting_[kMaxWarps] = {}; ///< the lanes that wait
  std::uint32_t arrivedInPhase_[kMaxLanes] = {}; ///< by lane: in which phase last, and 1; 0: in none
  Failure failure_ = Failure::None;
  std::string message_;
};

} // namespace cupr::cpu

#endif
