/// Says on stderr how far long work has come: a line that is written over on a terminal, now and then one
/// elsewhere, nothing for what is quick.
#ifndef CUPR_ANALYSIS_PROGRESS_H
#define CUPR_ANALYSIS_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace cupr::analysis {

class Progress {
public:
  using Clock = std::chrono::steady_clock;
  /// `what`: "export". `terminal`: whether `out` is one. `now`: for tests.
  Progress(std::string what, std::FILE *out, bool terminal, Clock::time_point (*now)() = Clock::now)
      : what_(std::move(what)), out_(out), terminal_(terminal), now_(now), started_(now()),
        next_(started_ + (terminal ? kTerminalPause : kPause)) {}

  void start(std::uint64_t total) { total_ = total; }
  /// Looks at the clock.
  void look(std::uint64_t count);
  /// Cheap enough to call for each record.
  void done(std::uint64_t count) {
    if (count % kLookEvery == 0)
      look(count);
  }
  /// Removes the line from a terminal.
  void finish();

private:
  static constexpr std::uint64_t kLookEvery = 4096;
  static constexpr std::chrono::milliseconds kTerminalPause{500}, kPause{15000};

  std::string what_;
  std::FILE *out_;
  bool terminal_;
  Clock::time_point (*now_)();
  Clock::time_point started_, next_;
  std::uint64_t total_ = 0;
  bool shown_ = false;
};

} // namespace cupr::analysis

#endif
