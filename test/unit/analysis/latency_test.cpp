/// Durations that are planted, and what arithmetic makes of them. Long, since each figure has its case, and all make their traces in one way.
#include "analysis/export/latency_exports.h"
#include "analysis/metrics/busy_time.h"
#include "analysis/metrics/latency_figures.h"
#include "string_sink.h"
#include "unit/trace/timed_trace.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>
#include <sstream>

namespace latency_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

/// A site of each.
enum Site : std::uint32_t { kLoad, kOtherLoad, kStore, kShared, kLocal, kUntimed };

test::SiteTableBlob sitesOfAll() {
  test::SiteTableBlob blob;
  const auto site = [&](abi::Operation operation, std::uint32_t line, abi::SpaceVerdict space) {
    blob.site(operation, 4, "l.cu", line);
    test::timed(blob, space);
  };
  site(abi::Operation::Load, 10, abi::SpaceVerdict::Global);
  site(abi::Operation::Load, 11, abi::SpaceVerdict::Global);
  site(abi::Operation::Store, 11, abi::SpaceVerdict::Global);
  site(abi::Operation::Load, 12, abi::SpaceVerdict::Shared);
  site(abi::Operation::Load, 13, abi::SpaceVerdict::Local);
  blob.site(abi::Operation::Load, 4, "l.cu", 14);
  return blob;
}

using AddRecords = std::function<void(test::Words &)>;

/// A trace of timed launches of one kernel, 64 blocks of 128 threads each, with these records.
class TimedTrace {
public:
  explicit TimedTrace(const std::vector<AddRecords> &launches) {
    test::TraceBuilder trace(file_.path());
    trace.table(sitesOfAll());
    trace.withValues();
    trace.timed(abi::LatencyScheme::Dependency);
    for (const AddRecords &add : launches) {
      test::Words words;
      add(words);
      trace.run("k(int*)", {8, 8, 1}, {128, 1, 1}, words);
    }
    trace.writer->finish();
    model_.emplace(file_.path());
  }
  const Model &model() const { return *model_; }
  LatencyFigures figures(const LatencyOptions &options = {}) const {
    return latencyFigures(*model_, options);
  }

private:
  test::TemporaryFile file_;
  std::optional<Model> model_;
};

const LatencyOfAccess &at(const LatencyFigures &figures, std::uint32_t line, abi::Operation operation) {
  for (const auto &[key, of] : figures.accesses)
    if (key.access.line == line && key.access.operation == operation)
      return of;
  FAIL("no access at line " << line);
  throw;
}

