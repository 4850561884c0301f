/// Writing inside a program that has actions of its own for what a write may raise.
#ifndef CUPR_ABI_SIGNALS_HELD_BACK_H
#define CUPR_ABI_SIGNALS_HELD_BACK_H

#include <csignal>
#include <ctime>
#include <initializer_list>

namespace cupr {
namespace abi {

/// Holds SIGXFSZ (a file at its limit) and SIGPIPE (a closed pipe) of this thread back, and swallows those that
/// its own writes raise. Both go to the thread that writes.
class SignalsHeldBack {
public:
  SignalsHeldBack() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    sigaddset(&signals_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    // One that is already pending is the program's own: leave it.
    for (const int signal : {SIGXFSZ, SIGPIPE})
      if (sigismember(&pending, signal) == 1)
        sigdelset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }

  ~SignalsHeldBack() {
    const timespec now{0, 0};
    while (sigtimedwait(&signals_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  SignalsHeldBack(const SignalsHeldBack &) = delete;
  SignalsHeldBack &operator=(const SignalsHeldBack &) = delete;

private:
  sigset_t signals_;
  sigset_t before_;
};

} // namespace abi
} // namespace cupr

#endif
