#include "host_log.h"

#include "host_symbols.h"
#include "thread_calls.h"

#include <algorithm>
#include <array>
#include <chrono>
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

void HostLog::add(ThreadCalls &thread, std::uint32_t &number) {
  const std::scoped_lock lock(threadsMutex_, writeMutex_);
  threads_.push_back(&thread);
  number = numberLocked(callingThread());
}

void HostLog::remove(ThreadCalls &thread) {
  threadEnded(static_cast<std::uint64_t>(gettid()));
  const std::scoped_lock lock(threadsMutex_);
  if (std::erase(threads_, &thread) == 0) // the trace is finished
    return;
  try {
    thread.flush();
  } catch (...) {
    lose();
  }
}

void HostLog::write(std::uint32_t thread, std::vector<GatheredCall> &calls,
                    std::vector<std::uint64_t> &acts) {
  if (calls.empty())
    return;
  trace::HostBatch batch;
  batch.calls.reserve(calls.size());
  const std::scoped_lock lock(writeMutex_);
  if (!std::exchange(isWhole_, false))
    return;
  std::size_t act = 0;
  for (const GatheredCall &call : calls) {
    const auto [name, isNew] =
        names_.try_emplace(callOf(call.hook), static_cast<std::uint32_t>(names_.size()));
    if (isNew)
      batch.names.push_back(name->first);
    batch.calls.push_back({name->second, thread, call.node, call.began, call.ended});
    for (; act < call.actsEnd; ++act)
      batch.acts.push_back({acts[act], calls_});
    ++calls_;
  }
  calls.clear();
  acts.erase(acts.begin(),
             acts.begin() + static_cast<std::ptrdiff_t>(act)); // what is left is of a call that isn't over
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

// Who finishes is not InRuntime: behind that, a thread waits for the end of finishing when a signal ends the process.
void HostLog::finish() {
  const std::scoped_lock lock(threadsMutex_);
  for (ThreadCalls *const thread : threads_)
    thread->flush();
  threads_.clear();
}

void HostLog::writeNames() {
  trace::HostBatch batch;
  for (const CodePlace &place : tree_.places())
    batch.places.push_back({place.object, place.offset, {}});
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