LatencyOptions ofLaunch(std::uint64_t launch) {
  LatencyOptions options;
  options.selection.launches.launch = launch;
  return options;
}
LatencyOptions ofRecords(const char *block, const char *file) {
  LatencyOptions options;
  options.selection.records = {block, file};
  return options;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("percentiles are those of the samples, and exact below 512") {
  LatencyDistribution found;
  for (std::uint32_t duration = 1; duration <= 400; ++duration)
    found.add(duration);
  CHECK(found.percentile(50) == 200);
  CHECK(found.percentile(90) == 360);
  CHECK(found.percentile(99) == 396);
  CHECK(found.percentile(100) == 400);
  CHECK(found.moments.mean() == 200.5);
  CHECK(found.moments.variance() == Approx(400.0 * 401 / 12)); // of 1 to n: n (n + 1) / 12
  LatencyDistribution one;
  one.add(UINT32_MAX);
  CHECK(one.percentile(1) == UINT32_MAX);
  CHECK(one.moments.error() == std::nullopt);
  CHECK(LatencyDistribution().percentile(50) == 0);
}

TEST_CASE("a histogram's buckets hold what was added, and are narrow") {
  std::mt19937_64 random(1);
  LatencyDistribution all, first, second;
  std::vector<std::uint32_t> durations;
  for (int i = 0; i < 20000; ++i) {
    const auto duration = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
    durations.push_back(duration);
    all.add(duration);
    (i % 3 ? first : second).add(duration);
  }
  std::ranges::sort(durations);
  std::uint64_t before = 0;
  std::int64_t last = -1;
  for (const LatencyHistogram::Bucket &bucket : all.histogram.buckets()) {
    CHECK(std::int64_t{bucket.first} > last);
    last = bucket.last;
    CHECK((bucket.last - bucket.first) <= bucket.first / 256);
    const auto from = std::ranges::lower_bound(durations, bucket.first),
               to = std::ranges::upper_bound(durations, bucket.last);
    CHECK(static_cast<std::uint64_t>(from - durations.begin()) == before);
    CHECK(static_cast<std::uint64_t>(to - from) == bucket.samples);
    before += bucket.samples;
  }
  CHECK(before == durations.size());
  for (const unsigned percent : {1u, 10u, 50u, 90u, 99u}) {
    const std::uint32_t is = durations[durations.size() * percent / 100 - 1], said = all.percentile(percent);
    CHECK(said >= is);
    CHECK(said <= is + is / 256);
  }
  first += second;
  CHECK(first.moments.cycles == all.moments.cycles);
  CHECK(first.moments.least == durations.front());
  CHECK(first.moments.most == durations.back());
  CHECK(first.moments.variance() == Approx(all.moments.variance()));
  CHECK(first.percentile(90) == all.percentile(90));
}

TEST_CASE("classes are the buckets, joined to a few") {
  LatencyHistogram found;
  for (std::uint32_t duration = 1; duration <= 4096; ++duration)
    found.add(duration);
  const std::vector<LatencyHistogram::Bucket> classes = found.classes();
  REQUIRE(classes.size() == 15 + 8 * 8 + 1); // 1 to 15, eight for each power of two, and 4096
  std::uint32_t behind = 1;
  for (const LatencyHistogram::Bucket &of : classes) {
    CHECK(of.first == behind);
    CHECK((of.last - of.first) <= of.first / 8);
    if (of.first != 4096)
      CHECK(of.samples == of.last - of.first + 1);
    behind = of.last + 1;
  }
  CHECK(classes.back().samples == 1);
}

TEST_CASE("busy time is the union of intervals") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    BusyTime busy;
    std::set<std::uint64_t> cycles;
    std::uint64_t end = 100;
    for (int i = 0; i < 100; ++i) {
      end += 8 + random() % 20;
      const std::uint64_t begin = end - random() % 31; // in front of 3 gaps at most
      busy.add(begin, end);
      for (std::uint64_t cycle = begin; cycle < end; ++cycle)
        cycles.insert(cycle);
    }
    CHECK(busy.cycles() == cycles.size());
  }
  BusyTime hidden; // what lies in front of more gaps than are kept is not counted twice
  for (std::uint64_t i = 1; i <= 6; ++i)
    hidden.add(10 * i, 10 * i + 5);
  hidden.add(0, 70);
  CHECK(hidden.cycles() == 5 + 5 + (70 - 25));
}

TEST_CASE("an access's figures are those of its warps") {
  const TimedTrace trace({[](test::Words &words) {
    for (std::uint32_t i = 0; i < 100; ++i) // 101 to 200 cycles
      test::addTimed(words, {.site = kLoad, .cta = i % 4, .start = 1000 * i, .duration = 101 + i});
    test::addTimed(words, {.site = kStore, .start = 200000, .duration = 50});
    test::addTimed(words, {.site = kOtherLoad, .start = 201000, .duration = 900, .mask = 1});
    test::addTimed(words, {.site = kLocal, .start = 202000, .duration = 1000});
    words.strided(kUntimed, 0, 0, 0x10000, 4);
  }});
  const LatencyFigures figures = trace.figures();
  CHECK(figures.launches == 1);
  const std::uint64_t loads = 100 * 101 + 99 * 100 / 2;
  CHECK(figures.cycles == loads + 50 + 900 + 1000);
  const LatencyOfAccess &load = at(figures, 10, abi::Operation::Load);
  CHECK(load.durations.moments.samples == 100);
  CHECK(load.durations.moments.cycles == loads);
  CHECK(load.durations.moments.mean() == 150.5);
  CHECK(load.durations.moments.error().value() == Approx(1.960 * std::sqrt(100.0 * 101 / 12 / 100)));
  CHECK(load.durations.moments.least == 101);
  CHECK(load.durations.percentile(50) == 150);
  CHECK(load.durations.percentile(99) == 199);
  CHECK(load.durations.moments.most == 200);
  CHECK(load.threads == 3200);
  CHECK(load.width == 400);
  CHECK(load.leastWidth == 400);
  const LatencyOfAccess &other = at(figures, 11, abi::Operation::Load);
  CHECK(other.threads == 1);
  CHECK(other.width == 1);
  CHECK(at(figures, 13, abi::Operation::Load).widthOf == LatencyWidth::None);
  CHECK(figures.lines.at({0, "l.cu", 11}).moments.cycles == 950); // a load and a store
  const LatencyOfKernel &kernel = figures.kernels.at(0);
  CHECK(kernel.scheme == abi::LatencyScheme::Dependency);
  CHECK(kernel.durations.cycles == figures.cycles);
  CHECK(kernel.untimed == 1);
}

