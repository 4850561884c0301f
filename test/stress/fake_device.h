/// A device whose copy engine is a thread: what PageSource asks of the driver, with trouble.
#ifndef CUPR_STRESS_FAKE_DEVICE_H
#define CUPR_STRESS_FAKE_DEVICE_H

#include "hostlib/runtime/driver/driver.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace cupr::stress {

/// One at a time: the driver's functions have no place for a pointer.
class FakeDevice {
public:
  /// `mayCopy(n)` is asked before the n-th copy of a page, again and again until it says yes.
  explicit FakeDevice(std::function<bool(unsigned)> mayCopy);
  ~FakeDevice();
  FakeDevice(const FakeDevice &) = delete;
  FakeDevice &operator=(const FakeDevice &) = delete;

  const host::Driver &driver() const { return driver_; }
  /// From now on every call fails, and no copy ends.
  void fail() { hasFailed_ = true; }

private:
  struct Job {
    std::uintptr_t event; ///< 0: it is a copy
    unsigned char *to;
    const unsigned char *from;
    std::size_t bytes;
  };
  void run();
  void give(Job job);

  const std::function<bool(unsigned)> mayCopy_;
  host::Driver driver_;
  std::atomic<bool> hasFailed_{false}, stops_{false};
  std::mutex mutex_; ///< guards what follows
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::set<std::uintptr_t> done_; ///< events
  std::uintptr_t events_ = 0;
  std::thread thread_;
};

} // namespace cupr::stress

#endif
