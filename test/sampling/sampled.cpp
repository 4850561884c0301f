/// Burns processor time in functions, in shares that are known, and says what the sampler finds: `sampled SOURCE ROUNDS`.
///
/// SOURCE is perf, timer or none. All functions run the same loop, so a function's share of the time is its share of the iterations. What is printed, a line each,
/// with tabulators:
///
///     share     FUNCTION PLANTED FOUND      of the main thread's samples, in per mille
///     caller    FUNCTION PLANTED FOUND      likewise, of all below it
///     thread    NAME USED FOUND             microseconds of processor time, as the thread's clock and as its samples have them
///     sampling  SOURCE PERIOD DELIVERED LOST
///     processor MICROSECONDS                that the process took, with the sampler, for the work alone
///
/// With `sampled none 0` nothing is burnt: it prints how many rounds take a second of the main thread.
#include "hostlib/runtime/driver/own_thread.h"
#include "hostlib/runtime/paths/host_sampler.h"
#include "hostlib/runtime/paths/host_symbols.h"
#include "hostlib/runtime/paths/path_finder.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace cupr;

/// Shares in per mille, by number of the function.
constexpr unsigned kShares[] = {500, 250, 150, 70, 30};
constexpr unsigned kFunctions = std::size(kShares);

__attribute__((always_inline)) inline std::uint64_t loop(std::uint64_t iterations) {
  std::uint64_t state = 88172645463325252ULL;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    asm volatile("" : "+r"(state));
  }
  return state;
}

template <unsigned kNumber> __attribute__((noinline)) std::uint64_t burn(std::uint64_t iterations) {
  return loop(iterations) + kNumber;
}

/// Not in the end position, so that it has a frame.
__attribute__((noinline)) std::uint64_t even(std::uint64_t unit) {
  return burn<0>(unit * kShares[0]) + burn<2>(unit * kShares[2]) + burn<4>(unit * kShares[4]);
}

__attribute__((noinline)) std::uint64_t odd(std::uint64_t unit) {
  return burn<1>(unit * kShares[1]) + burn<3>(unit * kShares[3]);
}

constexpr unsigned kEven = kShares[0] + kShares[2] + kShares[4];

std::atomic<std::uint64_t> sink;

std::uint64_t microseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

/// So many iterations in each function's thousandth, many times.
__attribute__((noinline)) void work(std::uint64_t rounds, std::uint64_t unit) {
  for (std::uint64_t i = 0; i < rounds; ++i)
    sink += even(unit) + odd(unit);
}

/// 1000 units of so many iterations are some tens of microseconds, much less than the time between two samples.
constexpr std::uint64_t kUnit = 40;

std::uint64_t roundsOfSecond() {
  constexpr std::uint64_t kProbe = 5000;
  const std::uint64_t begin = microseconds(CLOCK_THREAD_CPUTIME_ID);
  work(kProbe, kUnit);
  return kProbe * 1'000'000 / std::max<std::uint64_t>(microseconds(CLOCK_THREAD_CPUTIME_ID) - begin, 1);
}

/// Gathers what the sampler says.
class Gathered : public host::SampleReceiver {
public:
  std::uint32_t threadOf(pid_t, const std::string &name) override {
    threads.push_back(name);
    return static_cast<std::uint32_t>(threads.size() - 1);
  }
  void ended(pid_t) override {}
  std::uint32_t pathOf(const host::Registers &registers, const host::CopiedStack &stack) override {
    return finder_.pathOf(registers, /*isInterrupted=*/true, stack);
  }
  void write(trace::HostBatch batch) override {
    tree_.takeNew(all);
    all.samples.insert(all.samples.end(), batch.samples.begin(), batch.samples.end());
    all.samplings.insert(all.samplings.end(), batch.samplings.begin(), batch.samplings.end());
  }

  std::vector<std::string> threads;
  trace::HostBatch all;

private:
  host::PathTree tree_;
  host::PathFinder finder_{tree_};
};

/// The functions of each node, by their names without arguments, innermost first.
std::vector<std::vector<std::string>> functionsOf(const trace::HostBatch &batch) {
  std::vector<trace::HostPlace> places;
  for (const trace::HostNode &node : batch.nodes)
    places.push_back({node.object, node.offset, {}});
  host::findSymbols(batch.objects, places);
  std::vector<std::vector<std::string>> names(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const trace::HostFrame &frame : places[i].frames) {
      const std::string &name = frame.function;
      const std::size_t begin =
          name.find(")::") == std::string::npos ? 0 : name.find(")::") + 3; // unnamed namespace
      names[i].push_back(name.substr(begin, name.find('(', begin) - begin));
    }
  return names;
}