TEST_CASE("lanes apart are one sample: from the first start, and as long as the longest") {
  const TimedTrace trace({[](test::Words &words) {
    test::addTimed(
        words, {.site = kLoad}, [](unsigned lane) { return 5000 - 10 * lane; },
        [](unsigned lane) { return std::uint64_t{lane == 7 ? 333u : 20u + lane}; });
  }});
  const LatencyFigures figures = trace.figures({.series = WarpChoice{"0", 0}});
  CHECK(at(figures, 10, abi::Operation::Load).durations.moments.cycles == 333);
  REQUIRE(figures.series.size() == 1);
  CHECK(figures.series[0].sample.start == 5000 - 310);
}

TEST_CASE("the share of time is the union of a warp's accesses of its span") {
  const TimedTrace trace({[](test::Words &words) {
    // Warp 0: 100 and 100 of 1000 cycles. Warp 1: two that overlap, 150 of 300. Warp 2: one access that took nothing.
    test::addTimed(words, {.site = kLoad, .sm = 3, .start = 1000, .duration = 100});
    test::addTimed(words, {.site = kLoad, .sm = 3, .start = 1900, .duration = 100});
    test::addTimed(words, {.site = kLoad, .warp = 1, .sm = 3, .start = 5000, .duration = 100});
    test::addTimed(words, {.site = kStore, .warp = 1, .sm = 3, .start = 5050, .duration = 100});
    test::addTimed(words, {.site = kStore, .warp = 1, .sm = 3, .start = 5300, .duration = 0});
    test::addTimed(words, {.site = kStore, .cta = 9, .warp = 2, .sm = 4, .start = 77, .duration = 0});
  }});
  const LatencyFigures figures = trace.figures({.listWarps = true});
  const LatencyOfKernel &kernel = figures.kernels.at(0);
  CHECK(kernel.warps == 3);
  CHECK(kernel.memoryCycles == 200 + 150);
  CHECK(kernel.spanCycles == 1000 + 300);
  CHECK(kernel.share().value() == Approx((0.2 + 0.5) / 2));
  CHECK(figures.multiprocessors.at({0, 3}).warps == 2);
  CHECK(figures.multiprocessors.at({0, 4}).share() == std::nullopt);
  REQUIRE(figures.warps.size() == 3);
  CHECK(figures.warps[0].durations.mean() == 100);
  CHECK(figures.warps[1].durations.mean() == Approx(200.0 / 3));
  CHECK(figures.warps[1].end - figures.warps[1].start == 300);
  CHECK((figures.warps[2].cta == 9 && figures.warps[2].warp == 2 && figures.warps[2].sm == 4));
  CHECK(trace.figures().warps.empty());
}

TEST_CASE("each launch's warps have a span of their own") {
  const auto one = [](test::Words &words) {
    test::addTimed(words, {.site = kLoad, .start = 1000, .duration = 100});
    test::addTimed(words, {.site = kLoad, .start = 1100, .duration = 100});
  };
  const TimedTrace trace({one, one, one});
  const LatencyFigures figures = trace.figures();
  CHECK(figures.launches == 3);
  CHECK(figures.kernels.at(0).launches == 3);
  CHECK(figures.kernels.at(0).warps == 3);
  CHECK(figures.kernels.at(0).share().value() == 1);
  CHECK(trace.figures(ofLaunch(2)).kernels.at(0).warps == 1);
}

