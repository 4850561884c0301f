#include "process_end.h"

#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/driver/own_thread.h"
#include "hostlib/runtime/driver/process_ending.h"
#include "hostlib/runtime/driver/signals_to_others.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace cupr::host {
namespace {

/// Time that finishing may take after a signal, and that a thread which could go on is held.
constexpr long kLimitMilliseconds = 5000;
constexpr long kHoldMilliseconds = 1000;

constexpr std::array kEnding = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGUSR1, SIGUSR2,   SIGPIPE, SIGALRM,
                                SIGPOLL, SIGPROF, SIGVTALRM, SIGXCPU, SIGXFSZ, SIGSTKFLT, SIGPWR,  SIGSYS,
                                SIGTRAP, SIGABRT, SIGSEGV,   SIGBUS,  SIGFPE,  SIGILL};
/// Behind these a thread can't go on.
constexpr std::array kOwnFault = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP};

void (*finishTrace)() = nullptr;
void (*forgetTrace)() = nullptr;
pid_t process = 0; ///< that watches

/// Something that happens once. It can be said and waited for in a handler, which a semaphore's time limit
/// can't.
class Event {
public:
  void post() {
    said_.store(1, std::memory_order_release);
    ::syscall(SYS_futex, &said_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  /// Waits until it has happened, or the time is over; negative: for ever. Returns whether it has.
  bool await(long milliseconds) {
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    const long nanoseconds = until.tv_nsec + milliseconds % 1000 * 1'000'000;
    until.tv_sec += milliseconds / 1000 + nanoseconds / 1'000'000'000;
    until.tv_nsec = nanoseconds % 1'000'000'000;
    while (said_.load(std::memory_order_acquire) == 0) { // matched by the release in post
      const long result = ::syscall(SYS_futex, &said_, FUTEX_WAIT_BITSET_PRIVATE, 0,
                                    milliseconds < 0 ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
      if (result != 0 && errno == ETIMEDOUT)
        return false;
    }
    return true;
  }

  void clear() { said_.store(0, std::memory_order_relaxed); }

private:
  std::atomic<std::uint32_t> said_{0};
};

Event woken;    ///< a signal has come
Event finished; ///< the trace is finished
std::atomic<int> endingSignal{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

void restoreDefault(int signal) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

/// Where the signal is held back, it ends the process when it is let through.
void endBy(int signal) {
  restoreDefault(signal);
  ::raise(signal);
}

/// Whether the interrupted thread is what can't go on. What another process sends (kill -ABRT) is no fault of
/// it.
bool isOwnFault(int signal, const siginfo_t &info) {
  if (info.si_code == SI_USER)
    return false;
  for (const int fault : kOwnFault)
    if (signal == fault)
      return true;
  return false;
}

void onSignal(int signal, siginfo_t *info, void *) {
  if (::getpid() != process) { // a child that was made without fork()'s handlers: vfork
    endBy(signal);
    return;
  }
  const int before = errno;
  const bool ownFault = isOwnFault(signal, *info);
  int none = 0;
  const bool isFirst = endingSignal.compare_exchange_strong(none, signal);
  if (isFirst)
    woken.post();
  if (ownFault || (isFirst && !InRuntime::isOpen())) {
    const bool isFinished = finished.await(ownFault ? kLimitMilliseconds : kHoldMilliseconds);
    // The signal is held back until this handler returns, and then ends the process.
    if (isFinished || ownFault)
      endBy(isFinished ? endingSignal.load() : signal);
  } else if (!isFirst && !ProcessEnding::hasJustBegun()) {
    endBy(signal);
  }
  errno = before;
}

void waitForSignal() {
  const OwnThread own;
  woken.await(-1);
  ProcessEnding::begin();
  try {
    std::thread([] {
      finishTrace();
      finished.post();
    }).detach();
    finished.await(kLimitMilliseconds);
  } catch (...) { // no memory for a thread: the trace stays without its end
  }
  // The others may all hold the signal back, or be stuck in a handler: this thread takes it.
  const int signal = endingSignal.load();
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, signal);
  restoreDefault(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &taken, nullptr);
  ::raise(signal);
}

/// If a signal is about to end the process, the calling thread, which is no handler, gets no further.
void awaitEnd() {
  if (endingSignal.load(std::memory_order_relaxed) != 0 && ::getpid() == process &&
      finished.await(kLimitMilliseconds))
    endBy(endingSignal.load());
}

template <typename Body> void forEachSignal(Body body) {
  for (const int signal : kEnding)
    body(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
    body(signal);
}

void takeOver(int signal) {
  struct sigaction now{};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL)
    return;
  struct sigaction action{};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

void giveBack(int signal) {
  struct sigaction now{};
  if (::sigaction(signal, nullptr, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == onSignal)
    restoreDefault(signal);
}

void watchSignals() {
  process = ::getpid();
  {
    // The thread, and the one that it starts.
    const SignalsToOthers signals;
    std::thread(waitForSignal).detach();
  }
  forEachSignal(takeOver);
}

void forked() {
  forEachSignal(giveBack);
  woken.clear();
  finished.clear();
  endingSignal = 0;
  ProcessEnding::forget();
  forgetTrace();
}

void finishAtEnd() {
  if (!finishTrace)
    return;
  awaitEnd();
  finishTrace();
}

/// Registered before the program's handlers, so that it is called behind them.
__attribute__((constructor(101))) void watchQuickExit() { std::at_quick_exit(finishAtEnd); }

/// exit() comes here when all handlers have been called and all of the program's static objects are gone.
__attribute__((destructor(101))) void finishAtExit() { finishAtEnd(); }

} // namespace

void watchProcessEnd(void (*finish)(), void (*forget)()) {
  finishTrace = finish;
  forgetTrace = forget;
  InRuntime::whenLeft = awaitEnd;
  static const bool registered =
      ::pthread_atfork(nullptr, nullptr, forked) == 0; // children of fork inherit it
  static_cast<void>(registered);
  try {
    watchSignals();
  } catch (...) { // no thread: signals end the process as they do
  }
}

} // namespace cupr::host
