#include "resident_blocks.h"

#include <algorithm>
#include <new>
#include <thread>

namespace cupr::cpu {

void ResidentBlocks::open(const Limits &limits) {
  limits_ = limits;
  next_.store(0, std::memory_order_relaxed);
  stopped_.store(false, std::memory_order_relaxed);
  threads_ = limits.turns;
  mayBeResident_ = limits.together ? limits.blocks : std::max(limits.turns, limits.cluster);
  inVain_ = 0;
}

std::optional<std::uint64_t> ResidentBlocks::next() {
  if (!stopped_.load(std::memory_order_relaxed)) {
    // Ascending: a block that looks back at its predecessors finds them begun.
    const std::uint64_t block = next_.fetch_add(1, std::memory_order_relaxed);
    if (block < limits_.blocks)
      return block;
  }
  std::lock_guard lock(mutex_);
  --threads_;
  wakeNext();
  return std::nullopt;
}

void ResidentBlocks::ended() {
  if (!anySleeps_.load(std::memory_order_relaxed))
    return;
  std::unique_lock lock(mutex_);
  inVain_ = 0;
  if (!sleepers_.empty()) {
    wakeNext();
    sleep(lock);
  }
}

bool ResidentBlocks::letOthersRun() {
  std::unique_lock lock(mutex_);
  if (stopped_.load(std::memory_order_relaxed))
    return false;
  if (++inVain_ > threads_) {
    mayBeResident_ = std::max(mayBeResident_, std::min(2 * mayBeResident_, limits_.resident));
    inVain_ = 0;
  }
  if (threads_ < mayBeResident_ && next_.load(std::memory_order_relaxed) < limits_.blocks) {
    ++threads_;
    if (limits_.startThread()) {
      sleep(lock);
      return !stopped_.load(std::memory_order_relaxed);
    }
    --threads_;
    limits_.resident = mayBeResident_ = threads_;
  }
  if (sleepers_.empty()) { // what it waits for runs, or nothing ever lets it go on
    lock.unlock();
    std::this_thread::yield();
    return true;
  }
  wakeNext();
  sleep(lock);
  return !stopped_.load(std::memory_order_relaxed);
}

void ResidentBlocks::advanced() {
  std::lock_guard lock(mutex_);
  inVain_ = 0;
}

void ResidentBlocks::stop() {
  std::lock_guard lock(mutex_);
  stopped_.store(true, std::memory_order_relaxed);
  while (!sleepers_.empty())
    wakeNext();
}

void ResidentBlocks::forget() {
  new (&mutex_) std::mutex;
  sleepers_.clear();
  anySleeps_.store(false, std::memory_order_relaxed);
}

void ResidentBlocks::wakeNext() {
  if (sleepers_.empty())
    return;
  Sleeper *const sleeper = sleepers_.front();
  sleepers_.pop_front();
  anySleeps_.store(!sleepers_.empty(), std::memory_order_relaxed);
  sleeper->awake = true;
  sleeper->wake.notify_one();
}

void ResidentBlocks::sleep(std::unique_lock<std::mutex> &lock) {
  Sleeper self;
  sleepers_.push_back(&self);
  anySleeps_.store(true, std::memory_order_relaxed);
  self.wake.wait(lock, [&] { return self.awake; });
}

} // namespace cupr::cpu
