/// A thread's clock that the kernel has: perf_event_open(2), "task clock".
///
/// The kernel takes the picture itself, at each tick, into memory that it shares with us: no signal comes, no call of the program is interrupted, and a thread may hold
/// signals back. The memory is all that is needed: the descriptor that it was made with is closed at once, so the program finds its numbers free,
/// and in a child of fork nothing is left. It stays readable when the thread has ended.
///
/// Whether it is allowed is up to the machine (/proc/sys/kernel/perf_event_paranoid; containers often forbid the call). Where looking into the kernel is not
/// allowed, ticks that come in there are no samples, and the next one has their weight. The memory counts as locked, of which users have little
/// (perf_event_mlock_kb, RLIMIT_MEMLOCK): the room becomes less, down to kRoomLeast, before it is given up.
#ifndef CUPR_RUNTIME_PERF_CLOCK_H
#define CUPR_RUNTIME_PERF_CLOCK_H

#include "thread_clock.h"

#include <cstddef>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace cupr::host {

class PerfClock : public ThreadClock {
public:
  /// For a thread of this process; `period` in nanoseconds of its processor time. Null: it is not allowed, or there is no such thread.
  static std::unique_ptr<PerfClock> start(pid_t thread, std::uint64_t period);
  ~PerfClock() override;
  PerfClock(const PerfClock &) = delete;
  PerfClock &operator=(const PerfClock &) = delete;

  void drain(const std::function<void(const StackSample &)> &take) override;

  /// Bytes for samples. With less of it, less of the stack is copied.
  static constexpr std::size_t kRoom = kSamplesKept * kStackBytes, kRoomLeast = kRoom / 8;

private:
  PerfClock(void *memory, std::size_t bytes, std::size_t room)
      : memory_(memory), bytes_(bytes), room_(room) {}
  void takeSample(const unsigned char *at, const unsigned char *end,
                  const std::function<void(const StackSample &)> &take);

  void *const memory_;      ///< a page that says what is in the room, and the room
  const std::size_t bytes_; ///< of both
  const std::size_t room_;
  std::uint64_t used_ = 0;               ///< of the thread's time, at the last sample
  std::vector<unsigned char> unwrapped_; ///< a record that begins at the end of the room
};

} // namespace cupr::host

#endif
