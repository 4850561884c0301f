/// The blocks of one launch that have begun and not ended, and which of them run.
///
/// On a GPU the blocks that fit all make progress: one may wait for another that has not even begun
/// when it begins (a barrier of the whole grid, a chain from the last block to the first). Here a block keeps the host
/// thread that it began on, and there are fewer of those. So a block that waits in vain gives its *turn* to another
/// one, and its thread sleeps until the turn comes back. At most as many threads run at a time as the launch has turns;
/// with one turn everything happens in one order, the same in every run.
///
/// Whose turn is next: that of who has slept longest. When all have had theirs and none of them ended its block, what they
/// wait for must be elsewhere, and twice as many blocks may be resident, each on a thread of its own,
/// up to the number that the device holds. So kernels whose blocks never wait have no more threads than turns.
#ifndef CUPR_CPU_RESIDENT_BLOCKS_H
#define CUPR_CPU_RESIDENT_BLOCKS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace cupr::cpu {

class ResidentBlocks {
public:
  /// What has to be known of a launch.
  struct Limits {
    std::uint64_t blocks;   ///< of the grid
    std::uint64_t turns;    ///< threads that run at first, each of which calls next()
    std::uint64_t resident; ///< blocks that the device holds at once
    std::uint64_t
        cluster; ///< blocks that wait for each other, and follow each other: as many may be resident from the start
    bool together; ///< the blocks will wait for each other: all may be resident from the start
    /// Starts one more thread that calls next(). False: there can't be one.
    std::function<bool()> startThread;
  };

  /// A new launch; none of the last one's threads is left in a call.
  void open(const Limits &limits);

  /// For a thread that has its turn and no block: the block to begin, in ascending order. None: the thread has to end, and
  /// its turn is another's.
  std::optional<std::uint64_t> next();

  /// The calling thread's block has ended. Lets those that sleep have their turn first.
  void ended();

  /// The calling thread's block waits for another one. Returns when it is its turn again. False: the block is to be given
  /// up, since another one has failed.
  bool letOthersRun();

  /// What blocks waited for has happened: not all turns so far were in vain.
  void advanced();

  /// No further block begins, and those that sleep are woken to be given up.
  void stop();

  /// For a child of fork, which has none of the threads.
  void forget();

private:
  struct Sleeper {
    std::condition_variable wake;
    bool awake = false;
  };
  void wakeNext();
  void sleep(std::unique_lock<std::mutex> &lock);

  Limits limits_{};
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> anySleeps_{false}; ///< so that nobody takes the lock for nothing

  std::mutex mutex_; ///< guards what follows
  std::deque<Sleeper *> sleepers_;
  std::uint64_t threads_ = 0, mayBeResident_ = 0;
  std::uint64_t inVain_ = 0; ///< turns since a block ended, or more could be resident
};

} // namespace cupr::cpu

#endif
