/// Findings of requests that come to few addresses, or carry little, on traces whose answers are arithmetic.
#include "analysis/metrics/results.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace meeting_findings_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kA = 0x10000, kB = 0x80000;
constexpr unsigned kBlocks = 16, kWarps = 4;

/// A launch of 16 blocks of four warps, in which a load of line 1, side by side, comes before whatever is looked at.
struct Scene {
  explicit Scene(abi::Operation operation, std::uint32_t bytes = 4) : trace(file.path()) {
    load = blob.site(abi::Operation::Load, 4, "a.cu", 1);
    site = blob.site(operation, bytes, "a.cu", 2);
    trace.table(blob);
    trace.allocate(kA, 0x70000);
    trace.allocate(kB, 0x70000);
  }
  template <typename Add> std::vector<Finding> after(Add add) {
    for (unsigned block = 0; block < kBlocks; ++block)
      for (unsigned warp = 0; warp < kWarps; ++warp) {
        words.strided(load, block, warp, kA + 128 * (block * kWarps + warp), 4);
        add(block, warp);
      }
    for (int launch = 0; launch < launches; ++launch)
      trace.run("k(int*)", {kBlocks, 1, 1}, {kWarps * abi::kLanes, 1, 1}, words);
    trace.writer->finish();
    std::vector<Finding> found = resultsOf(Model(file.path())).findings;
    std::erase_if(found,
                  [](const Finding &finding) { return finding.line != 2 || !isOfAccess(finding.rule); });
    return found;
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::SiteTableBlob blob;
  test::Words words;
  std::uint32_t load, site;
  int launches = 1;
};

/// The only one.
Finding theOf(const std::vector<Finding> &found) {
  REQUIRE(found.size() == 1);
  return found.front();
}

} // namespace

TEST_CASE("atomics of all warps on one address leave one for each block") {
  Scene scene(abi::Operation::AtomicAdd);
  const Finding found = theOf(scene.after(
      [&](unsigned block, unsigned warp) { scene.words.strided(scene.site, block, warp, kB, 0, 1); }));
  CHECK(found.rule == FindingRule::ContendedAtomics);
  CHECK(found.amount == kBlocks * (kWarps - 1));
  CHECK(found.advice.find("cub::BlockReduce") != std::string::npos);
  CHECK(found.seconds == Approx(kBlocks * kWarps / 1.7e9));
}

TEST_CASE("the addresses of several launches are told apart by where they are alone") {
  for (const unsigned apart : {0u, 4u}) {
    Scene scene(abi::Operation::AtomicAdd);
    scene.launches = 10;
    const Finding found = theOf(scene.after([&](unsigned block, unsigned warp) {
      for (unsigned turn = 0; turn < 4; ++turn)
        scene.words.strided(scene.site, block, warp, kB + apart * block, 0, 1);
    }));
    CHECK(found.title ==
          (apart == 0 ? "2,560 atomics of threads meet at 1 address: one for each block and address would be "
                        "160"
                      : "2,560 accesses of threads come to 16 addresses, each of one block alone, in sectors "
                        "that several blocks share"));
    CHECK(found.amount == 10 * kBlocks * (4 * kWarps - 1));
  }
}

TEST_CASE("one atomic for each block is as few as there can be") {
  Scene scene(abi::Operation::AtomicAdd);
  CHECK(scene
            .after([&](unsigned block, unsigned warp) {
              if (warp == 0)
                scene.words.strided(scene.site, block, warp, kB, 0, 1);
            })
            .empty());
}

TEST_CASE("bins of all blocks are for shared memory, and are not said to be scattered") {
  Scene scene(abi::Operation::AtomicAdd);
  const Finding found = theOf(scene.after([&](unsigned block, unsigned warp) {
    for (unsigned turn = 0; turn < 4; ++turn) {
      abi::WarpAccess access{};
      access.site = scene.site;
      access.cta = block;
      access.warp = warp;
      access.laneMask = ~0u;
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        access.address[lane] = kB + 16 * ((lane * 7 + turn + warp) % 32);
      scene.words.add(access);
    }
  }));
  CHECK(found.rule == FindingRule::ContendedAtomics);
  CHECK(found.amount == kBlocks * (kWarps * 4 - 1) * 32);
  CHECK(found.advice.find("copy in shared memory") != std::string::npos);
}

