#include "device.h"

#include "devicelib/abi/source_name.h"
#include "devicelib/abi/standard_error.h"
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
  for (std::thread &thread : forLaunch_)
    new (&thread) std::thread;
  forLaunch_.clear();
  resident_.forget();
  clusters_.forget();
  new (&nested_) NestedLaunches;
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
    Block &block = *blocks_[worker];
    lock.unlock();
    runBlocks(block);
    lock.lock();
    if (--busy_ == 0)
      done_.notify_one();
  }
}

void Device::runBlocks(Block &block) {
  watchFaults();
  while (const std::optional<std::uint64_t> turn = resident_.next()) {
    bool isThere = true;
    const BlockPlace place = clusters_.begin(*turn, isThere);
    const Failure failure = isThere ? block.run(shape_, place) : Failure::NoMemory;
    const std::string message = isThere ? block.message() : "no memory for the shared memory of a cluster";
    if (failure == Failure::None) {
      clusters_.end(place);
      resident_.ended();
      continue;
    }
    resident_.stop();
    std::lock_guard lock(mutex_);
    if (failure != Failure::GivenUp && (result_.failure == Failure::None || place.linear < failedBlock_)) {
      result_ = {failure, message};
      failedBlock_ = place.linear;
    }
  }
}

/// One more worker, for blocks of the running launch. Returns false, and says so, where there is no memory for one.
bool Device::startForLaunch() {
  std::lock_guard lock(mutex_);
  const unsigned worker = wanted_ + static_cast<unsigned>(forLaunch_.size());
  bool isStarted = false;
  try {
    if (makeBlocks(worker + 1) > worker) {
      forLaunch_.emplace_back([this, &block = *blocks_[worker]] {
        runBlocks(block);
        std::lock_guard ended(mutex_);
        if (--busy_ == 0)
          done_.notify_one();
      });
      ++busy_;
      isStarted = true;
    }
  } catch (const std::exception &) { // no memory for it, or for its stack
  }
  if (!isStarted)
    abi::say("cuprewrite: CPU device: kernel %s: %u blocks wait for others, and there is no memory for a "
             "thread that runs one more; is there a limit (ulimit -u, ulimit -v)?\n",
             abi::sourceName(shape_.kernel->name).c_str(), worker);
  return isStarted;
}

std::unique_lock<std::mutex> Device::holdVariables(int device) {
  if (deviceCount() == 1)
    return {};
  std::unique_lock lock(launching_);
  banks_.use(device);
  return lock;
}

LaunchResult Device::launch(const LaunchShape &shape, std::uint64_t resident, bool together) {
  std::lock_guard launching(launching_);
  if (deviceCount() > 1)
    banks_.use(shape.device);
  LaunchResult result = runGrid(shape, resident, together);
  if (result.failure == Failure::None)
    result = runNested(shape);
  nested_.take(); // of a grid that has failed
  return result;
}

LaunchResult Device::runNested(const LaunchShape &launching) {
  for (NestedLaunch &launch : nested_.take()) {
    const LaunchShape shape = launch.shape(launching);
    LaunchResult result =
        runGrid(shape, std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z, /*together=*/false);
    if (result.failure == Failure::None)
      result = runNested(shape);
    if (result.failure != Failure::None)
      return result;
  }
  return {};
}

LaunchResult Device::runGrid(const LaunchShape &shape, std::uint64_t resident, bool together) {
  Witness::instance().nextLaunch();
  std::unique_lock lock(mutex_);
  shape_ = shape;
  shape_.sink = shape.kernel->flags & abi::kCpuKernelRecordsNothing ? nullptr : sink();
  shape_.merging = merging_;
  shape_.timeoutSeconds = timeoutSeconds_;
  shape_.start = std::chrono::steady_clock::now();
  const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  result_ = {};
  workspace_ = {sizeof workspace_, 0};
  shape_.workspace = together ? &workspace_ : nullptr;
  const unsigned pooled = startThreads(static_cast<unsigned>(std::min<std::uint64_t>(blocks, threads_)));
  if (pooled == 0 || (together && makeBlocks(blocks) < blocks)) {
    blocks_.resize(std::min<std::size_t>(blocks_.size(), threads_));
    return {Failure::NoMemory,
            "no memory for the stacks and the shared memory of " + std::to_string(together ? blocks : 1) +
                " blocks; lower CUPR_CPU_STACK or CUPR_CPU_THREADS, or is there a limit on "
                "virtual memory (ulimit -v)?"};
  }
  wanted_ = pooled;
  busy_ = pooled - 1;
  ++generation_;
  shape_.blocks = &resident_;
  clusters_.open(shape.grid, shape.cluster);
  resident_.open(
      {blocks, pooled, resident, clusters_.blocks(), together, [this] { return startForLaunch(); }});
  Block &own = *blocks_[0];
  lock.unlock();
  if (pooled > 1)
    wake_.notify_all();
  runBlocks(own);
  lock.lock();
  done_.wait(lock, [&] { return busy_ == 0; });
  for (std::thread &thread : forLaunch_)
    thread.join();
  forLaunch_.clear();
  clusters_.close();
  if (blocks_.size() > threads_)
    blocks_.resize(threads_);
  return result_;
}

} // namespace cupr::cpu

extern "C" void cuprCpuSetRecordSink(cupr::abi::RecordSink *sink) {
  cupr::cpu::Device::instance().setSink(sink);
}
