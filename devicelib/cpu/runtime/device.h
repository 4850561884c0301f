/// The device: runs launches, one at a time, their blocks on a pool of host
/// threads.
///
/// Blocks start in ascending order; with CUPR_CPU_THREADS=1 one runs at a time, each to its end
/// unless it waits for another one, and everything is reproducible. A launch is
/// over when the call returns.
#ifndef CUPR_CPU_DEVICE_H
#define CUPR_CPU_DEVICE_H

#include "block.h"
#include "nested_launches.h"
#include "variable_banks.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cupr::cpu {

struct LaunchResult {
  Failure failure = Failure::None;
  std::string message; ///< for the user, without a newline
};

class Device {
public:
  static Device &instance();

  /// Runs all blocks, of which `resident` fit on the device at once, and what they launch. `together`: all are to be there at once, since
  /// they wait for each other (a cooperative launch).
  LaunchResult launch(const LaunchShape &shape, std::uint64_t resident, bool together);
  /// While the lock is held, the variables of modules have the device's values, and no kernel runs. Where
  /// there is only one device, nothing has to be held.
  std::unique_lock<std::mutex> holdVariables(int device);
  void setSink(abi::RecordSink *sink) { sink_.store(sink, std::memory_order_release); }
  abi::RecordSink *sink() const { return sink_.load(std::memory_order_acquire); }
  unsigned threads() const { return threads_; }
  /// What the running grid launches.
  NestedLaunches &nested() { return nested_; }
  /// That the running launch is for.
  int runningDevice() const { return shape_.device; }

private:
  Device();
  ~Device() = default;
  void work(unsigned worker);
  LaunchResult runGrid(const LaunchShape &shape, std::uint64_t resident, bool together);
  /// Runs what the last grid has launched, and what these launch.
  LaunchResult runNested(const LaunchShape &launching);
  void runBlocks(Block &block);
  bool startForLaunch();
  /// Makes sure that there are so many blocks to run. Returns how many there are, which may be fewer.
  std::size_t makeBlocks(std::size_t count);
  /// The same with a thread for each; the first is the caller's.
  unsigned startThreads(unsigned count);
  void forgetThreads();

  unsigned threads_, timeoutSeconds_;
  Merging merging_;
  std::size_t stackBytes_;
  std::atomic<abi::RecordSink *> sink_{nullptr};
  std::mutex launching_; ///< held during a launch
  VariableBanks banks_;  ///< guarded by it

  std::mutex mutex_; ///< guards what follows, up to `resident_`
  std::condition_variable wake_, done_;
  std::vector<std::thread> pool_;
  std::vector<std::thread> forLaunch_;         ///< more workers, as long as a launch needs them
  std::vector<std::unique_ptr<Block>> blocks_; ///< one per worker; worker 0 is the caller
  std::uint64_t generation_ = 0;
  unsigned wanted_ = 0, busy_ = 0;
  LaunchShape shape_{};
  LaunchResult result_;
  std::uint64_t failedBlock_ = 0;
  GridWorkspace workspace_{};

  ResidentBlocks resident_;
  Clusters clusters_;
  NestedLaunches nested_;
};

} // namespace cupr::cpu

#endif
