/// Records become runs of shards.
#include "analysis/engine/run_dispatcher.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::analysis;

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
  dispatcher.dispatch(0, 0, 1, AllocationMap({}, 0), runs);
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
