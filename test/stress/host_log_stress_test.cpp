/// Many threads that make calls of the API while others end, and while the trace does.
#include "hostlib/runtime/paths/api_call.h"

#include "recording_writer.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <latch>
#include <map>
#include <thread>
#include <vector>

using namespace cupr::host;
using cupr::trace::HostBatch;

extern "C" __thread int __cupr_runtime_depth = 0; // else of the CPU device

namespace {

/// Keeps what is written, which must come from one thread at a time.
class HostWriter : public cupr::stress::RecordingWriter {
public:
  HostWriter() : RecordingWriter(0, 0, 0, [] {}) {}
  void host(const HostBatch &batch) override {
    together += isIn_.exchange(true);
    written += batch;
    isIn_ = false;
  }
  HostBatch written;
  std::atomic<unsigned> together{0};

private:
  std::atomic<bool> isIn_{false};
};

/// A log that is told calls as long as this is there. It stays: the runtime never deletes one either.
class CurrentLog {
public:
  explicit CurrentLog(HostWriter &writer) {
    static std::vector<std::unique_ptr<HostLog>> logs;
    log_ = logs.emplace_back(std::make_unique<HostLog>(writer, 0)).get();
    HostLog::makeCurrent(log_);
  }
  ~CurrentLog() { HostLog::makeCurrent(nullptr); }
  CurrentLog(const CurrentLog &) = delete;
  CurrentLog &operator=(const CurrentLog &) = delete;

  void finish() {
    HostLog::makeCurrent(nullptr);
    log_->finish();
  }

private:
  HostLog *log_;
};

thread_local volatile int sink;

/// Calls, and calls inside these, which are part of them; each does two things.
__attribute__((noinline)) void cupr_hook_inner(std::uint64_t order) {
  const ApiCall call;
  ThreadCalls::ofThread().act(order);
}
__attribute__((noinline)) void cupr_hook_outer(std::uint64_t order) {
  const ApiCall call;
  ThreadCalls::ofThread().act(order);
  cupr_hook_inner(order + 1);
}
__attribute__((noinline)) void oneWay(std::uint64_t order) {
  cupr_hook_outer(order);
  sink = 1;
}
__attribute__((noinline)) void anotherWay(std::uint64_t order) {
  cupr_hook_outer(order);
  sink = 2;
}

constexpr std::uint64_t kThread = std::uint64_t{1} << 32;

/// The calls `first` to `end` of a thread, fewer where it is over before.
void callOften(std::uint64_t thread, std::uint64_t first, std::uint64_t end,
               const std::atomic<bool> &isOver) {
  for (std::uint64_t i = first; i < end && !isOver.load(std::memory_order_relaxed); ++i)
    (i % 3 ? oneWay : anotherWay)(thread * kThread + 2 * i);
}

} // namespace

TEST_CASE("Calls of many threads are all written, each with what it did, while threads and the trace end") {
  constexpr std::uint64_t kEnding = 32, kGoingOn = 8, kCalls = 10'000;
  HostWriter writer;
  CurrentLog log(writer);
  std::atomic<bool> isOver{false};
  std::latch begun(kGoingOn); // a thread that has called nothing is not written
  std::vector<std::thread> ending, goingOn;
  for (std::uint64_t thread = 0; thread < kEnding; ++thread)
    ending.emplace_back([&, thread] { callOften(thread, 0, kCalls, isOver); });
  for (std::uint64_t thread = kEnding; thread < kEnding + kGoingOn; ++thread)
    goingOn.emplace_back([&, thread] {
      callOften(thread, 0, 1, isOver);
      begun.count_down();
      callOften(thread, 1, UINT64_MAX, isOver);
    });
  for (std::thread &thread : ending)
    thread.join();
  begun.wait();
  log.finish();
  const HostBatch written = writer.written;
  isOver = true;
  for (std::thread &thread : goingOn)
    thread.join();
  CHECK(writer.together == 0);
  CHECK(writer.written == written); // nothing came behind the end
  CHECK(written.threads.size() == kEnding + kGoingOn);
  CHECK(written.names == std::vector<std::string>{"outer"});
  REQUIRE(written.acts.size() == 2 * written.calls.size());

  std::map<std::uint64_t, std::uint64_t> callsOf;  // by thread, as the orders have it
  std::map<std::uint32_t, std::uint64_t> threadOf; // by its number in the log
  std::map<std::uint32_t, unsigned> innermost;     // nodes of paths, by which way they came
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < written.acts.size(); ++i) {
    const auto &act = written.acts[i];
    const auto &call = written.calls.at(act.call);
    const std::uint64_t thread = act.order / kThread, number = act.order % kThread;
    wrong += act.call != i / 2 || threadOf.try_emplace(call.thread, thread).first->second != thread ||
             call.ended < call.began || call.node >= written.nodes.size();
    wrong += number != 2 * callsOf[thread] + i % 2;
    callsOf[thread] += i % 2;
    innermost[call.node] |= number / 2 % 3 ? 1 : 2;
  }
  CHECK(wrong == 0);
  for (std::uint64_t thread = 0; thread < kEnding; ++thread)
    CHECK(callsOf[thread] == kCalls);
  for (const auto &[node, ways] : innermost)
    CHECK(ways != 3);
}

namespace {

/// As the launch of a graph does one thing for each node.
__attribute__((noinline)) void cupr_hook_large(std::uint64_t acts) {
  const ApiCall call;
  for (std::uint64_t order = 0; order < acts; ++order)
    ThreadCalls::ofThread().act(order);
}

} // namespace

TEST_CASE("A call that does more than its channel has room for is written with all of it") {
  constexpr std::uint64_t kActs = 5 * CallChannel::kRows + 1;
  HostWriter writer;
  CurrentLog log(writer);
  cupr_hook_large(kActs);
  cupr_hook_inner(kActs);
  log.finish();
  CHECK(writer.together == 0);
  REQUIRE(writer.written.calls.size() == 2);
  REQUIRE(writer.written.acts.size() == kActs + 1);
  std::size_t wrong = 0;
  for (std::uint64_t order = 0; order <= kActs; ++order)
    wrong += writer.written.acts[order].order != order || writer.written.acts[order].call != order / kActs;
  CHECK(wrong == 0);
}
