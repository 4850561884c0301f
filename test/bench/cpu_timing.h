/// What both sides of cpu_speed time with, and how they say it: one line of JSON.
#ifndef CUPR_TEST_BENCH_CPU_TIMING_H
#define CUPR_TEST_BENCH_CPU_TIMING_H

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

/// What is asked for on the command line: KERNEL SIZE ROUNDS.
struct Request {
  const char *kernel;
  int size, rounds;

  Request(int count, char **arguments)
      : kernel(count > 1 ? arguments[1] : ""), size(count > 2 ? std::atoi(arguments[2]) : 0),
        rounds(count > 3 ? std::atoi(arguments[3]) : 1) {}
};

#ifdef __CUDACC__
#define CUPR_BENCH_BOTH __host__ __device__
#else
#define CUPR_BENCH_BOTH
#endif

/// Of `rows`: room for the elements of one, and how many of them there are.
constexpr int kRow = 32;
CUPR_BENCH_BOTH constexpr int rowLength(int row) {
  return static_cast<int>(static_cast<unsigned>(row) * 2654435761u >> 27);
}

/// The least time of `rounds` runs, in seconds. `prepare` is not timed.
template <typename Prepare, typename Run> double leastTime(int rounds, Prepare prepare, Run run) {
  double least = 1e30;
  for (int round = 0; round < rounds; ++round) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    least = seconds < least ? seconds : least;
  }
  return least;
}

/// `accesses`: to global memory, per thread, of one run. `check`: the same for every correct version.
inline void report(double seconds, double accesses, double check) {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"seconds\": %.9f, \"accesses\": %.0f, \"check\": %.17g, \"peakKiB\": %ld}\n", seconds,
              accesses, check, usage.ru_maxrss);
}

template <typename Number> double sumOf(const Number *numbers, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i)
    sum += static_cast<double>(numbers[i]);
  return sum;
}

/// Small whole numbers: sums of their products are exact in whatever order.
inline void fill(float *numbers, long count, int period) {
  for (long i = 0; i < count; ++i)
    numbers[i] = static_cast<float>(i % period);
}

#endif
