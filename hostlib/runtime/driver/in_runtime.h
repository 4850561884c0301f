/// Says that a thread is in the tracer's own code, where it may hold locks that bringing the trace to its end needs: a signal that ends the
/// process lets it go on up to the end of that (session/process_end.h).
#ifndef CUPR_RUNTIME_IN_RUNTIME_H
#define CUPR_RUNTIME_IN_RUNTIME_H

#include "devicelib/abi/cpu_device.h"

#include <atomic>

namespace cupr::host {

/// They can be nested.
class InRuntime {
public:
  // The fences keep the compiler from moving the work between them to where a handler would not see that it is
  // there.
  InRuntime() {
    ++__cupr_runtime_depth;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~InRuntime() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --__cupr_runtime_depth;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (__cupr_runtime_depth == 0)
      if (void (*const left)() = whenLeft.load(std::memory_order_relaxed))
        left();
  }
  InRuntime(const InRuntime &) = delete;
  InRuntime &operator=(const InRuntime &) = delete;

  /// Whether the calling thread is in it. May be asked in a signal handler.
  static bool isOpen() { return __cupr_runtime_depth != 0; }
  /// Called by each thread that has left: the process may be about to end.
  inline static std::atomic<void (*)()> whenLeft{nullptr};
};

} // namespace cupr::host

#endif
