/// DeviceQueue: launches whose kernels run on when a signal ends the process.
#include "device_queue.h"

#include "hostlib/runtime/driver/own_thread.h"
#include "hostlib/runtime/driver/process_ending.h"
#include "hostlib/trace/cut_off.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace cupr::host {
namespace {

/// After a signal that ends the process: when it is given up to wait for kernels, and when for those that close them. By the first a thread
/// that the signal has interrupted goes on again, which may hold a lock of the driver's; and finishing the trace has 5 seconds in all.
constexpr std::chrono::milliseconds kUntilCutOff{1500}, kUntilGivenUp{3500};
constexpr std::chrono::milliseconds kLook{20}; ///< for that
constexpr trace::LaunchId kNoLaunch{UINT64_MAX};

} // namespace

/// A kernel may run for ever, and a signal end the process meanwhile. What it has recorded by then is taken, if the GPU has room for the
/// kernel that closes pages, and of the others what lies in host memory.
void DeviceQueue::awaitLaunches() {
  enum class Step { Wait, CutOff, GiveUp } step = Step::Wait;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLook, [&] { return open_.empty(); })) {
    const ProcessEnding::Clock::duration ending = ProcessEnding::lasted();
    if (step == Step::Wait && ending >= kUntilCutOff) {
      step = Step::CutOff;
      lock.unlock();
      cutOff();
      lock.lock();
    } else if (step == Step::CutOff && ending >= kUntilGivenUp) {
      step = Step::GiveUp;
      source_->giveUp("a signal ended the process while the kernel ran");
    }
  }
}

void DeviceQueue::cutOff() {
  std::vector<Open> running;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto &[id, launch] : open_)
      if (!launch.hasEnd)
        running.push_back(launch);
    toCutOff_ = running.size();
  }
  // The driver may be held by a thread that waits for the kernel.
  std::thread([this, running = std::move(running)] {
    const OwnThread own;
    driver_.cuCtxSetCurrent(context_);
    for (const Open &launch : running) {
      Trace argument = argumentOf(launch.id, launch.tally);
      argument.launch |= kCutOffBit;
      launchCloseIn(cutOffStream_, argument, launch.tally.array.host);
    }
  }).detach();
}

/// A launch whose kernel has been cut off may come to its own end all the same, before or behind that. Of those that are cut off nothing
/// is ended before it is known of all how far they have come.
void DeviceQueue::takeEnd(Ending ending) {
  std::size_t toCutOff;
  {
    const std::scoped_lock lock(mutex_);
    const auto launch = open_.find(ending.end.id);
    toCutOff = toCutOff_;
    if (launch == open_.end() || std::exchange(launch->second.hasEnd, true)) {
      if (!ending.isCutOff)
        return;
      ending.end.id = kNoLaunch;
    }
  }
  if (!ending.isCutOff) {
    endings_.push_back(std::move(ending));
    return;
  }
  ending.end.complete = false;
  ending.end.reason = trace::kCutOff;
  cutOff_.push_back(std::move(ending));
  if (cutOff_.size() != toCutOff)
    return;
  const std::vector<std::uint64_t> positions = cutOff_.back().positions;
  source_->stopAt(positions);
  for (Ending &each : cutOff_)
    each.positions = positions;
  std::erase_if(cutOff_, [](const Ending &each) { return each.end.id == kNoLaunch; });
  endings_.splice(endings_.end(), cutOff_);
}

} // namespace cupr::host
