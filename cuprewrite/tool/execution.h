/// Runs the commands of a build, some of them side by side.
///
/// What a command prints is printed in one piece when it has ended, so the outputs of two never
/// mix. The first command that fails ends those that still run; their output, which mostly says the same
/// once more, is dropped. Commands that are asked for later are not started.
///
/// Thread-safe: each lane of a build is a thread that calls run() for one command after the other.
#ifndef CUPR_TOOL_EXECUTION_H
#define CUPR_TOOL_EXECUTION_H

#include "command.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cupr::tool {

/// What one command cost.
struct StepTime {
  std::string step;
  double start = 0;   ///< seconds since the build began
  double seconds = 0; ///< wall clock
  double cpu = 0;     ///< seconds, user and system, of all threads
  std::string output; ///< the file that it made
};

class Execution {
public:
  /// `show`: print the commands, run none. `jobs`: how many commands may run at the same time. `verbose`:
  /// print the commands that run to stderr.
  Execution(bool show, unsigned jobs, bool verbose = false)
      : show_(show), verbose_(verbose), jobs_(jobs ? jobs : 1) {}

  /// The exit code of the command; that of the one that failed first, when it has been ended or not
  /// been started for that reason. `step` names it among the times. If `output` is given, what a command that
  /// succeeds prints goes there.
  int run(const std::string &step, const Command &command, std::string *output = nullptr);
  /// Prints a text in one piece.
  void print(const std::string &text);

  /// Runs the lanes side by side, or one after the other if only one job is allowed or commands
  /// are only shown. Returns the exit code of the first command that failed, else 0.
  int sideBySide(const std::vector<std::function<int()>> &lanes);

  /// How many threads a command may use now without taking them from others.
  unsigned threadsFor() const;

  bool shows() const { return show_; }
  /// In the order in which the commands ended.
  const std::vector<StepTime> &times() const { return times_; }

private:
  int runCaptured(const Command &command, std::string &printed, StepTime &time);

  const bool show_, verbose_;
  const unsigned jobs_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  unsigned running_ = 0;
  std::set<pid_t> children_;
  int failure_ = 0; ///< exit code of the first command that failed
  std::vector<StepTime> times_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// How many processors this process may use.
unsigned processors();

} // namespace cupr::tool

#endif
