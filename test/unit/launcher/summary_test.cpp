/// Figures of a summary against those of small_trace.h, which arithmetic gives.
#include "launcher/summary.h"

#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
#include <csignal>

using namespace cupr::launcher;
using cupr::test::TemporaryFile;

namespace {

bool holds(const std::vector<std::string> &lines, const std::string &text) {
  for (const std::string &line : lines)
    if (line.find(text) != std::string::npos)
      return true;
  return false;
}

RunSummary runOf(const std::string &path, Outcome outcome = {}) {
  RunSummary run;
  run.command = {"app", "a\"b"};
  run.outcome = outcome;
  run.traces = {summarise(path, Check::Whole)};
  return run;
}

} // namespace

TEST_CASE("a summary adds up the launches") {
  const TemporaryFile file;
  cupr::test::writeSmallTrace(file.path());
  const TraceSummary summary = summarise(file.path(), Check::Whole);
  CHECK(summary.problem.empty());
  REQUIRE(summary.faults);
  CHECK(summary.faults->empty());
  CHECK(summary.fileBytes == file.read().size());
  CHECK(summary.pid == 42);
  CHECK(summary.figures.launches == 3);
  CHECK(summary.figures.traced == 2);
  // 2 launches of 2 CTAs of 2 warps: 32 loads of 4 bytes, 16 stores of 8.
  CHECK(summary.figures.records == 16);
  CHECK(summary.figures.accesses == 8 * (32 + 16));
  CHECK(summary.figures.accessBytes == 8 * (32 * 4 + 16 * 8));
  CHECK(summary.untraced == std::map<std::string, std::uint64_t>{{"its code was not instrumented", 1}});
  CHECK(summary.incomplete.empty());
  REQUIRE(summary.kernels.size() == 2);
  CHECK(summary.kernels.at("kernel(int*)").launches == 2);
  CHECK(summary.kernels.at("kernel(int*)").accesses == 384);
  CHECK(summary.kernels.at("library()").traced == 0);
}

TEST_CASE("a trace that is cut off says so, with what it holds") {
  const TemporaryFile file;
  cupr::test::writeSmallTrace(file.path());
  const std::string whole = file.read();
  file.write(whole.substr(0, whole.size() - 8)); // the end message goes
  const TraceSummary summary = summarise(file.path(), Check::Whole);
  CHECK(summary.figures.records == 16);
  REQUIRE(summary.faults);
  CHECK_FALSE(summary.faults->empty());
  CHECK(holds(summaryLines(runOf(file.path()), Detail::Totals), "NOT WHOLE"));
}

TEST_CASE("a file that is no trace, or not there, is a problem") {
  const TemporaryFile file;
  file.write("nonsense that is long enough for a head");
  CHECK_FALSE(summarise(file.path(), Check::Whole).problem.empty());
  CHECK_FALSE(summarise("/nonexistent/t", Check::Whole).problem.empty());
}

TEST_CASE("lines and JSON say the same") {
  const TemporaryFile file;
  cupr::test::writeSmallTrace(file.path());
  Outcome outcome;
  outcome.signal = SIGTERM;
  outcome.seconds = 2;
  RunSummary run = runOf(file.path(), outcome);
  run.plain = Outcome{0, 0, 0, 0.5};
  const auto lines = summaryLines(run, Detail::Kernels);
  CHECK(holds(lines, "3 on test device: 2 traced, 1 not"));
  CHECK(holds(lines, "1 not traced: its code was not instrumented"));
  CHECK(holds(lines, "16 warp records, 384 accesses"));
  CHECK(holds(lines, "2.00 s traced, 0.50 s without tracing: 4.0 times"));
  CHECK(holds(lines, "ended by SIGTERM"));
  CHECK(holds(lines, "exit status 0 without tracing"));
  CHECK(holds(lines, "kernel(int*)"));
  const std::string json = summaryJson(run);
  CHECK(json.find("\"signal\": \"SIGTERM\"") != std::string::npos);
  CHECK(json.find("\"a\\\"b\"") != std::string::npos);
  CHECK(json.find("\"accesses\": 384") != std::string::npos);
  CHECK(json.find("\"whole\": true") != std::string::npos);
}

TEST_CASE("what was not verified is not called whole") {
  const TemporaryFile file;
  cupr::test::writeSmallTrace(file.path());
  RunSummary run = runOf(file.path());
  run.traces = {summarise(file.path(), Check::Ends)};
  CHECK(holds(summaryLines(run, Detail::Totals), "not verified"));
  CHECK(summaryJson(run).find("\"whole\": null") != std::string::npos);
}
