/// What caches of other sizes would have, and which pages a TLB has: programs for which arithmetic knows.
#include "analysis/engine/cache_model.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

namespace cache_reuse_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kBase = 0x40000000;
enum Site : std::uint32_t { kLoad, kStore, kAtomic };

/// Of launches with these records, all on one multiprocessor where the block is 0.
CacheUse useOf(const std::vector<std::function<void(test::Words &)>> &launches, bool cold = false) {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4);
    blob.site(abi::Operation::Store, 4);
    blob.site(abi::Operation::AtomicAdd, 4);
    trace.table(blob);
    for (const auto &add : launches) {
      test::Words words;
      add(words);
      trace.run("k(int*)", {1024, 1, 1}, {64, 1, 1}, words);
    }
    trace.writer->finish();
  }
  const Model model(file.path());
  return cacheUse(model, defaultGeometry(), {.cold = cold, .reuse = true});
}

/// One row of 128 bytes, by the first warp of a block.
void row(test::Words &words, Site site, std::uint64_t line, std::uint64_t cta = 0) {
  words.strided(site, cta, 0, kBase + 128 * line, 4);
}

std::uint64_t sumAgain(const ReuseFigures &of, std::size_t below) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < std::min(below, of.again.size()); ++i)
    sum += of.again[i];
  return sum;
}

const CacheReuse &reuseOf(const CacheUse &use, Site site) { return use.siteReuse.at({0, site}); }

} // namespace

TEST_CASE("a line is used again behind as many others as lie between") {
  const CacheUse use = useOf({[](test::Words &words) {
    for (const std::uint64_t line : {0, 1, 2, 0, 0, 2, 1}) // behind two others, none, one, two
      row(words, kLoad, line);
  }});
  const ReuseFigures &l1 = reuseOf(use, kLoad).l1;
  CHECK(l1.first == 3 * 4);
  CHECK(l1.again == std::vector<std::uint64_t>{4, 4, 8});
  CHECK(*l1.bytesFor(25) == 128);
  CHECK(*l1.bytesFor(50) == 256);
  CHECK(*l1.bytesFor(90) == 512);
  CHECK(use.allocationReuse.size() == 1);
  CHECK(use.allocationReuse.begin()->second == reuseOf(use, kLoad));
  CHECK_FALSE(ReuseFigures{}.bytesFor(90));
}

TEST_CASE("what was stored whole is there for loads, and each launch begins anew in L1") {
  const auto both = [](test::Words &words) {
    row(words, kStore, 0);
    row(words, kStore, 1);
    row(words, kLoad, 0);
    row(words, kLoad, 5);
  };
  const CacheUse use = useOf({both, both});
  const CacheReuse &loads = reuseOf(use, kLoad);
  CHECK(loads.l1.first == 2 * 4);
  CHECK(loads.l1.again == std::vector<std::uint64_t>{0, 2 * 4});
  CHECK(reuseOf(use, kStore).l1 == ReuseFigures{}); // stores need nothing that is there
  // L2 keeps what the launch before left there.
  CHECK(loads.l2.first == 4);
  CHECK(loads.l2.allAgain() == 4);
  CHECK(reuseOf(useOf({both, both}, /*cold=*/true), kLoad).l2.first == 2 * 4);
}

TEST_CASE("L2 is asked again for what L1 has lost") {
  constexpr std::uint64_t kLines = 16384; // 2 MiB
  const CacheUse use = useOf({[](test::Words &words) {
    for (int round = 0; round < 3; ++round)
      for (std::uint64_t line = 0; line < kLines; ++line)
        row(words, kLoad, line);
  }});
  const CacheReuse &reuse = reuseOf(use, kLoad);
  CHECK(reuse.l1.first == 4 * kLines);
  CHECK(*reuse.l1.bytesFor(90) == 128 * kLines); // each behind all others
  CHECK(reuse.l2.first == 4 * kLines);
  CHECK(reuse.l2.allAgain() == 8 * kLines);
  // Parts of L2 have an eighth of the lines each, more or less.
  CHECK(*reuse.l2.bytesFor(100) <= 256 * kLines);
  CHECK(*reuse.l2.bytesFor(90) >= 128 * kLines);
}

TEST_CASE("a TLB has 16 pages") {
  constexpr std::uint64_t kLinesOfPage = MultiprocessorReuse::kPageBytes / 128;
  const auto hits = [](std::uint64_t pages) {
    const CacheUse use = useOf({[&](test::Words &words) {
      for (int round = 0; round < 3; ++round)
        for (std::uint64_t page = 0; page < pages; ++page)
          row(words, kLoad, page * kLinesOfPage);
    }});
    const CacheReuse &reuse = reuseOf(use, kLoad);
    CHECK(reuse.pages == 3 * pages);
    return reuse.pageHits;
  };
  CHECK(hits(16) == 32);
  CHECK(hits(17) == 0);
  // A request asks for each of its pages once.
  const CacheUse use =
      useOf({[](test::Words &words) { words.strided(kLoad, 0, 0, kBase, kLinesOfPage * 64); }});
  CHECK(reuseOf(use, kLoad).pages == 16);
}

TEST_CASE("all that caches are asked for is used for the first time or again", "[random]") {
  std::mt19937 random(11);
  for (int round = 0; round < 4; ++round) {
    const auto some = [&](test::Words &words) {
      for (int i = 0; i < 3000; ++i)
        row(words, Site(random() % 3), random() % (1u << (4 + 4 * round)), random() % 300);
    };
    const CacheUse use = useOf({some, some}, round % 2);
    for (const Site site : {kLoad, kStore, kAtomic}) {
      const CacheFigures &made = use.sites.at({0, site});
      const CacheReuse &reuse = reuseOf(use, site);
      CHECK(reuse.l1.all() == made.loads);
      CHECK(reuse.l2.all() == made.reads + made.l2Atomics);
      CHECK(reuse.pages == (made.loads + made.stores + made.atomics) / 4);
      // As many as L1 has room for, less where they share a place; lines that fit are all found.
      if (round == 0)
        CHECK(sumAgain(reuse.l1, 64) == made.loadHits);
    }
  }
}

TEST_CASE("nothing is followed that was not asked for") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4);
  trace.table(blob);
  test::Words words;
  words.strided(0, 0, 0, kBase, 4);
  trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Model model(file.path());
  const CacheUse use = cacheUse(model, defaultGeometry());
  CHECK(use.siteReuse.empty());
  CHECK(use.allocationReuse.empty());
}

} // namespace cache_reuse_test
