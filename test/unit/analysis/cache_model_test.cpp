/// Hits that arithmetic gives: programs whose accesses are chosen so that every cache of their kind finds the same.
#include "analysis/engine/cache_model.h"
#include "unit/trace/derived_trace.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>

namespace cache_model_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kBase = 0x100000;
/// A site of each.
enum Site : std::uint32_t { kLoad, kStore, kAtomic, kWideLoad };

test::SiteTableBlob sitesOfAll() {
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4);
  blob.site(abi::Operation::Store, 4);
  blob.site(abi::Operation::AtomicAdd, 4);
  blob.site(abi::Operation::Load, 32);
  return blob;
}

/// By site, of launches of `threads` threads in each block with these records.
std::map<std::uint32_t, CacheFigures>
figuresOf(const std::vector<std::function<void(test::Words &)>> &launches, CacheOptions options = {},
          std::uint32_t threads = 256) {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(sitesOfAll());
    for (const auto &add : launches) {
      test::Words words;
      add(words);
      trace.run("k(int*)", {1024, 1, 1}, {threads, 1, 1}, words);
    }
    trace.writer->finish();
  }
  const Model model(file.path());
  std::map<std::uint32_t, CacheFigures> result;
  for (const auto &[place, made] : cacheUse(model, defaultGeometry(), options).sites)
    result[place.site] += made;
  return result;
}

void loadRow(test::Words &words, std::uint64_t cta, std::uint32_t warp, std::uint64_t address) {
  words.strided(kLoad, cta, warp, address, 4);
}

} // namespace

TEST_CASE("a block finds in L1 what it loaded before, and another multiprocessor's block in L2") {
  const auto made = figuresOf({[](test::Words &words) {
                      for (const std::uint64_t cta : {0u, 1u}) // on two multiprocessors
                        for (int times = 0; times < 3; ++times)
                          loadRow(words, cta, 0, kBase);
                    }}).at(kLoad);
  CHECK(made.loads == 24);
  CHECK(made.loadHits == 16);
  CHECK(made.reads == 8);
  CHECK(made.readHits == 4);
  CHECK(made.memoryReadBytes() == 128);
}

TEST_CASE("L1 is empty when a launch begins, and L2 only where that is asked for") {
  const auto twice = [](test::Words &words) { loadRow(words, 0, 0, kBase); };
  const auto warm = figuresOf({twice, twice}).at(kLoad);
  CHECK(warm.loadHits == 0);
  CHECK(warm.readHits == 4);
  const auto cold = figuresOf({twice, twice}, {.cold = true}).at(kLoad);
  CHECK(cold.loadHits == 0);
  CHECK(cold.readHits == 0);
  CHECK(cold.memoryReadBytes() == 256);
}

TEST_CASE("what does not fit is read again") {
  // A warp goes through so many lines twice.
  const auto hits = [](std::uint64_t lines) {
    return figuresOf({[&](test::Words &words) {
             for (int times = 0; times < 2; ++times)
               for (std::uint64_t line = 0; line < lines; ++line)
                 loadRow(words, 0, 0, kBase + 128 * line);
           }})
        .at(kLoad)
        .loadHits;
  };
  CHECK(hits(512) == 512 * 4);
  CHECK(hits(16384) == 0);
}

TEST_CASE("memory is read 64 bytes at a time") {
  const auto made = figuresOf({[](test::Words &words) {
                      for (std::uint64_t cta = 0; cta < 4; ++cta) // a sector each
                        words.strided(kLoad, cta, 0, kBase + 32 * cta, 4, 0xff);
                    }}).at(kLoad);
  CHECK(made.reads == 4);
  CHECK(made.readHits == 2);
  CHECK(made.memoryReadBytes() == 128);
}

TEST_CASE("memory is written once for what is written again while it is in L2") {
  const auto figures =
      figuresOf({[](test::Words &words) {
                   words.strided(kStore, 0, 0, kBase, 4);
                   words.strided(kStore, 1, 0, kBase, 4);       // on another multiprocessor
                   words.strided(kAtomic, 0, 0, kBase + 64, 4); // two of these sectors, and two more
                 },
                 [](test::Words &words) { words.strided(kStore, 0, 0, kBase, 4); }});
  CHECK(figures.at(kStore).memoryWriteBytes() == 128);
  CHECK(figures.at(kAtomic).memoryWriteBytes() == 64);
  CHECK(figures.at(kStore).memoryReadBytes() == 0);
}

TEST_CASE("stores go through L1, atomics past it") {
  const auto made = figuresOf({[](test::Words &words) {
    words.strided(kStore, 0, 0, kBase, 4);
    words.strided(kStore, 0, 0, kBase, 4);
    loadRow(words, 0, 0, kBase);                  // all of its bytes are known
    words.strided(kStore, 0, 0, kBase + 256, 32); // a word of each sector
    words.strided(kLoad, 0, 0, kBase + 256, 32);
    words.strided(kAtomic, 0, 0, kBase, 4);
    words.strided(kAtomic, 0, 0, kBase + 4096, 4);
  }});
  CHECK(made.at(kStore).stores == 4 + 4 + 32);
  CHECK(made.at(kStore).storeHits == 4);
  CHECK(made.at(kStore).writes == 40);
  CHECK(made.at(kLoad).loads == 4 + 32);
  CHECK(made.at(kLoad).loadHits == 4);
  CHECK(made.at(kLoad).readHits == 0);
  CHECK(made.at(kAtomic).atomics == 8);
  CHECK(made.at(kAtomic).l2AtomicHits == 4); // what was stored
}

