/// Starting threads that the program does not know of.
#ifndef CUPR_RUNTIME_SIGNALS_TO_OTHERS_H
#define CUPR_RUNTIME_SIGNALS_TO_OTHERS_H

#include <csignal>

namespace cupr::host {

/// While there is one, threads that are started leave all signals to the program's.
class SignalsToOthers {
public:
  SignalsToOthers() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsToOthers() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsToOthers(const SignalsToOthers &) = delete;
  SignalsToOthers &operator=(const SignalsToOthers &) = delete;

private:
  sigset_t before_;
};

} // namespace cupr::host

#endif
