/// How fast the analysis of communication goes through a trace, kernel by kernel, and how much memory it
/// takes; run as a test, also whether its counts are right.
///
///     comm_speed [--elements=N] [--launches=N,...] [--threads=N,...] [--memory=SIZE] [--only=NAME]
///     [--folder=DIR] [--keep=FILE]
///
/// Prints a table: accesses per second that passes, and per second that processors work, which other programs
/// on the machine change less; and the process's peak of memory while it analyses: what it needed before, to
/// write the trace, is given back. Each trace is one kernel, launched several times: regular ones (vector
/// addition, stencil, tiled matrix product) and random ones (histogram, gather,
/// exchange). Exit 1: a count is wrong.
#include "analysis/engine/communication.h"
#include "measured_trace.h"
#include "page_stream.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>

using namespace cupr;
using namespace cupr::bench;

namespace {

/// What each launch after the first reads of the one before is the same: the totals must say so.
bool isRight(const analysis::Communication &result, const PageStream &stream, unsigned launches) {
  bool good = result.counts.accesses() == launches * stream.accesses && result.incompleteLaunches == 0;
  for (unsigned i = 1; i < launches; ++i)
    good = good && result.launches[i].uniqueRead == result.launches[0].uniqueRead &&
           result.launches[i].uniqueWritten == result.launches[0].uniqueWritten &&
           result.launches[i].readFromLaunches == result.launches[1].readFromLaunches;
  if (!good)
    std::fprintf(stderr, "comm_speed: %s: a count is wrong\n", stream.name.c_str());
  return good;
}

} // namespace

int main(int argc, char **argv) {
  trace::WorkLimit::allowAnySize();
  MeasuredRuns runs;
  std::string keep;
  analysis::AnalysisOptions options;
  CLI::App app("How fast cupranalyze comm goes through a trace.");
  auto *const one = runs.addTo(app);
  app.add_option("--memory", options.memory, "bound of memory")->transform(CLI::AsSizeValue(false));
  app.add_option("--keep", keep, "leave the trace of the one kernel here")->needs(one);
  CLI11_PARSE(app, argc, argv);

  std::printf("| kernel | launches | accesses | threads | M accesses/s | M/s per processor | peak MiB |\n"
              "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  const bool good =
      runs.forEach(keep, [&](const std::string &path, const PageStream &stream, unsigned launches) {
        const analysis::Model model(path);
        bool isGood = true;
        for (const unsigned workers : runs.threads) {
          options.threads = workers;
          forgetPeak();
          const auto start = std::chrono::steady_clock::now();
          const std::clock_t worked = std::clock();
          const analysis::Communication result = analysis::communication(model, options);
          const double seconds =
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
          const double processor = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
          isGood = isRight(result, stream, launches) && isGood;
          const auto accesses = static_cast<double>(result.counts.accesses());
          std::printf("| %s | %u | %.0f M | %u | %.1f | %.1f | %ld |\n", stream.name.c_str(), launches,
                      accesses / 1e6, workers, accesses / seconds / 1e6, accesses / processor / 1e6,
                      peakMebibytes());
          std::fflush(stdout);
        }
        return isGood;
      });
  return good ? 0 : 1;
}
