/// The check of the program while it runs: a child process, cupranalyze, follows the trace as it is written, and behind each call that
/// touches memory the program waits for what it has found (docs/design/0031).
///
/// The child is nothing that the program can stumble over. It is no child of the program's in wait()'s sense, nor does its end raise
/// SIGCHLD: a process in between starts it, and is gone. It has none of the program's descriptors but standard error, and no terminal whose
/// signals would reach it. Between the two is a socket, which raises no SIGPIPE. When the program is gone, so is the other end of the
/// socket, and the child ends. When the child is gone, that is said once, and the program goes on unchecked.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_LIVE_CHECK_H
#define CUPR_RUNTIME_LIVE_CHECK_H

#include "hostlib/runtime/paths/host_log.h"
#include "hostlib/trace/own_file.h"
#include "hostlib/trace/writer.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace cupr::host {

class LiveCheck {
public:
  /// Of a program that a fault stops: `cupranalyze check` has the same.
  static constexpr int kFaultStatus = 4;

  /// Starts the child, or says why it can't. Both must live as long as this.
  LiveCheck(trace::Writer &writer, HostLog &log);

  /// Waits until the child has seen all that the program has done, and says what it has found. Returns whether that is anything.
  bool look() noexcept;
  /// The trace is finished: says the rest, and how many faults there were.
  void end();
  /// Nothing is asked any more. Also in a child of fork, whatever another thread was doing.
  void leave() { child_.close(); }

private:
  struct Answer {
    std::uint64_t faults = 0; ///< so far
    std::string text;
  };
  /// Nothing: the child is gone, which has been said.
  std::optional<Answer> ask(const std::string &request);
  int exchange(const std::string &request, Answer &answer);

  trace::Writer &writer_;
  HostLog &log_;
  std::mutex mutex_; ///< guards what follows
  trace::OwnFile child_;
  std::uint64_t faults_ = 0;
};

} // namespace cupr::host

#endif