TEST_CASE("a pattern costs what wide accesses take beyond narrow ones of the same bytes") {
  // Variance of a and b in equal numbers, n together: ((a - b) / 2) ^ 2 * n / (n - 1).
  const TimedTrace trace({[](test::Words &words) {
    std::uint64_t now = 0;
    const auto add = [&](std::uint32_t site, std::int64_t stride, std::uint32_t duration,
                         std::uint32_t mask = ~0u) {
      test::addTimed(
          words, {.site = site, .stride = stride, .start = now += 1000, .duration = duration, .mask = mask});
    };
    for (int i = 0; i < 50; ++i) {
      add(kLoad, 4, 100 + 10 * (i % 2));   // 4 sectors
      add(kLoad, 128, 300 + 20 * (i % 2)); // 32 sectors
      add(kOtherLoad, 64, 205);            // 32 sectors, and never less
      add(kShared, 4, 30);
      add(kShared, 128, 94); // 32 wavefronts
      add(kStore, 128, 500); // nobody else stores
    }
    add(kLoad, 128, 5, 1); // one sector, as it must
  }});
  const LatencyFigures figures = trace.figures();
  const PatternCost &load = at(figures, 10, abi::Operation::Load).pattern;
  CHECK(load.reference == PatternCost::Reference::Access);
  CHECK(load.samples == 50);
  CHECK(load.cycles == Approx(50 * (310 - 105)));
  const double wide = 100.0 * 50 / 49, narrow = 25.0 * 50 / 49;
  CHECK(load.error.value() == Approx(1.960 * std::sqrt(50 * wide + 50 * 50 * narrow / 50)));
  const LatencyOfAccess &access = at(figures, 10, abi::Operation::Load);
  REQUIRE(access.shapes.size() == 3);
  CHECK(access.shapes.at({4, 4}).mean() == 105);
  CHECK(access.shapes.at({4, 32}).mean() == 310);
  CHECK(access.shapes.at({1, 1}).samples == 1);
  const PatternCost &other = at(figures, 11, abi::Operation::Load).pattern;
  CHECK(other.reference == PatternCost::Reference::Kernel);
  CHECK(other.cycles == Approx(50 * (205 - 105)));
  const PatternCost &shared = at(figures, 12, abi::Operation::Load).pattern;
  CHECK(shared.cycles == Approx(50 * (94 - 30)));
  CHECK(shared.error.value() == Approx(0).margin(1e-6));
  CHECK(at(figures, 11, abi::Operation::Store).pattern.reference == PatternCost::Reference::None);
}

TEST_CASE("many chunks on many threads give what adding up gives") {
  std::mt19937_64 random(3);
  std::uint64_t cycles = 0, samples = 0;
  std::map<std::uint32_t, std::uint64_t> bySm;
  const TimedTrace trace({[&](test::Words &words) {
    std::vector<std::uint64_t> now(64);
    for (int i = 0; i < 60000; ++i) {
      const std::uint64_t cta = random() % 64;
      const auto duration = static_cast<std::uint32_t>(30 + random() % 700),
                 sm = static_cast<std::uint32_t>(cta % 5);
      test::addTimed(words, {.site = static_cast<std::uint32_t>(random() % 4),
                             .cta = cta,
                             .sm = sm,
                             .stride = static_cast<std::int64_t>(4 << random() % 6),
                             .start = now[cta],
                             .duration = duration});
      now[cta] += duration + 5; // of each warp's time
      cycles += duration;
      bySm[sm] += duration;
      ++samples;
    }
  }});
  REQUIRE(trace.model().launches()[0].chunks.size() > 4);
  const LatencyFigures figures = trace.figures();
  CHECK(figures.cycles == cycles);
  const LatencyOfKernel &kernel = figures.kernels.at(0);
  CHECK(kernel.durations.samples == samples);
  CHECK(kernel.memoryCycles == cycles);
  CHECK(kernel.spanCycles == cycles + 5 * (samples - 64));
  for (const auto &[sm, sum] : bySm)
    CHECK(figures.multiprocessors.at({0, sm}).durations.cycles == sum);
  std::uint64_t inHistograms = 0, inShapes = 0;
  for (const auto &[key, of] : figures.accesses) {
    inHistograms += of.durations.histogram.samples();
    for (const auto &[shape, moments] : of.shapes)
      inShapes += moments.samples;
  }
  CHECK(inHistograms == samples);
  CHECK(inShapes == samples);
}

TEST_CASE("a warp's series is in the order in which its accesses began") {
  const TimedTrace trace({[](test::Words &words) {
    for (const std::uint64_t start : {3000u, 1000u, 2000u}) {
      test::addTimed(words, {.site = kLoad,
                             .cta = 19,
                             .warp = 2,
                             .start = start,
                             .duration = static_cast<std::uint32_t>(start / 10)});
      test::addTimed(words, {.site = kLoad, .cta = 19, .warp = 1, .start = start, .duration = 1});
    }
  }});
  for (const char *block : {"19", "3,2,0", "3,2"}) {
    const LatencyFigures figures = trace.figures({.series = WarpChoice{block, 2}});
    REQUIRE(figures.series.size() == 3);
    for (std::uint64_t i = 0; i < 3; ++i) {
      CHECK(figures.series[i].number == i);
      CHECK(figures.series[i].sample.duration == 100 * (i + 1));
    }
  }
}

