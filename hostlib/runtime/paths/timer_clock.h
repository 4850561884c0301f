/// A thread's clock made of a timer of its processor time and a signal, for where the kernel's own (perf_clock.h) is not allowed.
///
/// The signal's handler runs in the thread, wherever that is: it copies registers and a piece of the stack to a place that is free in memory of the thread's
/// own, and does nothing else. It waits for nobody, takes no lock, allocates nothing, and calls no function of the C library.
///
/// A signal is a guest in the program:
///
/// - Its number is one of the real-time signals that have their default action when the first clock starts, the highest one. If the program gives this signal
///   an action of its own later, the clocks stop (isDisturbed).
/// - Calls that a signal interrupts go on by themselves (SA_RESTART), but for some that never do (poll, nanosleep; signal(7)): these
///   may return EINTR, if the clock ticks while they begin.
/// - A thread that holds the signal back has no clock: it might wait for any signal (sigwait), and would get ours.
/// - It is sent by nobody else; if it is, it does what it would have done.
///
/// The stack is copied as far as its memory goes, as /proc/self/maps has it. Behind it may lie anything, also memory of a device. Until the reader has looked there, a
/// sample has registers only.
///
/// The kernel looks at such timers when it looks at all processes, 100 to 1000 times a second: ticks in between are lost, and the next one has their weight.
#ifndef CUPR_RUNTIME_TIMER_CLOCK_H
#define CUPR_RUNTIME_TIMER_CLOCK_H

#include "thread_clock.h"

#include <csignal>
#include <ctime>
#include <memory>
#include <sys/types.h>

namespace cupr::host {

class TimerClock : public ThreadClock {
public:
  /// For a thread of this process. Null: there is no such thread, no signal or timer is free, or the thread holds the signal back.
  static std::unique_ptr<TimerClock> start(pid_t thread, std::uint64_t period);
  /// Behind it the handler takes no more pictures for this clock; one that runs now is not waited for: its memory stays.
  ~TimerClock() override;
  TimerClock(const TimerClock &) = delete;
  TimerClock &operator=(const TimerClock &) = delete;

  void drain(const std::function<void(const StackSample &)> &take) override;

  /// The signal has another action by now: no clock ticks any more.
  static bool isDisturbed();

private:
  struct Pictures;
  TimerClock(timer_t timer, Pictures &pictures) : timer_(timer), pictures_(pictures) {}
  static void onTick(int signal, siginfo_t *info, void *context);
  static int signalNumber();
  void findStack(std::uint64_t sp);

  const timer_t timer_;
  Pictures &pictures_;
  std::uint64_t used_ = 0;
};

} // namespace cupr::host

#endif
