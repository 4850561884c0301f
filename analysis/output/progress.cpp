/// Time left by the rule of three.
#include "progress.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

void Progress::look(std::uint64_t count) {
  const Clock::time_point now = now_();
  if (now < next_)
    return;
  next_ = now + (terminal_ ? kTerminalPause : kPause);
  const double part =
      total_ == 0 ? 1.0 : std::min(1.0, static_cast<double>(count) / static_cast<double>(total_));
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const std::string line = fmt::format("cupranalyze: {}: {:.0f} %, {} of {} records, about {:.0f} s left",
                                       what_, 100 * part, count, total_, seconds / part * (1 - part));
  fmt::print(out_, "{}{}{}", terminal_ ? "\r" : "", line, terminal_ ? "\033[K" : "\n");
  std::fflush(out_);
  shown_ = true;
}

void Progress::finish() {
  if (terminal_ && shown_)
    fmt::print(out_, "\r\033[K");
  shown_ = false;
}

} // namespace cupr::analysis
