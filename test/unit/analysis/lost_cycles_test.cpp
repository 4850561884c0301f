/// Findings of accesses with planted durations, and the order that these give them.
#include "analysis/metrics/results.h"
#include "unit/trace/timed_trace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace lost_cycles_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

/// One launch, timed, whose accesses have a line each. A wide one touches 32 sectors, a narrow one four.
class TimedScene {
public:
  std::uint32_t load(std::uint32_t line, abi::SpaceVerdict space = abi::SpaceVerdict::Global) {
    const std::uint32_t site = blob_.site(abi::Operation::Load, 4, "a.cu", line);
    test::timed(blob_, space);
    return site;
  }
  std::uint32_t untimedLoad(std::uint32_t line) { return blob_.site(abi::Operation::Load, 4, "a.cu", line); }

  void wide(std::uint32_t site, std::uint32_t duration) { add(site, 128, duration); }
  void narrow(std::uint32_t site, std::uint32_t duration) { add(site, 4, duration); }
  void untimedWide(std::uint32_t site) { words_.strided(site, 0, 0, 0x10000, 128); }

  std::vector<Finding> found() {
    test::TraceBuilder trace(file_.path());
    trace.table(blob_);
    trace.withValues();
    trace.timed(abi::LatencyScheme::Dependency);
    trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words_);
    trace.writer->finish();
    const Model model(file_.path());
    std::vector<Finding> found = wasteFindings(model, accessPatterns(model), latencyFiguresIfTimed(model));
    std::erase_if(found, [](const Finding &finding) { return !isOfWidth(finding.rule); });
    return found;
  }

private:
  void add(std::uint32_t site, std::int64_t stride, std::uint32_t duration) {
    test::addTimed(words_, {.site = site, .stride = stride, .start = now_ += 10000, .duration = duration});
  }

  test::TemporaryFile file_;
  test::SiteTableBlob blob_;
  test::Words words_;
  std::uint64_t now_ = 0;
};

} // namespace

TEST_CASE("findings that lost cycles come first, by these, and those that are seen to lose none last") {
  TimedScene scene;
  const std::uint32_t cheap = scene.load(1), dear = scene.load(2), none = scene.load(4),
                      unsure = scene.load(5), unknown = scene.untimedLoad(3);
  for (const std::uint32_t site : {cheap, dear, none, unsure})
    for (int i = 0; i < 2; ++i)
      scene.narrow(site, 100);
  for (int i = 0; i < 100; ++i) {
    scene.wide(cheap, 110);            // most sectors but one
    scene.wide(none, 90);              // faster than its narrow ones
    scene.wide(unsure, i ? 0 : 10100); // the mean is 1 above: by one that was late
  }
  for (int i = 0; i < 10; ++i)
    scene.wide(dear, 900); // few sectors
  for (int i = 0; i < 200; ++i)
    scene.untimedWide(unknown);
  const std::vector<Finding> found = scene.found();
  std::vector<std::uint32_t> lines;
  for (const Finding &finding : found)
    lines.push_back(finding.line);
  REQUIRE(lines == std::vector<std::uint32_t>{2, 1, 3, 5, 4});
  CHECK(found[0].lost->cycles == Approx(10 * 800));
  CHECK(found[0].lost->error == Approx(0).margin(1e-6));
  CHECK(found[0].lost->share == 1);
  CHECK(found[0].seconds < found[1].seconds);
  CHECK(found[1].lost->cycles == Approx(100 * 10));
  CHECK_FALSE(found[2].lost);
  CHECK(found[3].lost->cycles == Approx(100));
  CHECK_FALSE(found[3].lost->isLoss());
  CHECK(found[4].lost->cycles == Approx(-100 * 10));
}

TEST_CASE("a finding's cycles are those of all that is at its place, with the share that they are known of") {
  TimedScene scene;
  const std::uint32_t first = scene.load(1), copy = scene.load(1), rest = scene.untimedLoad(1);
  const std::uint32_t shared = scene.load(1, abi::SpaceVerdict::Shared); // another access: of another memory
  for (int i = 0; i < 50; ++i) {
    scene.narrow(first, 100 + 10 * (i % 2));
    scene.wide(first, 300 + 20 * (i % 2));
    scene.wide(copy, 300 + 20 * (i % 2));
    scene.untimedWide(rest);
    scene.narrow(shared, 30);
    scene.wide(shared, 94);
  }
  const std::vector<Finding> found = scene.found();
  REQUIRE(found.size() == 2);
  // Variance of a and b in equal numbers, n together: ((a - b) / 2) ^ 2 * n / (n - 1).
  const double wide = 100.0 * 100 / 99, narrow = 25.0 * 50 / 49;
  CHECK(found[0].lost->cycles == Approx(100 * (310 - 105)));
  CHECK(found[0].lost->error == Approx(1.960 * std::sqrt(100 * wide + 100.0 * 100 * narrow / 50)));
  CHECK(found[0].lost->share == Approx(150.0 / 200));
  CHECK(found[1].rule == FindingRule::BankConflict);
  CHECK(found[1].lost->cycles == Approx(50 * (94 - 30)));
}

TEST_CASE("no cycles are told of where nothing narrower, or too little, was timed") {
  TimedScene scene;
  const std::uint32_t only = scene.load(1);
  for (int i = 0; i < 50; ++i)
    scene.wide(only, 500);
  REQUIRE(scene.found().size() == 1);
  CHECK_FALSE(scene.found()[0].lost);

  TimedScene few;
  const std::uint32_t once = few.load(1);
  few.narrow(once, 100);
  for (int i = 0; i < 50; ++i)
    few.wide(once, 500);
  REQUIRE(few.found().size() == 1);
  CHECK_FALSE(few.found()[0].lost);
}

} // namespace lost_cycles_test
