/// Where the program's threads spend their processor time: a picture of each one's stack at each tick of its clock.
///
/// The problem: the program must run as it does without, in the same time. So threads do nothing for it; each has a clock (thread_clock.h) that the kernel, or a
/// signal's handler, takes pictures by, into memory of a fixed size. One thread of ours, the *monitor*, wakes up sixty times a second or more, finds what threads
/// there are, gives new ones a clock, takes the pictures, and makes call paths of them.
///
/// That finds a thread late, by one round at most (kRoundMost): pthread_create is not replaced, as programs, libraries and other tools do, and clocks that the kernel
/// hands on to new threads (perf_event_open's `inherit`) need memory and a descriptor for each processor. A thread that lives shorter than a round may not be seen at all.
///
/// A sample's weight is what its thread's clock says that it has used since the sample before, so ticks that were lost, or could not be looked at, are not missing from
/// the sum; where that time was spent is not known, and the sample stands for it.
///
/// The tracer's own threads (driver/own_thread.h) have no samples. Those on which the CPU device runs kernels have.
#ifndef CUPR_RUNTIME_HOST_SAMPLER_H
#define CUPR_RUNTIME_HOST_SAMPLER_H

#include "hostlib/trace/host_batch.h"
#include "hostlib/trace/own_file.h"
#include "thread_clock.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace cupr::host {

/// Knows the trace's numbers. Called by the monitor alone.
class SampleReceiver {
public:
  virtual ~SampleReceiver() = default;
  /// Of the thread with the kernel's number `id`.
  virtual std::uint32_t threadOf(pid_t id, const std::string &name) = 0;
  /// It has ended: another one may get its number.
  virtual void ended(pid_t id) = 0;
  /// The node of where the thread was.
  virtual std::uint32_t pathOf(const Registers &registers, const CopiedStack &stack) = 0;
  /// `samples` and `samplings` of a batch.
  virtual void write(trace::HostBatch batch) = 0;
};

/// What takes the pictures.
enum class SampleSource : std::uint8_t { PerfEvents, Timers };

class HostSampler {
public:
  struct Options {
    std::uint64_t period = 1'000'000; ///< nanoseconds of processor time
    std::uint64_t startTime = 0;      ///< of the trace, nanoseconds since the epoch
    /// Each thread's clock is of the first kind that it can have.
    std::vector<SampleSource> sources{SampleSource::PerfEvents, SampleSource::Timers};
  };

  static constexpr std::chrono::milliseconds kRoundMost{16}, kRoundLeast{1};

  /// The threads that are there have clocks when it returns. `receiver` must outlive it.
  HostSampler(SampleReceiver &receiver, Options options);
  /// Finishes.
  ~HostSampler();
  HostSampler(const HostSampler &) = delete;
  HostSampler &operator=(const HostSampler &) = delete;

  /// Stops the clocks, and hands over what is left, and how many samples there were. Idempotent.
  void finish();

private:
  struct Sampled {
    std::unique_ptr<ThreadClock> clock; ///< null: it can have none
    SampleSource source = SampleSource::PerfEvents;
    std::string name;
    std::uint32_t number = trace::kNoHostIndex; ///< in the trace, once it has a sample
    std::uint64_t firstRound = 0, round = 0;    ///< in which it was there; 0: none yet
  };
  struct Sum {
    std::uint64_t delivered = 0, lost = 0;
    bool isUsed = false;
  };

  void watch();
  /// Gives new threads clocks, and takes the last samples of those that have ended.
  void findThreads();
  void giveClock(pid_t id, Sampled &thread);
  void drain(pid_t id, Sampled &thread);
  /// The clock goes; what it has counted stays.
  void stop(Sampled &thread);
  void handOver();
  trace::HostSampling told(const char *source, const Sum &sum) const;

  SampleReceiver &receiver_;
  const Options options_;
  // The monitor's, once it runs.
  trace::OwnFile tasks_; ///< the folder with an entry for each thread
  std::map<pid_t, Sampled> threads_;
  std::uint64_t round_ = 0;
  Sum perfEvents_, timers_;
  trace::HostBatch batch_;

  std::mutex mutex_; ///< guards the three below
  std::condition_variable changed_;
  bool isOpen_ = false;  ///< the monitor may begin
  bool isReady_ = false; ///< the threads that were there have clocks
  bool isOver_ = false;
  std::thread thread_;
};

} // namespace cupr::host

#endif
