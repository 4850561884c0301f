/// Figures of transfers on traces whose answers are arithmetic.
#include "analysis/metrics/transfer_metrics.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <functional>

namespace transfer_metrics_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kA = 0x10000;

/// Launches of 4 x 4 CTAs; CTA n writes block n of 128 bytes, and reads the blocks that `sources` names.
struct Grid {
  Grid() : trace(file.path()) {
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4);
    blob.site(abi::Operation::Store, 4);
    trace.table(blob);
  }
  void launch(bool writes, const std::function<std::vector<std::uint64_t>(std::uint64_t)> &sources) {
    test::Words words;
    for (std::uint64_t cta = 0; cta < 16; ++cta) {
      for (const std::uint64_t block : sources(cta))
        words.strided(0, cta, 0, kA + 128 * block, 4);
      if (writes)
        words.strided(1, cta, 0, kA + 128 * cta, 4);
    }
    trace.run("k(int*)", {4, 4, 1}, {32, 1, 1}, words);
  }
  void write() {
    launch(true, [](std::uint64_t) { return std::vector<std::uint64_t>(); });
  }
  TransferMetrics metrics() {
    trace.writer->finish();
    const Model model(file.path());
    return transferMetrics(model, communication(model));
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
};

using Blocks = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("transpose: each CTA has one partner, and half of what is not on the diagonal crosses") {
  Grid grid;
  grid.write();
  grid.launch(false, [](std::uint64_t cta) { return Blocks{cta % 4 * 4 + cta / 4}; });
  const TransferMetrics metrics = grid.metrics();
  CHECK(metrics.sizes.sizes == std::map<std::uint64_t, std::uint64_t>{{128, 16}});
  CHECK(metrics.in == Degrees{{1, 16}});
  CHECK(metrics.out == Degrees{{1, 16}});
  CHECK(metrics.otherIn == Degrees{{1, 12}});
  // x and y change places: 8 of the 16 change the half, in either dimension.
  REQUIRE(metrics.bisection[0]);
  CHECK(metrics.bisection[0]->bytes == 8 * 128);
  CHECK(metrics.bisection[0]->relative == 0.5);
  CHECK(metrics.bisection[1]->bytes == 8 * 128);
  CHECK_FALSE(metrics.bisection[2]);
  const std::vector<DensityLevel> &levels = metrics.density.maps.at(kCommunication);
  REQUIRE(levels.size() == 1);
  CHECK(levels[0].filled.size() == 16);
  CHECK(metrics.density.ctas == 16);
}

TEST_CASE("all to all: every CTA has all as partners") {
  Grid grid;
  grid.write();
  grid.launch(false, [](std::uint64_t) {
    Blocks all;
    for (std::uint64_t block = 0; block < 16; ++block)
      all.push_back(block);
    return all;
  });
  const TransferMetrics metrics = grid.metrics();
  CHECK(metrics.sizes.transfers == 256);
  CHECK(metrics.in == Degrees{{16, 16}});
  CHECK(metrics.otherOut == Degrees{{15, 16}});
  CHECK(metrics.bisection[0]->relative == 0.5);
  CHECK(metrics.supersteps[0].out.mean == 16);
  CHECK(metrics.supersteps[0].out.deviation == 0);
  CHECK(metrics.supersteps[1].in.ctas == 16);
  CHECK(metrics.supersteps[0].storeBytes == 16 * 128);
  CHECK(metrics.supersteps[1].loadBytes == 16 * 128);
  CHECK(metrics.supersteps[0].transferBytes == 0);
  CHECK(metrics.supersteps[1].transferBytes == 256 * 128);
}

TEST_CASE("scatter: one CTA writes what all read") {
  Grid grid;
  test::Words words;
  for (std::uint64_t block = 0; block < 16; ++block)
    words.strided(1, 0, 0, kA + 128 * block, 4);
  grid.trace.run("k(int*)", {4, 4, 1}, {32, 1, 1}, words);
  grid.launch(false, [](std::uint64_t cta) { return Blocks{cta}; });
  const TransferMetrics metrics = grid.metrics();
  CHECK(metrics.sizes.sizes == std::map<std::uint64_t, std::uint64_t>{{128, 16}});
  CHECK(metrics.in == Degrees{{1, 16}});
  CHECK(metrics.out == Degrees{{16, 1}});
  CHECK(metrics.otherOut == Degrees{{15, 1}});
  CHECK(metrics.bisection[0]->bytes == 8 * 128);
  CHECK(metrics.bisection[1]->bytes == 8 * 128);
}

TEST_CASE("halo of width w: a CTA reads its own data and w elements on either side") {
  for (const unsigned width : {1u, 3u, 31u}) {
    Grid grid;
    grid.write();
    test::Words words;
    const std::uint32_t mask = (1u << width) - 1;
    for (std::uint64_t cta = 0; cta < 16; ++cta) {
      words.strided(0, cta, 0, kA + 128 * cta, 4);
      if (cta != 0)
        words.strided(0, cta, 0, kA + 128 * cta - std::uint64_t{4} * width, 4, mask);
      if (cta != 15)
        words.strided(0, cta, 0, kA + 128 * (cta + 1), 4, mask);
    }
    grid.trace.run("k(int*)", {4, 4, 1}, {32, 1, 1}, words);
    const TransferMetrics metrics = grid.metrics();
    const std::uint64_t halo = std::uint64_t{4} * width;
    CHECK(metrics.sizes.sizes == std::map<std::uint64_t, std::uint64_t>{{halo, 30}, {128, 16}});
    CHECK(metrics.in == Degrees{{2, 2}, {3, 14}});
    CHECK(metrics.otherIn == Degrees{{1, 2}, {2, 14}});
    // In x, neighbours in the middle of a row and from one row to the next; in y, those in the middle of all.
    CHECK(metrics.bisection[0]->bytes == 2 * (4 + 3) * halo);
    CHECK(metrics.bisection[1]->bytes == 2 * halo);
  }
}

TEST_CASE("data that the step after the next reads has distance 1") {
  Grid grid;
  grid.write();
  grid.launch(false, [](std::uint64_t cta) { return cta < 4 ? Blocks{cta} : Blocks{}; });
  grid.launch(false, [](std::uint64_t cta) { return Blocks{cta}; });
  const TransferMetrics metrics = grid.metrics();
  REQUIRE(metrics.distances.size() == 2);
  CHECK(metrics.distances.at(0).bytes == 4 * 128);
  CHECK(metrics.distances.at(1).bytes == 16 * 128);
  CHECK(metrics.distances.at(1).operations == 16 * 32);
}

TEST_CASE("two streams: with an event between them it is communication, without it is not") {
  for (const bool event : {false, true}) {
    Grid grid;
    grid.trace.stream(5, trace::StreamKind::NonBlocking);
    grid.write();
    if (event)
      grid.trace.synchronise(trace::Synchronisation::Kind::EventRecord, 9);
    grid.trace.stream(6, trace::StreamKind::NonBlocking);
    if (event)
      grid.trace.synchronise(trace::Synchronisation::Kind::StreamWaitEvent, 9);
    grid.launch(false, [](std::uint64_t cta) { return Blocks{cta}; });
    const TransferMetrics metrics = grid.metrics();
    CHECK(metrics.sizes.bytes == (event ? 16 * 128 : 0));
    CHECK(metrics.supersteps.size() == (event ? 2 : 1));
    const DependenceClass concurrent{DependenceKind::Raw, DependenceOrder::Concurrent};
    CHECK(metrics.density.maps.count(concurrent) == (event ? 0 : 1));
  }
}

} // namespace transfer_metrics_test