TEST_CASE("an excerpt has the first warps of the first multiprocessors, up to where one has too much") {
  const auto many = [](test::Words &words) {
    for (std::uint32_t sm = 0; sm < 6; ++sm)
      for (std::uint32_t warp = 0; warp < 20; ++warp) // of five blocks
        for (std::uint32_t i = 0; i < (warp == 3 ? 100u : 2u); ++i)
          test::addTimed(words, {.site = i == 1 ? kStore : kLoad,
                                 .cta = sm + 6 * (warp / 4),
                                 .warp = warp % 4,
                                 .sm = 7 + sm,
                                 .start = std::uint64_t{1'000'000} * (sm + 1) + 10 * warp + 500 * i,
                                 .duration = 100 + i});
  };
  const TimedTrace trace({many, many});
  const LatencyFigures figures = trace.figures({.excerpts = true});
  REQUIRE(figures.excerpts.size() == 1); // of the kernel's first launch
  const LatencyExcerpt &excerpt = figures.excerpts[0];
  CHECK(excerpt.launch == 0);
  CHECK(excerpt.samples == 6 * (19 * 2 + 100));
  CHECK(excerpt.warps == 120);
  CHECK(excerpt.processors == 6);
  CHECK(excerpt.end.value() ==
        30 + 500 * LatencyExcerpt::kMostSlices); // the fourth warp's first that is left out
  REQUIRE(excerpt.tracks.size() == 4 * 16);
  for (std::size_t i = 0; i < excerpt.tracks.size(); ++i) {
    const LatencyExcerpt::Track &track = excerpt.tracks[i];
    const std::size_t warp = i % 16;
    CHECK(track.sm == 7 + i / 16);
    CHECK(track.cta == i / 16 + 6 * (warp / 4));
    CHECK(track.warp == warp % 4);
    REQUIRE(track.slices.size() == (warp == 3 ? LatencyExcerpt::kMostSlices : 2));
    CHECK(track.slices[1].start == 10 * warp + 500);
    CHECK(track.slices[1].duration == 101);
    const auto access = std::next(figures.accesses.begin(), track.slices[1].access);
    CHECK(access->first.access.operation == abi::Operation::Store);
  }
  CHECK(trace.figures().excerpts.empty());
}

TEST_CASE("an excerpt of little has all of it, by start, and none begins behind its end") {
  const TimedTrace little({[](test::Words &words) {
    for (const std::uint64_t start : {3000u, 1000u, 2000u})
      test::addTimed(words, {.site = kLoad, .start = start, .duration = 7});
  }});
  const LatencyFigures figures = little.figures({.excerpts = true});
  CHECK(figures.excerpts.at(0).end == std::nullopt);
  REQUIRE(figures.excerpts[0].tracks.at(0).slices.size() == 3);
  CHECK(figures.excerpts[0].tracks[0].slices[0].start == 0);
  CHECK(figures.excerpts[0].tracks[0].slices[2].start == 2000);

  const TimedTrace late({[](test::Words &words) {
    for (std::uint32_t i = 0; i < 200; ++i)
      test::addTimed(words, {.site = kLoad, .start = 100 * i, .duration = 7});
    test::addTimed(words,
                   {.site = kLoad, .warp = 1, .start = 100 * LatencyExcerpt::kMostSlices, .duration = 7});
  }});
  CHECK(late.figures({.excerpts = true}).excerpts.at(0).tracks.size() == 1); // the other warp begins too late
}

TEST_CASE("blocks and files are selected, and what is not timed is no launch of these") {
  const TimedTrace trace({[](test::Words &words) {
    test::addTimed(words, {.site = kLoad, .cta = 1, .duration = 7});
    test::addTimed(words, {.site = kLoad, .cta = 2, .duration = 70});
  }});
  CHECK(trace.figures(ofRecords("2", "")).cycles == 70);
  CHECK_THROWS_WITH(trace.figures(ofRecords("", "m.cu")), Catch::Contains("l.cu"));

  test::TemporaryFile file;
  {
    test::TraceBuilder untimed(file.path());
    untimed.table(sitesOfAll());
    test::Words words;
    words.strided(kUntimed, 0, 0, 0x1000, 4);
    untimed.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words);
    untimed.writer->finish();
  }
  CHECK_THROWS_WITH(latencyFigures(Model(file.path())), Catch::Contains("CUPR_LATENCY=on"));
  test::TemporaryFile both;
  test::writeTimedTrace(both.path());
  const Model model(both.path());
  CHECK(latencyFigures(model).launches == 1);
  CHECK_THROWS_WITH(latencyFigures(model, ofLaunch(2)),
                    Catch::Contains("no launch that is selected is timed"));
}

