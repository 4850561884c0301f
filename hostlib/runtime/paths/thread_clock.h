/// The clock of one thread's processor time, which stops the thread for a moment at each tick and takes a picture of where it is.
///
/// There are two kinds: the kernel's own (perf_clock.h), and one of signals where that is not allowed (timer_clock.h).
#ifndef CUPR_RUNTIME_THREAD_CLOCK_H
#define CUPR_RUNTIME_THREAD_CLOCK_H

#include "stack_memory.h"
#include "unwind_recipe.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace cupr::host {

/// Of a stack, so much is copied: some sixty functions' frames. What lies further out is not known.
inline constexpr std::size_t kStackBytes = 8192;
/// A clock has room for about so many samples.
inline constexpr std::size_t kSamplesKept = 32;

/// Where a thread was.
struct StackSample {
  std::uint64_t time = 0;   ///< nanoseconds since the epoch
  std::uint64_t weight = 0; ///< nanoseconds of the thread's processor time since the sample before, or since the clock began
  bool isKnown = false;     ///< else there are no registers: the thread was on its way into another program, say
  Registers registers{};
  const unsigned char *stack = nullptr; ///< what lay at registers.sp
  std::uint64_t bytes = 0;
};

class ThreadClock {
public:
  virtual ~ThreadClock() = default;

  /// Calls `take` for each sample since the last call, in order. What a sample points to is there until `take` returns.
  virtual void drain(const std::function<void(const StackSample &)> &take) = 0;

  /// Up to the last call of `drain`. Ticks that found no room are lost.
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t lost() const { return lost_; }

protected:
  std::uint64_t delivered_ = 0, lost_ = 0;
};

} // namespace cupr::host

#endif
