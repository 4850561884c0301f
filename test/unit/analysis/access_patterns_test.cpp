/// Patterns of requests that arithmetic gives, and sums over blocks that are alike, against each record by itself.
#include "analysis/engine/access_patterns.h"
#include "analysis/engine/program_places.h"
#include "random_slice.h"
#include "unit/seed_count.h"
#include "unit/trace/trace_builder.h"

#include <bit>
#include <catch2/catch.hpp>
#include <functional>

namespace access_patterns_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kBase = 0x10000;

/// Of a launch of one block, whose first site accesses what `add` puts there.
SitePatterns patternsOf(std::uint32_t bytes, const trace::Dim3 &block,
                        const std::function<void(test::Words &)> &add) {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, bytes);
  trace.table(blob);
  test::Words words;
  add(words);
  trace.run("k(int*)", {1, 1, 1}, block, words);
  trace.writer->finish();
  return accessPatterns(Model(file.path())).at({0, 0});
}

/// The only pattern.
RequestPattern patternOf(const SitePatterns &found) {
  REQUIRE(found.patterns.size() == 1);
  return found.patterns.begin()->first;
}

/// Of a warp whose lane n accesses `address(n)`, if that is not 0.
RequestPattern patternOf(std::uint32_t bytes, const trace::Dim3 &block,
                         const std::function<std::uint64_t(unsigned)> &address) {
  return patternOf(patternsOf(bytes, block, [&](test::Words &words) {
    abi::WarpAccess access{};
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      if ((access.address[lane] = address(lane)) != 0)
        access.laneMask |= 1u << lane;
    words.add(access);
  }));
}

} // namespace

TEST_CASE("a request's pattern is read off its addresses") {
  constexpr trace::Dim3 kLine = {64, 1, 1};
  using Kind = PatternKind;
  CHECK(patternOf(4, kLine, [](unsigned n) { return kBase + 4 * n; }) == RequestPattern{Kind::Packed});
  CHECK(patternOf(4, kLine, [](unsigned) { return kBase; }) == RequestPattern{Kind::Packed});
  CHECK(patternOf(4, kLine, [](unsigned n) { return kBase + 4 + 4 * n; }) == RequestPattern{Kind::Shifted});
  CHECK(patternOf(4, kLine, [](unsigned n) { return n % 2 ? 0 : kBase + 4 * n; }) ==
        RequestPattern{Kind::Sparse});
  CHECK(patternOf(4, kLine, [](unsigned n) { return kBase + 4096 * n; }) ==
        RequestPattern{Kind::Strided, 4096});
  CHECK(patternOf(4, kLine, [](unsigned n) { return kBase + 4096 * (31 - n); }) ==
        RequestPattern{Kind::Strided, -4096});
  CHECK(patternOf(12, kLine, [](unsigned n) { return kBase + 12 * n; }) ==
        RequestPattern{Kind::Structures, 12});
  CHECK(patternOf(4, kLine, [](unsigned n) { return kBase + 64 * (n * n * 7 % 61); }) ==
        RequestPattern{Kind::Scattered});
  // A row of an array ends within the warp.
  CHECK(patternOf(4, kLine, [](unsigned n) { return kBase + 4 * n + (n < 13 ? 0 : 400); }) ==
        RequestPattern{Kind::Pieces});
}

TEST_CASE("rows of a block are told apart, whether its width divides that of a warp or not") {
  using Kind = PatternKind;
  for (const std::uint32_t width : {4u, 12u, 16u, 24u}) {
    CAPTURE(width);
    const trace::Dim3 block = {width, 8, 1};
    // Along x side by side, or all at one place, or far apart with y side by side.
    CHECK(patternOf(1, block, [&](unsigned n) { return kBase + n % width + 1024 * (n / width); }) ==
          RequestPattern{Kind::Rows, 1, 1024});
    CHECK(patternOf(4, block, [&](unsigned n) { return kBase + 1024 * (n / width); }) ==
          RequestPattern{Kind::Rows, 0, 1024});
    CHECK(patternOf(4, block, [&](unsigned n) { return kBase + 1024 * (n % width) + 4 * (n / width); }) ==
          (width == 4 ? RequestPattern{Kind::Packed}
                      : RequestPattern{Kind::Strided, 1024, 4})); // 8 rows fill a sector
  }
  // The program's own rows, in a block of one row.
  CHECK(patternOf(4, {256, 1, 1}, [](unsigned n) { return kBase + 32 * (n % 16) + 8192 * (n / 16); }) ==
        RequestPattern{Kind::Strided, 32, 8192});
}

