/// The clocks that samples come from, as guests in a program: what they leave of descriptors, signals and threads.
///
/// How often a clock ticks is up to the kernel and to who else runs on the machine. Where a test needs a tick, it goes on until there is one, up to
/// many times as long as a quiet machine takes.
#include "hostlib/runtime/paths/perf_clock.h"
#include "hostlib/runtime/paths/timer_clock.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace cupr::host;

constexpr std::uint64_t kPeriod = 1'000'000;

std::uint64_t processorTime() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Uses the thread's processor time.
__attribute__((noinline)) void burn(std::uint64_t nanoseconds) {
  for (const std::uint64_t begin = processorTime(); processorTime() - begin < nanoseconds;)
    for (int i = 0; i < 10000; ++i)
      asm volatile("");
}

std::size_t descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

std::uint64_t realTime() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

struct Summary {
  std::uint64_t samples = 0, weight = 0, withoutStack = 0;
  bool isInOrder = true;
};

/// Of stacks, those of samples from `from` on (realTime) are looked at.
Summary drained(ThreadClock &clock, std::uint64_t from = 0) {
  Summary sum;
  std::uint64_t last = 0;
  clock.drain([&](const StackSample &sample) {
    ++sum.samples;
    sum.weight += sample.weight;
    sum.withoutStack += sample.time >= from && sample.bytes < 64;
    sum.isInOrder = sum.isInOrder && sample.time >= last;
    last = sample.time;
  });
  return sum;
}

/// The signal's number: the only real-time one whose handler is none of ours and not the default.
int clockSignal() {
  for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_flags & SA_SIGINFO)
      return signal;
  }
  return 0;
}

/// The clock is the calling thread's and started when the thread had used `begin` of its processor time.
void check(ThreadClock &clock, std::uint64_t begin) {
  constexpr std::uint64_t kRound = 10'000'000; // the room is for 32 samples
  Summary sum;
  // Of a stack that its reader has not looked up, a timer's clock copies nothing; ticks come while it looks, too.
  std::uint64_t known = 0;
  std::uint64_t covered = 0; // of the thread's processor time, when the round of the last sample began
  for (int i = 0; i < 1500 && (i < 30 || sum.samples <= 20); ++i) {
    const std::uint64_t before = processorTime();
    burn(kRound);
    const Summary more = drained(clock, known ? known : UINT64_MAX);
    if (more.samples > 0)
      covered = before - begin;
    if (known == 0 && more.samples > 0)
      known = realTime();
    sum.samples += more.samples;
    sum.weight += more.weight;
    sum.withoutStack += more.withoutStack;
    CHECK(more.isInOrder);
  }
  CHECK(sum.samples == clock.delivered());
  CHECK(sum.samples > 20);
  CHECK(sum.withoutStack == 0);
  CHECK(sum.weight > covered / 100 * 85);
  CHECK(sum.weight < (processorTime() - begin) / 100 * 130);
}

} // namespace

TEST_CASE("a timer's clock has pictures of its thread") {
  const std::uint64_t begin = processorTime();
  const auto clock = TimerClock::start(::gettid(), kPeriod);
  REQUIRE(clock);
  check(*clock, begin);
}

TEST_CASE("the kernel's clock has pictures of its thread, and takes no descriptor") {
  const std::size_t before = descriptors();
  const std::uint64_t begin = processorTime();
  const auto clock = PerfClock::start(::gettid(), kPeriod);
  if (!clock) {
    WARN("perf_event_open is not allowed here");
    return;
  }
  CHECK(descriptors() == before);
  check(*clock, begin);
}

TEST_CASE("clocks of a thread that has ended still have its last samples") {
  std::uint64_t fromTimer = 0, fromPerf = 0;
  bool hasPerf = true;
  for (int i = 0; i < 100 && (fromTimer == 0 || (hasPerf && fromPerf == 0)); ++i) {
    std::atomic<pid_t> id{0};
    std::atomic<bool> hasClock{false};
    std::thread thread([&] {
      id = ::gettid();
      id.notify_all();
      hasClock.wait(false);
      burn(20'000'000);
    });
    id.wait(0);
    const auto perf = PerfClock::start(id, kPeriod);
    const auto timer = TimerClock::start(id, kPeriod);
    hasClock = true;
    hasClock.notify_all();
    thread.join();
    REQUIRE(timer);
    fromTimer += drained(*timer).samples;
    hasPerf = perf != nullptr;
    if (perf)
      fromPerf += drained(*perf).samples;
    CHECK(!TimerClock::start(id, kPeriod));
    CHECK(!PerfClock::start(id, kPeriod));
  }
  CHECK(fromTimer > 0);
  CHECK((!hasPerf || fromPerf > 0));
}

TEST_CASE("a full clock counts what it loses, and goes on") {
  const std::uint64_t begin = processorTime();
  const auto clock = TimerClock::start(::gettid(), kPeriod);
  REQUIRE(clock);
  std::uint64_t weight = 0;
  for (std::uint64_t time = 600'000'000; clock->lost() == 0 && time < 10'000'000'000; time *= 2) {
    burn(time);
    const Summary full = drained(*clock);
    CHECK(full.samples <= kSamplesKept);
    weight += full.weight;
  }
  CHECK(clock->lost() > 0);
  Summary after;
  std::uint64_t covered = 0;
  for (int i = 0; i < 200 && after.samples == 0; ++i) {
    covered = processorTime() - begin;
    burn(50'000'000);
    after = drained(*clock);
  }
  CHECK(after.samples > 0);
  CHECK(weight + after.weight > covered / 100 * 90);
}

TEST_CASE("a thread that holds the signal back has no timer's clock") {
  REQUIRE(TimerClock::start(::gettid(), kPeriod)); // chooses the signal
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  CHECK(!TimerClock::start(::gettid(), kPeriod));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(TimerClock::start(::gettid(), kPeriod));
}

TEST_CASE("a call that a tick interrupts goes on") {
  const auto clock = TimerClock::start(::gettid(), kPeriod);
  REQUIRE(clock);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) {
      burn(20'000);
      REQUIRE(::write(ends[1], "x", 1) == 1);
    }
  });
  int failed = 0;
  for (int i = 0; i < 2000; ++i) {
    burn(20'000);
    char byte = 0;
    failed += ::read(ends[0], &byte, 1) != 1;
  }
  writer.join();
  CHECK(failed == 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("the clock's signal from somebody else ends the process, as without a clock") {
  REQUIRE(TimerClock::start(::gettid(), kPeriod));
  const int signal = clockSignal();
  REQUIRE(signal != 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::raise(signal);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
}

// Last: no timer's clock ticks afterwards.
TEST_CASE("where the program gives the signal an action, clocks are disturbed") {
  REQUIRE(TimerClock::start(::gettid(), kPeriod));
  CHECK(!TimerClock::isDisturbed());
  const int signal = clockSignal();
  REQUIRE(::signal(signal, SIG_IGN) != SIG_ERR);
  CHECK(TimerClock::isDisturbed());
  CHECK(!TimerClock::start(::gettid(), kPeriod));
}