TEST_CASE("every sample is a line of CSV") {
  const TimedTrace trace({[](test::Words &words) {
    test::addTimed(
        words, {.site = kLoad, .cta = 9, .warp = 1, .sm = 3, .stride = 32, .start = 123, .duration = 456});
    test::addTimed(
        words,
        {.site = kShared, .cta = 9, .warp = 1, .sm = 3, .base = 0, .start = 700, .duration = 30, .mask = 3});
  }});
  test::Written written;
  test::StringSink sink(written);
  writeLatencyCsv(trace.model(), {}, sink, nullptr);
  const std::vector<std::string> lines = linesOf(written.text);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "launch,kernel,cta_x,cta_y,cta_z,warp,sm,clock,duration,file,line,column,operation,space,"
                    "bytes,threads,sectors,wavefronts");
  CHECK(lines[1] == "1,k(int*),1,1,0,1,3,123,456,l.cu,10,7,load,global,4,32,32,");
  CHECK(lines[2] == "1,k(int*),1,1,0,1,3,700,30,l.cu,12,7,load,shared,4,2,,1");
}

TEST_CASE("a timeline has the slices of its window, by each multiprocessor's own clock") {
  const auto timelineOf = [](const TimedTrace &trace, const LatencyWindow &window) {
    test::Written written;
    test::StringSink sink(written);
    writeLatencyTimeline(trace.model(), {}, window, sink, nullptr);
    return linesOf(written.text);
  };
  const auto records = [](test::Words &words) {
    test::addTimed(words, {.site = kLoad, .sm = 2, .start = 1000000, .duration = 500});
    test::addTimed(words, {.site = kStore, .sm = 2, .start = 1000400, .duration = 300}); // meanwhile
    test::addTimed(words, {.site = kLoad, .sm = 2, .start = 1002000, .duration = 100});
    test::addTimed(words,
                   {.site = kShared, .cta = 10, .warp = 3, .sm = 7, .base = 0, .start = 50, .duration = 40});
  };
  const TimedTrace trace({records});
  CHECK(
      timelineOf(trace, {}) ==
      std::vector<std::string>{
          R"({"displayTimeUnit":"ns","traceEvents":[)",
          R"({"ph":"M","name":"process_name","pid":2,"args":{"name":"multiprocessor 2"}},)",
          R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"multiprocessor 7"}},)",
          R"({"ph":"M","name":"thread_name","pid":2,"tid":1,"args":{"name":"block 0,0,0 warp 0"}},)",
          R"({"ph":"X","name":"l.cu:10 load","pid":2,"tid":1,"ts":0.000,"dur":0.500,"args":{"column":7,"threads":32,"sectors":4}},)",
          R"x({"ph":"M","name":"thread_name","pid":2,"tid":2,"args":{"name":"block 0,0,0 warp 0 (2)"}},)x",
          R"({"ph":"X","name":"l.cu:11 store","pid":2,"tid":2,"ts":0.400,"dur":0.300,"args":{"column":7,"threads":32,"sectors":4}},)",
          R"({"ph":"X","name":"l.cu:10 load","pid":2,"tid":1,"ts":2.000,"dur":0.100,"args":{"column":7,"threads":32,"sectors":4}},)",
          R"({"ph":"M","name":"thread_name","pid":7,"tid":3,"args":{"name":"block 2,1,0 warp 3"}},)",
          R"({"ph":"X","name":"l.cu:12 load","pid":7,"tid":3,"ts":0.000,"dur":0.040,"args":{"column":7,"threads":32,"wavefronts":1}}]})"});
  const std::vector<std::string> windowed = timelineOf(trace, {.from = 500, .to = 2000});
  REQUIRE(windowed.size() == 5); // the store alone
  CHECK_THAT(windowed[4], Catch::Contains("l.cu:11 store"));
  CHECK_THROWS_WITH(timelineOf(TimedTrace({records, records}), {}),
                    Catch::Contains("choose one with --launch"));
}

} // namespace latency_test
