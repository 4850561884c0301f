#include "host_log.h"

#include "host_symbols.h"
#include "hostlib/runtime/driver/own_thread.h"
#include "hostlib/runtime/driver/signals_to_others.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <new>
#include <pthread.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace cupr::host {
namespace {

/// For debug information. A process that a signal ends has five seconds for all of its trace's end.
constexpr std::chrono::milliseconds kNamesBudget{1000};

/// As programs write it: without what says that it is the hook, for which default stream, and of which version of the driver's functions.
std::string callOf(std::string_view hook) {
  for (const std::string_view prefix : {"cupr_hook_", "cupr_driver_"})
    if (hook.starts_with(prefix))
      hook.remove_prefix(prefix.size());
  for (const std::string_view suffix : {"_ptsz", "_ptds"})
    if (hook.ends_with(suffix))
      hook.remove_suffix(suffix.size());
  if (hook.size() > 3 && hook[hook.size() - 3] == '_' && hook[hook.size() - 2] == 'v')
    hook.remove_suffix(3);
  return std::string(hook);
}

trace::HostThread callingThread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return {static_cast<std::uint64_t>(gettid()), name.data()};
}

} // namespace

std::atomic<HostLog *> HostLog::current_{nullptr};

std::uint32_t HostLog::numberOf(const trace::HostThread &thread) {
  const std::scoped_lock lock(writeMutex_);
  return numberLocked(thread);
}

std::uint32_t HostLog::numberLocked(const trace::HostThread &thread) {
  const auto [entry, isNew] = numbers_.try_emplace(thread.id, threadCount_);
  if (isNew) {
    newThreads_.push_back(thread);
    ++threadCount_;
  }
  return entry->second;
}

void HostLog::threadEnded(std::uint64_t id) {
  const std::scoped_lock lock(writeMutex_);
  numbers_.erase(id);
}

CallChannel &HostLog::add() {
  const std::scoped_lock lock(channelsMutex_, writeMutex_);
  return *channels_.emplace_back(std::make_shared<CallChannel>(numberLocked(callingThread())));
}

void HostLog::remove(CallChannel &channel) {
  threadEnded(static_cast<std::uint64_t>(gettid()));
  const std::scoped_lock lock(channelsMutex_);
  const auto isIt = [&](const auto &each) { return each.get() == &channel; };
  if (std::erase_if(finished_, isIt) != 0)
    return;
  collect(channel);
  std::erase_if(channels_, isIt);
}

void HostLog::push(CallChannel &channel, const CallRow &row) noexcept {
  if (!channel.rows.push(row)) {
    collect(channel);
    if (!channel.rows.push(row))
      lose();
  }
  if (channel.rows.written() % CallChannel::kBatch == 0)
    wakeCollector();
}

void HostLog::collect(CallChannel &channel) noexcept {
  const std::scoped_lock lock(channel.collecting);
  try {
    std::vector<CallRow> rows;
    rows.reserve(CallChannel::kRows);
    channel.rows.collect([&](const CallRow &row) { rows.push_back(row); });
    write(channel.thread, rows, channel.acts);
  } catch (...) {
    lose();
  }
}

void HostLog::write(std::uint32_t thread, const std::vector<CallRow> &rows,
                    std::vector<std::uint64_t> &acts) {
  trace::HostBatch batch;
  batch.calls.reserve(rows.size());
  const std::scoped_lock lock(writeMutex_);
  if (!std::exchange(isWhole_, false))
    return;
  for (const CallRow &row : rows) {
    if (!row.hook) {
      acts.push_back(row.began);
      continue;
    }
    const auto [name, isNew] =
        names_.try_emplace(callOf(row.hook), static_cast<std::uint32_t>(names_.size()));
    if (isNew)
      batch.names.push_back(name->first);
    batch.calls.push_back({name->second, thread, row.node, row.began, row.ended});
    for (const std::uint64_t order : acts)
      batch.acts.push_back({order, calls_});
    acts.clear();
    ++calls_;
  }
  if (batch.calls.empty())
    isWhole_ = true;
  else
    writeLocked(std::move(batch));
}

