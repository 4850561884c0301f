/// Records become runs of shards.
#include "analysis/engine/run_dispatcher.h"
#include "unit/trace/trace_builder.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <tuple>
#include <vector>

namespace run_dispatcher_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

StepChunk firstChunk() {
  return {.launch = 0,
          .chunk = 0,
          .number = 1,
          .allocations = std::make_shared<const AllocationMap>(std::vector<AllocationMap::Entry>(), 0)};
}

} // namespace

TEST_CASE("an access of gigabytes is few runs, which are all its bytes") {
  constexpr std::uint64_t kBytes = (std::uint64_t{5} << 30) / 2, kBase = 0x7f0000000000u - 5000;
  test::TemporaryFile file;
  test::SiteTableBlob blob;
  const std::uint32_t out = blob.site(abi::Operation::Store, 0);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  test::TraceBuilder trace(file.path());
  trace.table(blob);
  test::Words words;
  words.ranges(out, 0, kBase, {kBytes});
  trace.run("fill(char*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();

  const Model model(file.path());
  const std::vector<std::uint32_t> firstSites{0};
  AccessShapes shapes;
  const PageDeal deal;
  RunDispatcher dispatcher(model, firstSites, shapes, deal);
  ChunkRuns runs;
  dispatcher.dispatch(firstChunk(), SIZE_MAX, runs);
  CHECK(runs.runs.size() < 4 * kShards);
  std::uint64_t bytes = 0;
  for (unsigned shard = 0; shard < kShards; ++shard)
    for (const ShardRun &run : runs.of(shard)) {
      CHECK(deal.shardOf(run.begin >> kPageShift) == shard);
      CHECK(run.access != 0);
      deal.forEachPart(run.range(), shard, [&](const Range &part) {
        bytes += part.bytes();
        REQUIRE(part.begin >= kBase);
        REQUIRE(part.end <= kBase + kBytes);
      });
    }
  CHECK(bytes == kBytes);
}

TEST_CASE("a chunk of many runs is given in parts, which together are the whole") {
  test::TemporaryFile file;
  test::SiteTableBlob blob;
  const std::uint32_t in = blob.site(abi::Operation::Load, 8);
  test::TraceBuilder trace(file.path());
  trace.table(blob);
  test::Words words;
  for (std::uint64_t i = 0; i < 100; ++i) // each of 32 runs, and the last of them over the border of a page
    words.strided(in, i % 4, 0, 0x7f0000000000u + i * 4096 - 31 * 4096 - 4, 4096);
  trace.run("columns(double*)", {4, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();

  const Model model(file.path());
  const std::vector<std::uint32_t> firstSites{0};
  AccessShapes shapes;
  const PageDeal deal;
  const auto keyOf = [](const ShardRun &run) {
    return std::tuple(run.begin, run.access, run.cta, run.elementBytes, run.elements);
  };
  using Keys = std::array<std::vector<decltype(keyOf(ShardRun{}))>, kShards>;
  struct Result {
    Keys runs;
    std::uint64_t records = 0, bytes = 0, parts = 0;
    trace::Counts counts;
  };
  const auto dispatch = [&](std::size_t mostRuns) {
    RunDispatcher dispatcher(model, firstSites, shapes, deal);
    Result result;
    StepChunk chunk = firstChunk();
    do {
      ChunkRuns runs;
      dispatcher.dispatch(chunk, mostRuns, runs);
      for (unsigned shard = 0; shard < kShards; ++shard)
        for (const ShardRun &run : runs.of(shard))
          result.runs[shard].push_back(keyOf(run));
      CHECK(runs.runs.size() < mostRuns + 64);
      result.records += runs.records;
      for (const EntityVolume &cta : runs.ctas)
        result.bytes += cta.bytes;
      ++result.parts;
      chunk.firstRecord = runs.nextRecord;
    } while (chunk.firstRecord != 0);
    result.counts = dispatcher.sites().at(0).counts;
    return result;
  };
  const Result whole = dispatch(SIZE_MAX / 4), parts = dispatch(640);
  CHECK(whole.parts == 1);
  CHECK(parts.parts == 10); // 64 runs for each record, so 10 records in a part
  CHECK(parts.runs == whole.runs);
  CHECK(parts.records == 100);
  CHECK(parts.bytes == 100 * 32 * 8);
  CHECK(parts.counts.loads == 100 * 32);
}

} // namespace run_dispatcher_test