TEST_CASE("counters of blocks share sectors, unless they are apart") {
  for (const unsigned apart : {4u, 32u}) {
    Scene scene(abi::Operation::AtomicAdd);
    const std::vector<Finding> found = scene.after([&](unsigned block, unsigned warp) {
      for (unsigned turn = 0; turn < 2; ++turn)
        scene.words.strided(scene.site, block, warp, kB + apart * block, 0, 1);
    });
    if (apart == 4) {
      CHECK(theOf(found).rule == FindingRule::FalseSharing);
      CHECK(theOf(found).amount == kBlocks * (kWarps * 2 - 1));
      CHECK(theOf(found).seconds == Approx(8 * kWarps * 2 / 1.7e9)); // eight blocks of a sector
    } else {
      CHECK(theOf(found).rule == FindingRule::ContendedAtomics);
    }
  }
}

TEST_CASE("a table that all threads load, element by element, is for constant memory") {
  Scene scene(abi::Operation::Load);
  const auto table = [&](Scene &of, std::uint32_t mask) {
    return of.after([&](unsigned block, unsigned warp) {
      for (unsigned element = 0; element < 64; ++element)
        of.words.strided(of.site, block, warp, kB + 4 * element, 0, mask);
    });
  };
  const Finding found = theOf(table(scene, ~0u));
  CHECK(found.rule == FindingRule::Broadcast);
  CHECK(found.amount == (kBlocks * kWarps - 1) * 64);
  // Single threads have it in their turn.
  Scene single(abi::Operation::Load);
  CHECK(table(single, 1).empty());
}

TEST_CASE("a table of constant memory is as large as it is, however many launches load it") {
  Scene scene(abi::Operation::Load, 16);
  scene.launches = 9;
  constexpr unsigned kElements = 512; // of 4,096 that there is room for
  const Finding found = theOf(scene.after([&](unsigned block, unsigned warp) {
    for (unsigned element = 0; element < kElements; ++element)
      scene.words.strided(scene.site, block, warp, kB + 16 * element, 0);
  }));
  CHECK(found.rule == FindingRule::Broadcast);
  CHECK(found.title.ends_with("requests for 512 addresses"));
}

TEST_CASE("a few numbers that all threads load beside much else are left alone") {
  Scene scene(abi::Operation::Load);
  CHECK(scene
            .after([&](unsigned block, unsigned warp) {
              for (unsigned element = 0; element < 4; ++element)
                scene.words.strided(scene.site, block, warp, kB + 4 * element, 0);
            })
            .empty());
}

TEST_CASE("results that warps store one by one fill a sector by eight requests") {
  Scene scene(abi::Operation::Store);
  const Finding found = theOf(scene.after([&](unsigned block, unsigned warp) {
    scene.words.strided(scene.site, block, warp, kB + 4 * (block * kWarps + warp), 0, 1);
  }));
  CHECK(found.rule == FindingRule::PartialSectors);
  CHECK(found.amount == kBlocks * kWarps - kBlocks * kWarps / 8);
  Scene apart(abi::Operation::Store);
  CHECK(apart
            .after([&](unsigned block, unsigned warp) {
              apart.words.strided(apart.site, block, warp, kB + 256 * (block * kWarps + warp), 0, 1);
            })
            .empty());
}

TEST_CASE("bytes side by side could be words") {
  Scene scene(abi::Operation::Store, 1);
  const Finding found = theOf(scene.after([&](unsigned block, unsigned warp) {
    scene.words.strided(scene.site, block, warp, kB + 32 * (block * kWarps + warp), 1);
  }));
  CHECK(found.rule == FindingRule::NarrowElements);
  CHECK(found.amount == kBlocks * kWarps * 3 / 4);
  CHECK(found.share == Approx(0.375));
}

TEST_CASE("threads at different places of their local arrays touch sectors of their own") {
  Scene scene(abi::Operation::Load);
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  const std::uint32_t site = blob.site(abi::Operation::Load, 8, "a.cu", 2);
  blob.space(abi::SpaceVerdict::Local);
  trace.table(blob);
  test::Words words;
  words.strided(site, 0, 0, 0x100, 0); // all at one place: 32 threads' words, two rows of 128 bytes
  words.strided(site, 0, 0, 0x100, 8); // each at its own: both words of each thread
  trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Model model(file.path());
  const PatternVolume all = accessPatterns(model).at({0, site}).all();
  CHECK(all.made == RequestFigures{2, 8 + 64, 8 + 8});
  const std::vector<Finding> found = resultsOf(model).findings;
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == FindingRule::LocalScatter);
  CHECK(found[0].amount == 56);
}

} // namespace meeting_findings_test