void HostLog::write(trace::HostBatch batch) {
  const std::scoped_lock lock(writeMutex_);
  if (std::exchange(isWhole_, false))
    writeLocked(std::move(batch));
}

void HostLog::writeLocked(trace::HostBatch batch) {
  tree_.takeNew(batch);
  batch.threads = std::exchange(newThreads_, {});
  writer_.host(batch);
  isWhole_ = true;
}

void HostLog::wakeCollector() noexcept {
  Collector state = Collector::None;
  if (collectorState_.compare_exchange_strong(state, Collector::Starting, std::memory_order_acquire)) {
    std::thread started;
    try {
      const SignalsToOthers signals;
      started = std::thread([this] { runCollector(); });
    } catch (...) { // there are too many threads: each writes its own
      return;
    }
    collector_.swap(started);
    state = Collector::Starting;
    if (!collectorState_.compare_exchange_strong(state, Collector::There, std::memory_order_acq_rel))
      collector_.join(); // the log ended meanwhile, and did not know the thread
  }
  asked_.fetch_add(1, std::memory_order_release);
  asked_.notify_one();
}

void HostLog::runCollector() {
  const OwnThread own;
  // It was started since somebody asked.
  for (std::uint32_t seen = 0;; asked_.wait(seen, std::memory_order_acquire)) {
    seen = asked_.load(std::memory_order_acquire);
    if (collectorState_.load(std::memory_order_acquire) == Collector::Over)
      return;
    try { // else each thread writes its own
      for (const std::shared_ptr<CallChannel> &channel : fullOnes())
        collect(*channel);
    } catch (const std::bad_alloc &) {
    }
  }
}

std::vector<std::shared_ptr<CallChannel>> HostLog::fullOnes() {
  std::vector<std::shared_ptr<CallChannel>> full;
  const std::scoped_lock lock(channelsMutex_);
  std::ranges::copy_if(channels_, std::back_inserter(full),
                       [](const auto &channel) { return channel->rows.waiting() >= CallChannel::kBatch; });
  return full;
}

void HostLog::endCollector() {
  const Collector before = collectorState_.exchange(Collector::Over, std::memory_order_acq_rel);
  asked_.fetch_add(1, std::memory_order_release);
  asked_.notify_one();
  if (before == Collector::There)
    collector_.join();
}

void HostLog::collectAll() {
  const std::scoped_lock lock(channelsMutex_);
  for (const std::shared_ptr<CallChannel> &channel : channels_)
    collect(*channel);
}

// Who finishes is not InRuntime: behind that, a thread waits for the end of finishing when a signal ends the process.
void HostLog::finish() {
  endCollector();
  collectAll();
  const std::scoped_lock lock(channelsMutex_);
  std::ranges::move(channels_, std::back_inserter(finished_));
  channels_.clear();
  trace::HostBatch batch;
  batch.failures = failures_.rows();
  for (trace::HostFailure &failure : batch.failures)
    failure.call = callOf(failure.call);
  if (!batch.failures.empty())
    write(std::move(batch));
}

void HostLog::writeNames() {
  const std::scoped_lock lock(namesMutex_);
  const std::vector<CodePlace> places = tree_.places();
  trace::HostBatch batch;
  for (std::size_t i = std::exchange(named_, places.size()); i < places.size(); ++i)
    batch.places.push_back({places[i].object, places[i].offset, {}});
  if (batch.places.empty())
    return;
  std::vector<trace::HostObject> objects;
  for (const PathTree::LoadedObject &object : tree_.objects())
    objects.push_back({object.path, object.buildId});
  batch.loops = findSymbols(objects, batch.places, {kNamesBudget, startTime_});
  std::erase_if(batch.places, [](const trace::HostPlace &place) { return place.frames.empty(); });
  write(std::move(batch));
}

} // namespace cupr::host
