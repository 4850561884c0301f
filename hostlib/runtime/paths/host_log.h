/// What the host's threads did while a trace was taken: calls of CUDA's API and the paths that led to them, on their way to the writer.
///
/// Each thread hands its own over by a channel, and waits for nobody (row_ring.h). What lies in channels is written by a thread of the log,
/// which there is once one channel is half full, when a thread ends, and when the trace does. Where that thread can't keep up, or there is
/// none to be had, a thread whose channel is full writes what is in it. Numbers of calls, threads, names and nodes count over the whole trace.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_HOST_LOG_H
#define CUPR_RUNTIME_HOST_LOG_H

#include "call_channel.h"
#include "call_failures.h"
#include "hostlib/runtime/driver/wall_time.h"
#include "hostlib/trace/writer.h"
#include "path_tree.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace cupr::host {

class HostLog {
public:
  /// `startTime`: as in trace::Process. The writer must live as long as the log.
  HostLog(trace::Writer &writer, std::uint64_t startTime) : writer_(writer), startTime_(startTime) {}
  ~HostLog() { endCollector(); }

  /// The one that calls are told now; null: none. Logs are never deleted, since threads may still be in one when the process ends.
  static HostLog *current() { return current_.load(std::memory_order_acquire); }
  static void makeCurrent(HostLog *log) { current_.store(log, std::memory_order_release); }

  PathTree &tree() { return tree_; }
  CallFailures &failures() { return failures_; }
  /// Not in a child of fork, which has a copy.
  bool isOfThisProcess() const { return ::getpid() == process_; }
  /// Nanoseconds since the start time.
  std::uint64_t now() const { return wallTime() - startTime_; }
  std::uint64_t startTime() const { return startTime_; }

  /// The number of a thread of the process; there is one from now on.
  std::uint32_t numberOf(const trace::HostThread &thread);
  /// The thread with the kernel's number `id` has ended: another one may get it.
  void threadEnded(std::uint64_t id);
  /// For the calling thread, which gets a number.
  CallChannel &add();
  /// The calling thread is about to end: what its channel has is written.
  void remove(CallChannel &channel);
  /// By the channel's thread. Waits only where the channel is full; starts the log's thread, the first time that it is worth one.
  void push(CallChannel &channel, const CallRow &row) noexcept;
  /// Writes `batch`, in front of it what is new of the tree.
  void write(trace::HostBatch batch);
  /// Something could not be noted for want of memory.
  void lose() { writer_.lose(); }

  /// Writes what is in all channels so far.
  void collectAll();
  /// The same, and the failures, and nothing is written any more.
  void finish();
  /// Writes the names of all places on paths so far that it has not written. Takes a second or two at most.
  void writeNames();

private:
  enum class Collector : std::uint32_t { None, Starting, There, Over };

  std::uint32_t numberLocked(const trace::HostThread &thread);
  /// Writes what is in the channel.
  void collect(CallChannel &channel) noexcept;
  void write(std::uint32_t thread, const std::vector<CallRow> &rows, std::vector<std::uint64_t> &acts);
  void writeLocked(trace::HostBatch batch);

  void wakeCollector() noexcept;
  void runCollector();
  /// Shared, so that a thread that makes its first call, or ends, does not wait until the collector has written them.
  std::vector<std::shared_ptr<CallChannel>> fullOnes();
  void endCollector();

  static std::atomic<HostLog *> current_;

  trace::Writer &writer_;
  const std::uint64_t startTime_;
  const pid_t process_ = ::getpid();
  PathTree tree_;
  CallFailures failures_;
  std::atomic<Collector> collectorState_{Collector::None};
  std::atomic<std::uint32_t> asked_{0}; ///< how often the collector was woken
  std::thread collector_;               ///< while it is There
  std::mutex channelsMutex_;            ///< taken before a channel's own, and that before the next one
  /// Finished ones get no more rows that are written, but their threads may still be about to push one.
  std::vector<std::shared_ptr<CallChannel>> channels_, finished_;
  std::mutex namesMutex_; ///< taken before writeMutex_
  std::size_t named_ = 0; ///< with it: places whose names are written
  std::mutex writeMutex_; ///< guards what follows
  /// All that has a number was written. If not, for want of memory, later numbers would be misread: nothing more is written.
  bool isWhole_ = true;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::vector<trace::HostThread> newThreads_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_; ///< of threads that are there
  std::uint32_t threadCount_ = 0;
  std::uint64_t calls_ = 0;
};

} // namespace cupr::host

#endif
