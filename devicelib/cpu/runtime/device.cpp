#include "device.h"

#include "environment.h"
#include "faults.h"
#include "registry.h"
#include "witness.h"

#include <algorithm>
#include <new>
#include <pthread.h>
#include <system_error>

namespace cupr::cpu {

Device &Device::instance() {
  // Never destroyed: programs launch and free from destructors of static objects.
  static Device *device = new Device;
  return *device;
}

Device::Device() {
  using enum abi::SettingName;
  Registry::instance().warnOfProcessor();
  const unsigned hardware = std::thread::hardware_concurrency();
  threads_ = static_cast<unsigned>(environmentNumber(CUPR_CPU_THREADS, hardware ? hardware : 1));
  stackBytes_ = environmentNumber(CUPR_CPU_STACK);
  timeoutSeconds_ = static_cast<unsigned>(environmentNumber(CUPR_CPU_TIMEOUT));
  merging_ = environmentWord(CUPR_CPU_MODE) == "fast" ? Merging::Fast : Merging::Lockstep;
  ::pthread_atfork(nullptr, nullptr, [] { instance().forgetThreads(); });
}

/// A child of fork has none of the threads. If another thread was launching, what that held is lost: the
/// locks start anew, and the blocks, in one of which it may have been, are left as they are.
void Device::forgetThreads() {
  new (&launching_) std::mutex;
  new (&mutex_) std::mutex;
  new (&wake_) std::condition_variable;
  new (&done_) std::condition_variable;
  pool_.clear();
  static auto *const left = new std::vector<std::unique_ptr<Block>>; // a leak checker finds them here
  for (auto &block : blocks_)
    left->push_back(std::move(block));
  blocks_.clear();
  busy_ = 0;
}

std::size_t Device::makeBlocks(std::size_t count) {
  while (blocks_.size() < count) {
    std::unique_ptr<Block> block(new (std::nothrow) Block(stackBytes_));
    if (!block || !block->exists())
      break;
    blocks_.push_back(std::move(block));
  }
  return std::min(count, blocks_.size());
}

unsigned Device::startThreads(unsigned wanted) {
  const auto count = static_cast<unsigned>(makeBlocks(wanted));
  try {
    while (pool_.size() + 1 < count) {
      const unsigned worker = static_cast<unsigned>(pool_.size()) + 1;
      pool_.emplace_back([this, worker] { work(worker); });
      pool_.back().detach();
    }
  } catch (const std::system_error &) { // no memory for its stack
    return static_cast<unsigned>(pool_.size()) + 1;
  }
  return count;
}

void Device::work(unsigned worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return generation_ != seen; });
    seen = generation_;
    if (worker >= wanted_)
      continue;
    lock.unlock();
    runBlocks(worker);
    lock.lock();
    if (--busy_ == 0)
      done_.notify_one();
  }
}

void Device::runBlocks(unsigned worker) {
  Block &block = *blocks_[worker];
  watchFaults();
  while (!failed_.load(std::memory_order_relaxed)) {
    // Ascending: a block that looks back at its predecessors finds them started.
    const std::uint64_t linear = nextBlock_.fetch_add(1, std::memory_order_relaxed);
    if (linear >= blockCount_)
      return;
    const Failure failure = block.run(shape_, linear);
    if (failure == Failure::None)
      continue;
    std::lock_guard lock(mutex_);
    if (result_.failure == Failure::None || linear < failedBlock_) {
      result_ = {failure, block.message()};
      failedBlock_ = linear;
    }
    failed_.store(true, std::memory_order_relaxed);
  }
}

std::unique_lock<std::mutex> Device::holdVariables(int device) {
  if (deviceCount() == 1)
    return {};
  std::unique_lock lock(launching_);
  banks_.use(device);
  return lock;
}

LaunchResult Device::launch(const LaunchShape &shape, bool together) {
  std::lock_guard launching(launching_);
  if (deviceCount() > 1)
    banks_.use(shape.device);
  Witness::instance().nextLaunch();
  std::unique_lock lock(mutex_);
  shape_ = shape;
  shape_.sink = shape.kernel->flags & abi::kCpuKernelRecordsNothing ? nullptr : sink();
  shape_.merging = merging_;
  shape_.timeoutSeconds = timeoutSeconds_;
  shape_.start = std::chrono::steady_clock::now();
  blockCount_ = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  result_ = {};
  failed_.store(false, std::memory_order_relaxed);
  nextBlock_.store(0, std::memory_order_relaxed);
  workspace_ = {sizeof workspace_, 0};
  shape_.workspace = together ? &workspace_ : nullptr;
  const unsigned pooled =
      startThreads(static_cast<unsigned>(blockCount_ < threads_ ? blockCount_ : threads_));
  if (pooled == 0 || (together && makeBlocks(blockCount_) < blockCount_)) {
    blocks_.resize(std::min<std::size_t>(blocks_.size(), threads_));
    return {Failure::NoMemory,
            "no memory for the stacks and the shared memory of " +
                std::to_string(together ? blockCount_ : 1) +
                " blocks; lower CUPR_CPU_STACK or CUPR_CPU_THREADS, or is there a limit on "
                "virtual memory (ulimit -v)?"};
  }
  wanted_ = pooled;
  busy_ = pooled - 1;
  ++generation_;
  // Blocks that wait for each other need a thread each; these live for this launch.
  std::vector<std::thread> more;
  if (together && blockCount_ > pooled) {
    for (unsigned worker = pooled; worker < blockCount_; ++worker)
      more.emplace_back([this, worker] { runBlocks(worker); });
  }
  lock.unlock();
  if (pooled > 1)
    wake_.notify_all();
  runBlocks(0);
  for (std::thread &thread : more)
    thread.join();
  lock.lock();
  done_.wait(lock, [&] { return busy_ == 0; });
  if (blocks_.size() > threads_)
    blocks_.resize(threads_);
  return result_;
}

} // namespace cupr::cpu

extern "C" void cuprCpuSetRecordSink(cupr::abi::RecordSink *sink) {
  cupr::cpu::Device::instance().setSink(sink);
}
