/// The objects behind the API's opaque handles: what the program holds, so that a wrong handle is an error
/// and not a crash.
#ifndef CUPR_CPU_HANDLES_H
#define CUPR_CPU_HANDLES_H

#include <mutex>
#include <unordered_set>
#include <utility>

namespace cupr::cpu {

/// Threads: all members from any thread; what a handle points to is the caller's affair.
template <typename T> class Handles {
public:
  T *add(T value) {
    std::lock_guard lock(mutex_);
    T *handle = new T(std::move(value));
    live_.insert(handle);
    return handle;
  }
  bool remove(T *handle) {
    {
      std::lock_guard lock(mutex_);
      if (!live_.erase(handle))
        return false;
    }
    delete handle;
    return true;
  }
  bool holds(T *handle) {
    std::lock_guard lock(mutex_);
    return live_.count(handle) != 0;
  }

private:
  std::mutex mutex_;
  std::unordered_set<T *> live_;
};

} // namespace cupr::cpu

#endif
