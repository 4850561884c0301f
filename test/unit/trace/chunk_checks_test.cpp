#include "hostlib/trace/chunk_checks.h"
#include "trace_builder.h"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace cupr;
using namespace cupr::trace;

namespace {

const std::vector<Site> kSites = [] {
  std::vector<Site> sites(2);
  sites[0].bytes = 4;
  sites[1].bytes = 8;
  sites[1].operation = abi::Operation::Store;
  return sites;
}();

Launch launchOf32() {
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {32, 1, 1};
  return launch;
}

/// `records` records at the first site, and one at the second.
Chunk chunkOf(std::uint32_t records) {
  test::Words words;
  for (std::uint32_t i = 0; i < records; ++i)
    words.strided(0, i % 4, 0, 0x1000 * i, 4);
  words.strided(1, 0, 0, 0x1000, 8);
  return packChunk({words.data(), words.size()}, records + 1);
}

} // namespace

TEST_CASE("chunks are checked by any number of threads, and told in the order of the file") {
  const Launch launch = launchOf32();
  for (const unsigned helpers : {0u, 1u, 5u}) {
    ChunkChecks checks(helpers);
    std::size_t told = 0;
    std::uint64_t records = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      const std::uint32_t count = 1 + static_cast<std::uint32_t>(i * 37 % 500);
      Chunk chunk = chunkOf(count);
      if (i == 123)
        ++chunk.hash;
      if (i == 124)
        ++chunk.records;
      checks.check(std::move(chunk), launch, kSites, [&, i, count](const ChunkChecks::Result &result) {
        CHECK(told++ == i);
        if (i == 123 || i == 124) {
          CHECK_FALSE(result.rule.empty());
          return;
        }
        CHECK(result.rule.empty());
        CHECK(result.totals.records == count + 1);
        CHECK(result.totals.counts.global.storeBytes == 256);
        CHECK(result.bySite == SiteAccesses{{0, 32 * count}, {1, 32}});
        records += result.totals.records;
      });
      if (i % 50 == 49)
        checks.then([&, i] { CHECK(told == i + 1); });
    }
    checks.finish();
    CHECK(told == 300);
    CHECK(records > 0);
  }
}

TEST_CASE("a check that is given up leaves no thread behind, and what its answer throws comes out") {
  const Launch launch = launchOf32();
  ChunkChecks checks(3);
  const auto add = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      checks.check(chunkOf(100), launch, kSites,
                   [](const ChunkChecks::Result &) { throw std::runtime_error("no"); });
    checks.finish();
  };
  CHECK_THROWS_WITH(add(50), "no");
}
