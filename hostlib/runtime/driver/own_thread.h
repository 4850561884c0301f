/// Which of the process's threads are the tracer's, not the program's.
#ifndef CUPR_RUNTIME_OWN_THREAD_H
#define CUPR_RUNTIME_OWN_THREAD_H

#include <array>
#include <atomic>
#include <sys/types.h>
#include <unistd.h>

namespace cupr::host {

/// While there is one, the calling thread is the tracer's. There may be more of them than there is room for: these pass for the program's.
class OwnThread {
public:
  OwnThread() {
    for (std::atomic<pid_t> &id : ids_) {
      pid_t none = 0;
      if (id.compare_exchange_strong(none, ::gettid(), std::memory_order_relaxed)) {
        place_ = &id;
        return;
      }
    }
  }
  ~OwnThread() {
    if (place_)
      place_->store(0, std::memory_order_relaxed);
  }
  OwnThread(const OwnThread &) = delete;
  OwnThread &operator=(const OwnThread &) = delete;

  /// Whether the thread with the kernel's number `id` is one.
  static bool is(pid_t id) {
    for (const std::atomic<pid_t> &own : ids_)
      if (own.load(std::memory_order_relaxed) == id)
        return true;
    return false;
  }

private:
  /// Numbers that nothing else is published by; 0: free. Several devices have some twenty threads each.
  inline static std::array<std::atomic<pid_t>, 512> ids_{};
  std::atomic<pid_t> *place_ = nullptr;
};

} // namespace cupr::host

#endif
