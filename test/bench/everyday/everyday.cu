/// Runs everyday kernels and times them.
///
///     everyday [--small] [--size N] [--rounds N] [--batches N] [--batch N] [NAME...]      default: all, full, 11 5 20
///     everyday --list
///
/// Each is set up, run twice to warm up, then timed: `rounds` single runs, each waited for until its records have
/// been delivered, and `batches` of `batch` runs back to back. Its results are compared. One line of JSON for each:
///
///     ms, deliveredMs              a single run by CUDA events; by the host's clock, until all records are delivered
///     batchMs, batchDeliveredMs    the same for a run of a batch
///     runs                         runs in all, for figures per run
///
/// Times are medians. Exit status 1 when a result was wrong, 2 when something could not be run.
#include "workload.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#if __has_include(<cupr/control.h>)
#include <cupr/control.h>
#else // the program as clang alone makes it
static void cuprFlush() {}
#endif

namespace {

struct Entry {
  const char *name;
  std::unique_ptr<Workload> (*make)(int size);
  int full, small;
  const char *meaning;
};

constexpr Entry kEntries[] = {
#define EVERYDAY(name, full, small, meaning) {#name, name, full, small, meaning},
#include "everyday.def"
#undef EVERYDAY
};

struct Options {
  bool small = false;
  int size = 0; ///< 0: the kernel's own
  int rounds = 11, batches = 5, batch = 20;
  std::vector<const char *> names;
};

struct Time {
  float kernel, delivered; ///< milliseconds of a run
};

class Stopwatch {
public:
  Stopwatch() {
    MUST(cudaEventCreate(&start_));
    MUST(cudaEventCreate(&stop_));
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  Time time(Workload &workload, int runs) {
    cuprFlush();
    MUST(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    MUST(cudaEventRecord(start_));
    for (int i = 0; i < runs; ++i)
      workload.run();
    MUST(cudaEventRecord(stop_));
    MUST(cudaEventSynchronize(stop_));
    cuprFlush();
    const std::chrono::duration<float, std::milli> delivered = std::chrono::steady_clock::now() - begin;
    float kernel = 0;
    MUST(cudaEventElapsedTime(&kernel, start_, stop_));
    MUST(cudaGetLastError());
    return {kernel / float(runs), delivered.count() / float(runs)};
  }

private:
  cudaEvent_t start_, stop_;
};

float median(const std::vector<Time> &times, float Time::*figure) {
  std::vector<float> figures;
  for (const Time &time : times)
    figures.push_back(time.*figure);
  std::sort(figures.begin(), figures.end());
  return figures[figures.size() / 2];
}

bool measure(const Entry &entry, const Options &options) {
  const int size = options.size ? options.size : options.small ? entry.small : entry.full;
  const std::unique_ptr<Workload> workload = entry.make(size);
  Stopwatch stopwatch;
  stopwatch.time(*workload, 2);
  std::vector<Time> single, batched;
  for (int round = 0; round < options.rounds; ++round)
    single.push_back(stopwatch.time(*workload, 1));
  for (int batch = 0; batch < options.batches; ++batch)
    batched.push_back(stopwatch.time(*workload, options.batch));
  const bool right = workload->right();
  if (!right)
    std::fprintf(stderr, "everyday: %s: WRONG result\n", entry.name);
  std::printf(
      "{\"kernel\": \"%s\", \"size\": %d, \"right\": %s, \"runs\": %d, \"ms\": %.5f, \"deliveredMs\": %.5f, "
      "\"batch\": %d, \"batchMs\": %.5f, \"batchDeliveredMs\": %.5f}\n",
      entry.name, size, right ? "true" : "false", 2 + options.rounds + options.batches * options.batch,
      median(single, &Time::kernel), median(single, &Time::delivered), options.batch,
      median(batched, &Time::kernel), median(batched, &Time::delivered));
  std::fflush(stdout);
  return right;
}

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: everyday [--small] [--size N] [--rounds N] [--batches N] [--batch N] [NAME...]\n"
               "       everyday --list\n");
  std::exit(2);
}

Options parse(int argc, char **argv) {
  Options options;
  const std::pair<const char *, int *> numbers[] = {{"--size", &options.size},
                                                    {"--rounds", &options.rounds},
                                                    {"--batches", &options.batches},
                                                    {"--batch", &options.batch}};
  for (int i = 1; i < argc; ++i) {
    const auto *number = std::find_if(std::begin(numbers), std::end(numbers),
                                      [&](const auto &known) { return !std::strcmp(known.first, argv[i]); });
    if (number != std::end(numbers)) {
      if (++i == argc || (*number->second = std::atoi(argv[i])) < 1)
        usage();
    } else if (!std::strcmp(argv[i], "--small")) {
      options.small = true;
    } else if (argv[i][0] == '-') {
      usage();
    } else {
      options.names.push_back(argv[i]);
    }
  }
  return options;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--list")) {
    for (const Entry &entry : kEntries)
      std::printf("%s\t%d\t%d\t%s\n", entry.name, entry.full, entry.small, entry.meaning);
    return 0;
  }
  const Options options = parse(argc, argv);
  const auto chosen = [&](const Entry &entry) {
    return options.names.empty() ||
           std::any_of(options.names.begin(), options.names.end(),
                       [&](const char *name) { return !std::strcmp(name, entry.name); });
  };
  for (const char *name : options.names)
    if (std::none_of(std::begin(kEntries), std::end(kEntries),
                     [&](const Entry &entry) { return !std::strcmp(name, entry.name); })) {
      std::fprintf(stderr, "everyday: no kernel '%s'; --list names them\n", name);
      return 2;
    }
  bool right = true;
  for (const Entry &entry : kEntries)
    if (chosen(entry))
      right &= measure(entry, options);
  return right ? 0 : 1;
}
