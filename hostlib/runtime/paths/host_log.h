/// What the host's threads did while a trace was taken: calls of CUDA's API and the paths that led to them, on their way to the writer.
///
/// Each thread gathers its own (thread_calls.h); what it has gathered comes here when it is much, when the thread ends, and when the
/// trace does. Numbers of calls, threads, names and nodes count over the whole trace.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_HOST_LOG_H
#define CUPR_RUNTIME_HOST_LOG_H

#include "hostlib/runtime/driver/wall_time.h"
#include "hostlib/trace/writer.h"
#include "path_tree.h"

#include <atomic>
#include <mutex>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace cupr::host {

class ThreadCalls;

/// A call that is over.
struct GatheredCall {
  const char *hook; ///< name of the function that stood in for it; must stay
  std::uint32_t node;
  std::uint64_t began, ended; ///< nanoseconds since the process's start time
  std::size_t actsEnd; ///< of the thread's orders, those from the end of the call before on are this call's
};

class HostLog {
public:
  /// `startTime`: as in trace::Process. The writer must live as long as the log.
  HostLog(trace::Writer &writer, std::uint64_t startTime) : writer_(writer), startTime_(startTime) {}

  /// The one that calls are told now; null: none. Logs are never deleted, since threads may still be in one when the process ends.
  static HostLog *current() { return current_.load(std::memory_order_acquire); }
  static void makeCurrent(HostLog *log) { current_.store(log, std::memory_order_release); }

  PathTree &tree() { return tree_; }
  /// Not in a child of fork, which has a copy.
  bool isOfThisProcess() const { return ::getpid() == process_; }
  /// Nanoseconds since the start time.
  std::uint64_t now() const { return wallTime() - startTime_; }
  std::uint64_t startTime() const { return startTime_; }

  /// The number of a thread of the process; there is one from now on.
  std::uint32_t numberOf(const trace::HostThread &thread);
  /// The thread with the kernel's number `id` has ended: another one may get it.
  void threadEnded(std::uint64_t id);
  /// The thread, which gets a number, will have calls for this log.
  void add(ThreadCalls &thread, std::uint32_t &number);
  /// It is about to end: what it has gathered is written.
  void remove(ThreadCalls &thread);
  /// Writes calls of a thread, and takes them from the lists. `acts`: orders of what they did.
  void write(std::uint32_t thread, std::vector<GatheredCall> &calls, std::vector<std::uint64_t> &acts);
  /// Writes `batch`, in front of it what is new of the tree.
  void write(trace::HostBatch batch);
  /// Something could not be noted for want of memory.
  void lose() { writer_.lose(); }

  /// Writes what all threads have gathered.
  void finish();
  /// Writes the names of all places on paths so far. Takes a second or two at most.
  void writeNames();

private:
  std::uint32_t numberLocked(const trace::HostThread &thread);
  void writeLocked(trace::HostBatch batch);

  static std::atomic<HostLog *> current_;

  trace::Writer &writer_;
  const std::uint64_t startTime_;
  const pid_t process_ = ::getpid();
  PathTree tree_;
  std::mutex threadsMutex_; ///< taken before a thread's own, and that before the next one
  std::vector<ThreadCalls *> threads_;
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