TEST_CASE("an access of several requests finds what its first one brought") {
  const auto made = figuresOf({[](test::Words &words) { words.strided(kWideLoad, 0, 0, kBase, 32); }});
  CHECK(made.at(kWideLoad).loads == 64); // 16 bytes at a time
  CHECK(made.at(kWideLoad).loadHits == 32);
}

TEST_CASE("warps take turns, so that what one brings is there for the others") {
  const auto made = figuresOf({[](test::Words &words) {
    // In the trace one warp is behind the other, and each goes through more than L1 holds.
    for (std::uint32_t warp = 0; warp < 8; ++warp)
      for (std::uint64_t line = 0; line < 4096; ++line)
        loadRow(words, 0, warp, kBase + 128 * line);
  }});
  CHECK(made.at(kLoad).loads == 8 * 4096 * 4);
  CHECK(made.at(kLoad).loadHits == 7 * 4096 * 4);
}

TEST_CASE("no more blocks share L1 than fit on a multiprocessor") {
  // Blocks 0, 132, 264 ... are on one. Each loads lines of its own twice; so many blocks' lines fit, and all at once do not.
  const auto hits = [](std::uint32_t threads) {
    return figuresOf({[&](test::Words &words) {
                       for (std::uint64_t block = 0; block < 7; ++block)
                         for (int times = 0; times < 2; ++times)
                           for (std::uint64_t line = 0; line < 500; ++line)
                             loadRow(words, 132 * block, 0, kBase + 128 * (500 * block + line));
                     }},
                     {}, threads)
        .at(kLoad)
        .loadHits;
  };
  CHECK(hits(1024 + 32) == 7 * 2000); // one at a time
  CHECK(hits(256) < 7 * 200);
}

TEST_CASE("what goes to memory is at least each line once, and hits and misses are all") {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    std::set<std::uint64_t> sectors;
    const auto made = figuresOf({[&](test::Words &words) {
                        for (int i = 0; i < 3000; ++i) {
                          abi::WarpAccess access{};
                          access.cta = random() % 300;
                          access.warp = random() % 8;
                          access.laneMask = random() | 1;
                          for (unsigned lane = 0; lane < abi::kLanes; ++lane)
                            if (access.laneMask >> lane & 1) {
                              access.address[lane] = kBase + random() % (1 << (10 + 2 * round)) * 4;
                              sectors.insert(access.address[lane] / 32);
                            }
                          words.add(access);
                        }
                      }}).at(kLoad);
    CHECK(made.loads - made.loadHits == made.reads);
    CHECK(made.memoryReadBytes() >= sectors.size() * 32);
    CHECK(made.memoryReadBytes() <= sectors.size() * 64);
  }
}

TEST_CASE("blocks that are derived are followed as if they had been recorded") {
  test::TemporaryFile file;
  test::writeDerivedTrace(file.path());
  const Model model(file.path());
  const CacheUse use = cacheUse(model, defaultGeometry());
  // 400 bytes, and behind them all but the first block's 192 once more.
  const CacheFigures &loads = use.sites.at({0, 0}), &stores = use.sites.at({0, 1});
  CHECK(loads.loads == 13 + 7);
  CHECK(loads.loadHits == 0);
  CHECK(loads.readHits == 7);
  CHECK(loads.memoryReadBytes() == 14 * 32);
  CHECK(stores.writes == 13 + 7);
  CHECK(stores.storeHits == 2 * 2); // the second warp of the second block goes on in the line of the first
  CHECK(use.allocations.at(0) == loads);
  CHECK(use.allocations.at(1) == stores);
}

TEST_CASE("L1 has what the blocks' shared memory leaves") {
  const CacheGeometry &h100 = *geometryOf("NVIDIA H100 80GB HBM3");
  trace::Launch launch;
  launch.block = {256, 1, 1};
  CHECK(h100.residentBlocks(launch) == 8);
  CHECK(h100.l1Bytes(launch) == 224 * 1024);
  launch.staticShared = 8192;
  launch.registers = 64;
  CHECK(h100.residentBlocks(launch) == 4);
  CHECK(h100.l1Bytes(launch) == 156 * 1024);
  launch.dynamicShared = 200 * 1024;
  CHECK(h100.residentBlocks(launch) == 1);
  CHECK(h100.l1Bytes(launch) == 256 * 1024 - (200 * 1024 + 8192 + 1024));
  CHECK(&h100 == &defaultGeometry());
  CHECK(geometryOf("Abacus") == nullptr);
  CHECK_THAT(unknownGeometry("Abacus"), Catch::Contains("known: H100 PCIe, H100"));
}

} // namespace cache_model_test
