/// How fast `cupranalyze check` goes through a trace, kernel by kernel, and how much memory it takes; run as a test, also whether it finds what
/// there is.
///
///     check_speed [--elements=N] [--launches=N,...] [--threads=N,...] [--memory=SIZE] [--only=NAME] [--folder=DIR]
///     check_speed --trace=FILE [--threads=N,...] [--memory=SIZE]
///
/// Prints a table as comm_speed does, of the same traces; with --trace, of that one. Exit 1: something is found in kernels that have no fault, or
/// nothing in the one that has.
#include "analysis/check/checker.h"
#include "measured_trace.h"
#include "page_stream.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

using namespace cupr;
using namespace cupr::bench;

namespace {

/// Blocks of the exchange store where they like.
bool isRaced(const std::string &name) { return name == "random exchange"; }

/// Prints a row, and says whether there was a race.
bool measure(const std::string &name, const std::string &launches, const analysis::Model &model,
             const analysis::CheckOptions &options) {
  forgetPeak();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t worked = std::clock();
  const analysis::Checked checked = analysis::check(model, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double processor = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
  const auto accesses = static_cast<double>(checked.accesses);
  std::printf("| %s | %s | %.0f M | %u | %.1f | %.1f | %ld |\n", name.c_str(), launches.c_str(),
              accesses / 1e6, options.threads, accesses / seconds / 1e6, accesses / processor / 1e6,
              peakMebibytes());
  std::fflush(stdout);
  return std::ranges::any_of(checked.faults,
                             [](const analysis::Fault &fault) { return analysis::isRace(fault.rule); });
}

} // namespace

int main(int argc, char **argv) {
  trace::WorkLimit::allowAnySize();
  MeasuredRuns runs;
  std::string given;
  analysis::CheckOptions options;
  CLI::App app("How fast cupranalyze check goes through a trace.");
  runs.addTo(app);
  app.add_option("--memory", options.memory, "bound of memory")->transform(CLI::AsSizeValue(false));
  app.add_option("--trace", given, "no kernels of the benchmark, but this trace");
  CLI11_PARSE(app, argc, argv);

  std::printf("| kernel | launches | accesses | threads | M accesses/s | M/s per processor | peak MiB |\n"
              "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  if (!given.empty()) {
    const analysis::Model model(given);
    for (const unsigned workers : runs.threads) {
      options.threads = workers;
      measure(std::filesystem::path(given).filename().string(), std::to_string(model.launches().size()),
              model, options);
    }
    return 0;
  }
  const bool good =
      runs.forEach({}, [&](const std::string &path, const PageStream &stream, unsigned launches) {
        const analysis::Model model(path);
        bool isGood = true;
        for (const unsigned workers : runs.threads) {
          options.threads = workers;
          if (measure(stream.name, std::to_string(launches), model, options) != isRaced(stream.name)) {
            std::fprintf(stderr, "check_speed: %s: %s\n", stream.name.c_str(),
                         isRaced(stream.name) ? "a race was not found" : "a race was found that is none");
            isGood = false;
          }
        }
        return isGood;
      });
  return good ? 0 : 1;
}
