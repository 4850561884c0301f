#include "host_sampler.h"

#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/own_thread.h"
#include "hostlib/runtime/driver/signals_to_others.h"
#include "perf_clock.h"
#include "timer_clock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace cupr::host {
namespace {

/// Samples that are handed over at once.
constexpr std::size_t kBatch = 4096;
/// Whether a thread that could have no clock is tried again when it has been there for so many rounds: soon, then every 64th.
bool isTriedAgain(std::uint64_t rounds) {
  return rounds < 64 ? std::has_single_bit(rounds) : rounds % 64 == 0;
}

std::string nameOf(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

} // namespace

HostSampler::HostSampler(SampleReceiver &receiver, Options options)
    : receiver_(receiver), options_(std::move(options)) {
  {
    const SignalsToOthers signals;
    thread_ = std::thread([this] { watch(); });
  }
  // Only now does this thread take signals again, as a clock may need.
  std::unique_lock lock(mutex_);
  isOpen_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return isReady_; });
}

HostSampler::~HostSampler() { finish(); }

void HostSampler::finish() {
  {
    const std::scoped_lock lock(mutex_);
    isOver_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void HostSampler::watch() {
  const OwnThread own;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return isOpen_; });
  }
  tasks_.open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
  // Half of a clock's room is for rounds that come late.
  const auto round = std::clamp<std::chrono::nanoseconds>(
      std::chrono::nanoseconds(kSamplesKept / 2 * options_.period), kRoundLeast, kRoundMost);
  for (bool isOver = false; !isOver;) {
    try {
      findThreads();
      for (auto &[id, thread] : threads_)
        drain(id, thread);
      if (batch_.samples.size() >= kBatch)
        handOver();
    } catch (const std::bad_alloc &) { // samples are missing, their weight goes to later ones
    }
    std::unique_lock lock(mutex_);
    isReady_ = true;
    changed_.notify_all();
    isOver = changed_.wait_for(lock, round, [&] { return isOver_; });
  }
  try {
    for (auto &[id, thread] : threads_) {
      drain(id, thread);
      stop(thread);
    }
    if (perfEvents_.isUsed)
      batch_.samplings.push_back(told("perf_event_open", perfEvents_));
    if (timers_.isUsed)
      batch_.samplings.push_back(told("timer", timers_));
    handOver();
  } catch (const std::bad_alloc &) {
  }
  if (!perfEvents_.isUsed && !timers_.isUsed)
    message("CUPR_HOST_SAMPLES: neither perf_event_open nor timers can be had here; there are no samples");
}

trace::HostSampling HostSampler::told(const char *source, const Sum &sum) const {
  return {source, options_.period, sum.delivered, sum.lost};
}

void HostSampler::findThreads() {
  ++round_;
  alignas(dirent64) std::array<char, 4096> entries;
  tasks_.rewind();
  while (const std::size_t bytes = tasks_.readEntries(entries.data(), entries.size()))
    for (std::size_t at = 0; at + offsetof(dirent64, d_name) < bytes;) {
      const auto *const entry = reinterpret_cast<const dirent64 *>(entries.data() + at);
      at += entry->d_reclen;
      pid_t id = 0;
      std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), id);
      if (id == 0 || OwnThread::is(id)) // 0: . and ..
        continue;
      Sampled &thread = threads_[id];
      if (thread.round == 0) {
        thread.firstRound = round_;
        thread.name = nameOf(id);
      }
      if (!thread.clock && (thread.round == 0 || isTriedAgain(round_ - thread.firstRound)))
        giveClock(id, thread);
      thread.round = round_;
    }
  const bool isDisturbed = timers_.isUsed && TimerClock::isDisturbed();
  for (auto at = threads_.begin(); at != threads_.end();) {
    const bool isGone = at->second.round != round_;
    if (isGone || (isDisturbed && at->second.source == SampleSource::Timers)) {
      drain(at->first, at->second);
      stop(at->second);
    }
    if (isGone && at->second.number != trace::kNoHostIndex)
      receiver_.ended(at->first);
    at = isGone ? threads_.erase(at) : std::next(at);
  }
}

void HostSampler::giveClock(pid_t id, Sampled &thread) {
  for (const SampleSource source : options_.sources) {
    if (source == SampleSource::PerfEvents)
      thread.clock = PerfClock::start(id, options_.period);
    else
      thread.clock = TimerClock::start(id, options_.period);
    if (thread.clock) {
      thread.source = source;
      (source == SampleSource::PerfEvents ? perfEvents_ : timers_).isUsed = true;
      return;
    }
  }
}

void HostSampler::drain(pid_t id, Sampled &thread) {
  if (!thread.clock)
    return;
  thread.clock->drain([&](const StackSample &sample) {
    if (thread.number == trace::kNoHostIndex) {
      if (std::string now = nameOf(id); !now.empty()) // else it has ended
        thread.name = std::move(now);
      thread.number = receiver_.threadOf(id, thread.name);
    }
    trace::HostSample row;
    row.time = std::max(sample.time, options_.startTime) - options_.startTime;
    row.thread = thread.number;
    row.weight = sample.weight;
    if (sample.isKnown)
      row.node =
          receiver_.pathOf(sample.registers, CopiedStack(sample.registers.sp, sample.stack, sample.bytes));
    batch_.samples.push_back(row);
  });
}

void HostSampler::stop(Sampled &thread) {
  if (!thread.clock)
    return;
  Sum &sum = thread.source == SampleSource::PerfEvents ? perfEvents_ : timers_;
  sum.delivered += thread.clock->delivered();
  sum.lost += thread.clock->lost();
  thread.clock = nullptr;
}

void HostSampler::handOver() {
  if (!batch_.samples.empty() || !batch_.samplings.empty())
    receiver_.write(std::exchange(batch_, {}));
}

} // namespace cupr::host