void tell(const Gathered &gathered, const std::string &thread) {
  const std::vector<std::vector<std::string>> names = functionsOf(gathered.all);
  std::map<std::string, std::uint64_t> innermost, all;
  std::uint64_t total = 0;
  for (const trace::HostSample &sample : gathered.all.samples) {
    if (gathered.threads[sample.thread] != thread)
      continue;
    total += sample.weight;
    std::set<std::string> onPath;
    for (std::uint32_t node = sample.node; node != trace::kNoHostIndex;
         node = gathered.all.nodes[node].parent)
      onPath.insert(names[node].begin(), names[node].end());
    // What is inlined into a function that burns is part of it.
    if (sample.node != trace::kNoHostIndex && !names[sample.node].empty())
      innermost[names[sample.node].back()] += sample.weight;
    for (const std::string &name : onPath)
      all[name] += sample.weight;
  }
  const auto perMille = [&](std::uint64_t part) {
    return static_cast<double>(part) * 1000 / static_cast<double>(std::max<std::uint64_t>(total, 1));
  };
  const auto sumOf = [](const std::map<std::string, std::uint64_t> &sums, const std::string &part) {
    std::uint64_t sum = 0;
    for (const auto &[name, weight] : sums)
      sum += name.find(part) != std::string::npos ? weight : 0;
    return sum;
  };
  for (unsigned i = 0; i < kFunctions; ++i) {
    const std::string name = "burn<" + std::to_string(i) + "u>";
    std::printf("share\t%s\t%u\t%.1f\n", name.c_str(), kShares[i], perMille(sumOf(innermost, name)));
  }
  std::printf("caller\teven\t%u\t%.1f\n", kEven, perMille(sumOf(all, "even")));
  std::printf("caller\todd\t%u\t%.1f\n", 1000 - kEven, perMille(sumOf(all, "odd")));
  std::printf("caller\twork\t1000\t%.1f\n", perMille(sumOf(all, "work")));
}

} // namespace

int main(int count, char **arguments) {
  if (count != 3)
    return 1;
  const std::string source = arguments[1];
  const std::uint64_t rounds = std::strtoull(arguments[2], nullptr, 10);
  if (rounds == 0) {
    std::printf("rounds\t%llu\n", static_cast<unsigned long long>(roundsOfSecond()));
    return 0;
  }
  pthread_setname_np(pthread_self(), "main");
  Gathered gathered;
  std::optional<host::HostSampler> sampler;
  host::HostSampler::Options options;
  if (source == "perf")
    options.sources = {host::SampleSource::PerfEvents};
  if (source == "timer")
    options.sources = {host::SampleSource::Timers};
  const std::uint64_t before = microseconds(CLOCK_PROCESS_CPUTIME_ID);
  const std::uint64_t mainBefore = microseconds(CLOCK_THREAD_CPUTIME_ID);
  if (source != "none")
    sampler.emplace(gathered, options);
  // Threads that begin later, and end before the process does: of the time a half, a third, a quarter. Of the last one, which is the tracer's, there are to be
  // no samples.
  std::vector<std::pair<std::string, std::uint64_t>> used;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (unsigned i = 2; i < 6; ++i)
    threads.emplace_back([&, i] {
      const bool isOwn = i == 5;
      std::optional<host::OwnThread> own;
      if (isOwn)
        own.emplace();
      const std::string name = isOwn ? "own" : "part" + std::to_string(i);
      pthread_setname_np(pthread_self(), name.c_str());
      work(rounds / i, kUnit);
      const std::scoped_lock lock(mutex);
      used.emplace_back(name, isOwn ? 0 : microseconds(CLOCK_THREAD_CPUTIME_ID));
    });
  work(rounds, kUnit);
  for (std::thread &thread : threads)
    thread.join();
  used.emplace_back("main", microseconds(CLOCK_THREAD_CPUTIME_ID) - mainBefore);
  if (sampler)
    sampler->finish();
  std::printf("processor\t%llu\n",
              static_cast<unsigned long long>(microseconds(CLOCK_PROCESS_CPUTIME_ID) - before));
  if (!sampler)
    return 0;
  tell(gathered, "main");
  for (const auto &[name, time] : used) {
    std::uint64_t found = 0;
    for (const trace::HostSample &sample : gathered.all.samples)
      found += gathered.threads[sample.thread] == name ? sample.weight : 0;
    std::printf("thread\t%s\t%llu\t%llu\n", name.c_str(), static_cast<unsigned long long>(time),
                static_cast<unsigned long long>(found / 1000));
  }
  for (const trace::HostSampling &sampling : gathered.all.samplings)
    std::printf("sampling\t%s\t%llu\t%llu\t%llu\n", sampling.source.c_str(),
                static_cast<unsigned long long>(sampling.period),
                static_cast<unsigned long long>(sampling.delivered),
                static_cast<unsigned long long>(sampling.lost));
}
