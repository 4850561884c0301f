/// How fast queries in SQL go through a trace, kernel by kernel, and how much memory they take; run as a test, also whether their sums are
/// right.
///
///     query_speed [--elements=N] [--launches=N] [--threads=N,...] [--only=NAME] [--folder=DIR]
///
/// Prints a table: the time until a query has its answer, with opening the trace, that of processors, which other programs on the machine
/// change less, and the process's peak of memory meanwhile. Exit 1: a sum is wrong.
#include "analysis/query/extension.h"
#include "hostlib/trace/work_limit.h"
#include "measured_trace.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <sqlite3.h>
#include <stdexcept>
#include <tbb/global_control.h>
#include <unistd.h>

using namespace cupr;
using namespace cupr::bench;

namespace {

struct Query {
  const char *what, *text; ///< %s: the trace
};
/// The first sum of each is that of all accesses.
constexpr Query kQueries[] = {
    {"accesses by line",
     "SELECT sum(n) FROM (SELECT file, line, sum(accesses) AS n FROM cupr_site_totals('%s') GROUP BY 1, 2)"},
    {"accesses, sectors by line", "SELECT sum(n), sum(s) FROM (SELECT file, line, sum(accesses) AS n, "
                                  "sum(sectors) AS s FROM cupr_site_totals('%s') GROUP BY 1, 2)"},
};

/// By a connection of its own, which has to open the trace.
std::uint64_t answer(const Query &query, const std::string &path) {
  char text[512];
  std::snprintf(text, sizeof text, query.text, path.c_str());
  sqlite3 *database = nullptr;
  sqlite3_stmt *statement = nullptr;
  sqlite3_open(":memory:", &database);
  sqlite3_prepare_v2(database, text, -1, &statement, nullptr);
  const bool isGood = sqlite3_step(statement) == SQLITE_ROW;
  const auto result = static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0));
  const std::string error = isGood ? "" : sqlite3_errmsg(database);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  if (!isGood)
    throw std::runtime_error(error);
  return result;
}

} // namespace

int main(int argc, char **argv) {
  trace::WorkLimit::allowAnySize();
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(sqlite3_cuprtracesqlite_init));
  unsigned elements = 4194304, launches = 4;
  std::vector<unsigned> threads{2};
  std::string folder = std::filesystem::temp_directory_path(), only;
  CLI::App app("How fast queries go through a trace.");
  app.add_option("--elements", elements, "elements of each kernel, 65536 or more")
      ->check(CLI::Range(65536u, 1u << 28));
  app.add_option("--launches", launches, "launches in a trace");
  app.add_option("--threads", threads, "numbers of threads, separated by commas")->delimiter(',');
  app.add_option("--folder", folder, "where the trace files lie for a while");
  app.add_option("--only", only, "one kernel, by name");
  CLI11_PARSE(app, argc, argv);

  const std::string path =
      (std::filesystem::path(folder) / ("query_speed." + std::to_string(::getpid()))).string();
  bool good = true;
  std::printf("| kernel | accesses | file MiB | query | threads | seconds | of processors | peak MiB |\n"
              "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n");
  for (const std::string &name : {"vector add", "stencil", "histogram"}) {
    if (!only.empty() && only != name)
      continue;
    PageStream stream = std::move(pageStreams(elements, name).at(0));
    writeTrace(path, stream, launches);
    stream.pages = {};
    for (const Query &query : kQueries)
      for (const unsigned workers : threads) {
        const tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
        forgetPeak();
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t worked = std::clock();
        good = answer(query, path) == launches * stream.accesses && good;
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double processor = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
        std::printf("| %s | %.0f M | %.1f | %s | %u | %.1f | %.1f | %ld |\n", name.c_str(),
                    static_cast<double>(launches * stream.accesses) / 1e6,
                    static_cast<double>(std::filesystem::file_size(path)) / (1 << 20), query.what, workers,
                    seconds, processor, peakMebibytes());
        std::fflush(stdout);
      }
  }
  std::filesystem::remove(path);
  if (!good)
    std::fprintf(stderr, "query_speed: a sum is wrong\n");
  return good ? 0 : 1;
}
