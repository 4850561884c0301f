/// How long a thread is held up that hands over what a call of the API did: `hand_over_speed [THREADS [CALLS]]`.
///
/// Each thread makes calls, ten functions deep, into the null sink. Timed is the end of a call: its row, and, once in 4,096, the batch that goes to the writer.
/// Where there are fewer processors than threads, the longest ones are those that lost theirs meanwhile.
#include "hostlib/runtime/paths/api_call.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <vector>

using namespace cupr::host;

extern "C" __thread int __cupr_runtime_depth = 0; // else of the CPU device

namespace {

using Nanoseconds = std::vector<std::uint32_t>;
thread_local volatile int sink;

__attribute__((noinline)) void callOften(Nanoseconds &took, std::uint64_t firstOrder) {
  ThreadCalls &calls = ThreadCalls::ofThread();
  for (std::uint64_t i = 0; std::uint32_t &each : took) {
    calls.begin("cupr_hook_cudaLaunchKernel", callersRegisters());
    calls.act(firstOrder + i++);
    const auto begin = std::chrono::steady_clock::now();
    calls.end();
    each = static_cast<std::uint32_t>((std::chrono::steady_clock::now() - begin).count());
  }
  sink = 0;
}
__attribute__((noinline)) void goDown(int depth, Nanoseconds &took, std::uint64_t firstOrder) {
  if (depth > 0)
    goDown(depth - 1, took, firstOrder);
  else
    callOften(took, firstOrder);
  sink = depth;
}

} // namespace

int main(int count, char **arguments) {
  const std::size_t threads = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 64;
  const std::size_t calls = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 10'000;
  const auto writer = cupr::trace::Writer::createNull({});
  static HostLog log(*writer, 0); // there to the end, as the runtime's
  HostLog::makeCurrent(&log);
  std::vector<Nanoseconds> took(threads, Nanoseconds(calls));
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i)
    running.emplace_back([&, i] { goDown(10, took[i], i * calls + 1); });
  for (std::thread &thread : running)
    thread.join();
  HostLog::makeCurrent(nullptr);
  log.finish();
  Nanoseconds all;
  for (const Nanoseconds &some : took)
    all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  const auto quantile = [&](double share) {
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  fmt::print(
      "{} threads, {} calls each: ns to hand over: median {}, 90 % {}, 99 % {}, 99.9 % {}, longest {}\n",
      threads, calls, quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999), all.back());
}