TEST_CASE("one thread of each row of a block has no neighbour, so that rows alone are a distance apart") {
  const trace::Dim3 block = {16, 16, 1};
  const auto border = [](unsigned n) { return n % 16 == 0 ? kBase + 1024 * (n / 16) : 0; };
  CHECK(patternOf(4, block, border) == RequestPattern{PatternKind::Strided, 0, 1024});
  const SitePatterns found = patternsOf(4, block, [&](test::Words &words) {
    abi::WarpAccess access{};
    access.laneMask = 1u | 1u << 16;
    access.address[16] = (access.address[0] = kBase) + 1024;
    words.add(access);
  });
  CHECK(!found.across.most());
  CHECK(found.along.most() == 1024);
}

TEST_CASE("threads that take one of two arrays, each at its own place, leave gaps") {
  const auto either = [](unsigned n) { return kBase + 4 * n + (n * n % 5 < 2 ? 0 : 0x10000); };
  CHECK(patternOf(4, {64, 1, 1}, either) == RequestPattern{PatternKind::Sparse});
  const auto ofThree = [](unsigned n) { return kBase + 4 * n + 0x10000 * (n * n % 3 + n % 2); };
  CHECK(patternOf(4, {64, 1, 1}, ofThree) == RequestPattern{PatternKind::Scattered});
}

TEST_CASE("addresses at both ends of the address space make no pattern, and no harm") {
  CHECK_NOTHROW(patternOf(4, {8, 8, 1}, [](unsigned n) { return n % 3 ? 64 * n : ~0ull - 64 * n * n; }));
}

TEST_CASE("distances are those to the next access, along x and along y") {
  const SitePatterns found = patternsOf(4, {32, 4, 1}, [](test::Words &words) {
    for (unsigned turn = 0; turn < 5; ++turn)
      for (unsigned warp = 0; warp < 4; ++warp)
        words.strided(0, 0, warp, kBase + 4 * warp + 100 * turn, 2048);
  });
  CHECK(found.next.most() == 100);
  CHECK(found.next.timesOf(100) == 4 * 4);
  CHECK(found.across.most() == 2048);
  CHECK(found.along.most() == 4);
}

TEST_CASE("what is mostly so is more than half of what was told") {
  Distances distances;
  CHECK(!distances.most());
  distances.add(4, 3);
  distances.add(8, 3);
  CHECK(!distances.most());
  distances.add(8, 1);
  CHECK(distances.most() == 8);
  for (int value = 100; value < 200; ++value)
    distances.add(value, 1);
  CHECK(!distances.most());
  CHECK(distances.timesOf(8) == 4);
  Distances sum;
  sum.add(distances, 3);
  CHECK(sum.timesOf(8) == 12);
}

TEST_CASE("threads that share an address are counted") {
  const SitePatterns found = patternsOf(4, {32, 1, 1}, [](test::Words &words) {
    words.strided(0, 0, 0, kBase, 0);
    words.strided(0, 0, 0, kBase, 4);
    abi::WarpAccess bins{};
    bins.laneMask = ~0u;
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      bins.address[lane] = kBase + 256 * (lane % 5);
    words.add(bins);
  });
  const PatternVolume all = found.all();
  CHECK(all.warpAccesses == 3);
  CHECK(all.threads == 96);
  CHECK(all.oneAddress == 1);
  CHECK(all.sharedAddresses == 31 + 27);
}

