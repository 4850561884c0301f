/// The calls of CUDA's API that one thread makes, and what they did, until they are written.
///
/// Threads: of its own thread.
#ifndef CUPR_RUNTIME_THREAD_CALLS_H
#define CUPR_RUNTIME_THREAD_CALLS_H

#include "host_log.h"
#include "path_finder.h"

#include <atomic>
#include <optional>

namespace cupr::host {

class HostAccesses;

class ThreadCalls {
public:
  /// The calling thread's.
  static ThreadCalls &ofThread();

  ThreadCalls() = default;
  ~ThreadCalls();
  ThreadCalls(const ThreadCalls &) = delete;
  ThreadCalls &operator=(const ThreadCalls &) = delete;

  /// The thread's function with these registers calls `hook`. Calls inside this one are part of it.
  void begin(const char *hook, const Registers &caller) noexcept;
  void end() noexcept;
  bool isInCall() const { return depth_ != 0; }
  /// From here to leave() the thread counts as inside of a call that nobody is told of.
  void enter() noexcept { isNoted_ = depth_++ != 0 && isNoted_; }
  void leave() noexcept { --depth_; }
  /// What the call does, if there is one, has this order.
  void act(std::uint64_t order) noexcept;
  /// The thread's function with these registers drops the error of a call.
  void dropped(const FailedCall &call, const Registers &caller) noexcept;
  /// What the call, if there is one, does may be wrong: `whenTouched` is called behind it.
  void touch() noexcept { touches_ = true; }
  inline static std::atomic<void (*)()> whenTouched{nullptr};
  /// So much of the time of the call, if there is one, is the tracer's.
  void leaveOut(std::uint64_t nanoseconds) noexcept { leftOut_ += nanoseconds; }

private:
  static void collect(HostAccesses &accesses) noexcept;
  /// To whom calls are told now; null: nobody. In a child of fork it is another log than the parent's, whose calls are not the child's.
  HostLog *log();

  HostLog *log_ = nullptr;
  CallChannel *channel_ = nullptr; ///< of the log
  std::optional<PathFinder> finder_;
  unsigned depth_ = 0;
  CallRow open_{};            ///< if depth_ is not 0
  bool isNoted_ = false;      ///< the open one
  bool touches_ = false;      ///< likewise
  std::uint64_t leftOut_ = 0; ///< of its nanoseconds
};

} // namespace cupr::host

#endif
