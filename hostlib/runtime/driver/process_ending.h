/// Says that a signal is about to end the process, which has some seconds for its trace (session/process_end.h): what waits for the GPU, which
/// may never be done, asks how long ago that was.
#ifndef CUPR_RUNTIME_PROCESS_ENDING_H
#define CUPR_RUNTIME_PROCESS_ENDING_H

#include <atomic>
#include <chrono>

namespace cupr::host {

class ProcessEnding {
public:
  using Clock = std::chrono::steady_clock;

  static void begin() { since_ = Clock::now().time_since_epoch().count(); }
  /// In a child of fork.
  static void forget() { since_ = 0; }
  /// Nothing while no signal has come.
  static Clock::duration lasted() {
    const Clock::rep since = since_;
    return since == 0 ? Clock::duration::zero() : Clock::now().time_since_epoch() - Clock::duration(since);
  }

  /// Whether a signal that comes now may be the same one: timeout(1) sends it to its command, and to the group that this is in.
  static bool hasJustBegun() { return lasted() < std::chrono::milliseconds(500); }

private:
  inline static std::atomic<Clock::rep> since_{0};
};

} // namespace cupr::host

#endif