TEST_CASE("blocks that are alike make the requests that each of them makes by itself", "[random]") {
  constexpr trace::Dim3 kGrids[] = {{40, 1, 1}, {70, 2, 1}, {1, 19, 2}, {3, 1, 16}};
  std::uint64_t strided = 0, shifted = 0, conflicted = 0, compared = 0, meetings = 0;
  for (unsigned seed = 1; seed <= test::seedCount(120); ++seed) {
    CAPTURE(seed);
    const test::RandomSlice random(seed, test::RandomSlice::Kind::Regular);
    const trace::Dim3 grid = kGrids[seed % std::size(kGrids)],
                      block = test::kBlocks[seed / 4 % std::size(test::kBlocks)];
    test::TemporaryFile file;
    {
      test::TraceBuilder trace(file.path());
      test::SiteTableBlob blob;
      for (const std::uint32_t bytes : {4u, 12u, 1u, 16u}) {
        const bool isAtomic = bytes == 4 && seed % 3 == 0;
        blob.site(isAtomic ? abi::Operation::AtomicAdd : abi::Operation::Load, bytes, "a.cu", bytes);
        if (seed % 4 < 2 && bytes == (seed % 4 == 0 ? 4u : 1u))
          blob.space(abi::SpaceVerdict::Shared);
      }
      const std::uint32_t begun = blob.site(abi::Operation::Load, 0, "", 0);
      blob.space(abi::SpaceVerdict::Global, abi::kSiteBlock);
      abi::SliceHeader header{};
      header.blockSite = begun;
      header.registerCount = random.slice.registerCount;
      blob.slice("_Zk(int*)", header, random.slice.inputs, random.slice.constants, random.slice.code);
      trace.table(blob);
      trace.derive(0, {0x7f0000000000ull + 4 * seed});
      const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
      for (int launch = 0; launch < 3; ++launch) {
        test::Words words;
        for (std::uint64_t cta = 0; cta < blocks; ++cta)
          words.strided(begun, cta, 0, 0, 0, 1);
        trace.run("k(int*)", grid, block, words);
      }
      trace.writer->finish();
    }
    const Model model(file.path());
    std::map<std::pair<std::uint32_t, RequestPattern>, PatternVolume> expected, found;
    std::map<std::uint32_t, MeetingVolume> expectedMeetings, foundMeetings;
    std::map<std::uint32_t, Reach> expectedReach, foundReach;
    for (const LaunchInfo &launch : model.launches()) {
      REQUIRE(launch.derivedRecords);
      std::map<std::uint32_t, AddressTally> tallies;
      RecordStream records(model, launch);
      AccessRuns runsOf;
      while (const Record *record = records.next()) {
        RequestPattern pattern;
        PatternVolume made;
        made.warpAccesses = 1;
        if (abi::spaceOf(record->site->space) == abi::MemorySpace::Shared) {
          made.banks = bankFigures(*record, BankWidth::Four);
          pattern = patternOf(*record, made.banks, block.x);
          conflicted += made.banks.conflicted;
        } else {
          const std::span<const AccessRun> runs = runsOf.of(*record);
          made.made = requestsOf(*record, runs);
          pattern = patternOf(*record, runs, made.made, block.x);
          if (AddressTally &tally = tallies[record->access.site];
              abi::operationClass(record->site->operation) == abi::OperationClass::Atomic ||
              AddressTally::hasOneAddress(record->access))
            tally.add(record->access.cta, runs);
        }
        expected[{record->access.site, pattern}] += made;
        const std::uint32_t lanes = record->access.laneMask;
        for (const int lane : {std::countr_zero(lanes), 31 - std::countl_zero(lanes)})
          expectedReach[record->access.site].add(record->access.address[lane]);
      }
      for (const auto &[site, tally] : tallies)
        expectedMeetings[site].add(tally.sum(std::uint64_t{grid.x} * grid.y * grid.z), 1);
    }
    for (const auto &[place, patterns] : accessPatterns(model)) {
      CHECK(place.launch == 0);
      if (expectedMeetings.contains(place.site))
        foundMeetings[place.site] = patterns.met;
      meetings += patterns.met.places;
      foundReach[place.site] = patterns.reach;
      for (const auto &[pattern, volume] : patterns.patterns) {
        PatternVolume &sum = found[{place.site, pattern}];
        sum.made = volume.made;
        sum.banks = volume.banks;
        sum.warpAccesses = volume.warpAccesses;
        strided += pattern.kind == PatternKind::Strided;
        shifted += pattern.kind == PatternKind::Shifted;
      }
    }
    // Of a site with more patterns than are kept apart, what comes behind them counts as scattered.
    const auto withoutPatterns = [](const auto &volumes) {
      std::map<std::uint32_t, PatternVolume> sums;
      for (const auto &[key, volume] : volumes)
        sums[key.first] += volume;
      return sums;
    };
    CHECK(withoutPatterns(found) == withoutPatterns(expected));
    CHECK(foundMeetings == expectedMeetings);
    CHECK(foundReach == expectedReach);
    if (expected.size() <= 64) {
      CHECK(found == expected);
      ++compared;
    }
  }
  CHECK(compared > test::seedCount(100));
  CHECK(strided > test::seedCount(8));
  CHECK(shifted >= test::seedCount(5));
  CHECK(conflicted > test::seedCount(100));
  CHECK(meetings > test::seedCount(1000));
}

} // namespace access_patterns_test
