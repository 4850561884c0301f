#include "process_end.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace cupr::host {
namespace {

/// Time that finishing may take after a signal.
constexpr int kLimitMilliseconds = 5000;

constexpr std::array kFromOutside = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
constexpr std::array kOwnFault = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void (*finishTrace)() = nullptr;
void (*forgetTrace)() = nullptr;

/// Files of the kernel that can be written and waited for in a handler.
int woken = -1;    ///< a signal has come
int finished = -1; ///< the trace is finished
std::atomic<int> endingSignal{0};
/// Who lets the signal end the process: the thread that it has interrupted, or the one that finishes the
/// trace.
enum class Ending { Itself, ByThread };
std::atomic<Ending> ending{Ending::ByThread};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Ending>::is_always_lock_free);

void post(int event) {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event, &one, sizeof one));
}

/// Waits until the event was posted, or the time is over.
void await(int event, int milliseconds) {
  pollfd poll{event, POLLIN, 0};
  while (::poll(&poll, 1, milliseconds) < 0 && errno == EINTR) {
  }
}

void restoreDefault(int signal) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
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
  const int before = errno;
  const bool ownFault = isOwnFault(signal, *info);
  int none = 0;
  const bool isFirst = endingSignal.compare_exchange_strong(none, signal);
  if (isFirst) {
    ending = ownFault ? Ending::Itself : Ending::ByThread;
    post(woken);
  }
  if (ownFault)
    await(finished, kLimitMilliseconds);
  if (!isFirst || ownFault) {
    // The signal is held back until this handler returns, and then ends the process.
    restoreDefault(signal);
    ::raise(signal);
  }
  errno = before;
}

void waitForSignal() {
  await(woken, -1);
  std::thread([] {
    finishTrace();
    post(finished);
  }).detach();
  await(finished, kLimitMilliseconds);
  if (ending == Ending::Itself)
    return;
  const int signal = endingSignal.load();
  restoreDefault(signal);
  ::kill(::getpid(), signal);
}

template <typename Body> void forEachSignal(Body body) {
  for (const int signal : kFromOutside)
    body(signal);
  for (const int signal : kOwnFault)
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
  woken = ::eventfd(0, EFD_CLOEXEC);
  finished = ::eventfd(0, EFD_CLOEXEC);
  if (woken < 0 || finished < 0)
    return;
  // The thread, and the one that it starts, leave all signals to the program's own.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(waitForSignal).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  forEachSignal(takeOver);
}

void forked() {
  forEachSignal(giveBack);
  // The parent's thread waits for these: they are the same files.
  for (int *const event : {&woken, &finished}) {
    if (*event >= 0)
      ::close(*event);
    *event = -1;
  }
  forgetTrace();
}

void finishAtExit() { finishTrace(); }

} // namespace

void watchProcessEnd(void (*finish)(), void (*forget)()) {
  finishTrace = finish;
  forgetTrace = forget;
  static const bool registered = [] { // children of fork inherit these
    std::atexit(finishAtExit);
    std::at_quick_exit(finishAtExit);
    ::pthread_atfork(nullptr, nullptr, forked);
    return true;
  }();
  static_cast<void>(registered);
  watchSignals();
}

} // namespace cupr::host
