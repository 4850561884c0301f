/// Pages that are followed by sectors, held against the same pages followed by cells: what one more access at their ends makes of them.
#include "analysis/check/checker.h"
#include "unit/seed_count.h"
#include "unit/trace/trace_builder.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace check_sectors_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kData = 0x10000, kPageBytes = 2048;
constexpr unsigned kPages = 2, kBlocks = 3, kWarps = 3;
constexpr std::array<std::uint32_t, 5> kBytes = {1, 2, 4, 8, 16};
constexpr std::uint32_t kAll = 0xffffffffu;

/// When each page gets its cells.
enum class Spread { Never, First, Sometime };

/// All that is told of a fault.
using Told =
    std::tuple<FaultRule, std::uint64_t, std::uint64_t, std::uint32_t, FaultPlace, std::optional<FaultPlace>>;

std::vector<Told> found(unsigned seed, Spread spread) {
  using enum abi::MemoryOrder;
  using abi::MemoryScope, abi::Operation;
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path(), "gpu");
  test::SiteTableBlob blob;
  test::Words words;
  std::uint32_t lines = 0;
  const auto site = [&](Operation operation, std::uint32_t bytes, abi::MemoryOrder order, MemoryScope scope) {
    const std::uint32_t number = blob.site(operation, bytes, "a.cu", ++lines);
    blob.order(order, scope);
    return number;
  };
  std::vector<std::array<std::uint32_t, 3>> sites;
  for (const std::uint32_t bytes : kBytes)
    sites.push_back({site(Operation::Load, bytes, None, MemoryScope::None),
                     site(Operation::Store, bytes, None, MemoryScope::None),
                     bytes == 4 || bytes == 8
                         ? site(Operation::AtomicAdd, bytes, Relaxed, MemoryScope::Device)
                         : site(Operation::Load, bytes, None, MemoryScope::None)});
  const std::uint32_t end = site(Operation::Load, 4, None, MemoryScope::None);
  const std::uint32_t barrier = site(Operation::Barrier, 0, AcquireRelease, MemoryScope::Block);
  const std::uint32_t warpBarrier = site(Operation::WarpBarrier, 0, AcquireRelease, MemoryScope::Block);
  trace.table(blob);
  trace.allocate(kData, kPages * kPageBytes);
  if (seed % 2 == 0) // else what is read before it is written is a fault
    trace.set(kData, kPages * kPageBytes);
  const auto touchEnds = [&] {
    for (unsigned page = 0; page < kPages; ++page)
      words.strided(end, 0, 0, kData + (page + 1) * kPageBytes - 4, 0, 1);
  };
  const unsigned steps = seed % 4 == 0 ? 1 + below(8) : 40; // of few, there are some without a fault
  const unsigned sometime = below(steps), blocks = 1 + below(kBlocks), kinds = 1 + below(5);
  for (unsigned step = 0; step < steps; ++step) {
    if ((spread == Spread::First && step == 0) || (spread == Spread::Sometime && step == sometime))
      touchEnds();
    const unsigned block = below(blocks), warp = below(kWarps), what = below(10);
    if (what == 0) {
      for (unsigned each = 0; each < kWarps; ++each)
        words.strided(barrier, block, each, 0, 0);
    } else if (what == 1) {
      words.strided(warpBarrier, block, warp, kAll, 0);
    } else {
      const unsigned size = seed % 3 == 0 ? below(kinds) : 2 + below(2);
      const std::uint32_t bytes = kBytes[size];
      // Whole sectors of a few that blocks share; mostly those that are the block's own.
      const unsigned ofBlock = what < 8 ? block * 8 : below(24);
      const std::uint64_t place =
          kData + below(kPages) * kPageBytes + std::uint64_t{32} * (ofBlock + below(4));
      std::uint32_t lanes = kAll;
      if (below(4) == 0) // a part of the warp
        lanes = bytes >= 4 ? kAll << 8 * below(4) : kAll;
      words.strided(sites[size][below(3)], block, warp, place, static_cast<std::int32_t>(bytes), lanes);
    }
  }
  trace.run("k(int*)", {kBlocks, 1, 1}, {kWarps * abi::kLanes, 1, 1}, words);
  trace.writer->finish();
  std::vector<Told> told;
  for (const Fault &fault : check(Model(file.path()), {.threads = 1}).faults)
    if (fault.rule != FaultRule::Leak && fault.place.site != end)
      told.emplace_back(fault.rule, fault.count, fault.address, fault.bytes, fault.place, fault.other);
  return told;
}

} // namespace

TEST_CASE("what is told of pages does not depend on whether they are followed by sectors or by cells",
          "[random]") {
  std::size_t faults = 0, silent = 0;
  for (unsigned seed = 0; seed < test::seedCount(600); ++seed) {
    INFO("seed " << seed);
    const std::vector<Told> bySectors = found(seed, Spread::Never);
    CHECK(bySectors == found(seed, Spread::First));
    CHECK(bySectors == found(seed, Spread::Sometime));
    faults += bySectors.size();
    silent += bySectors.empty() ? 1 : 0;
  }
  CHECK(faults > test::seedCount(600));
  CHECK(silent > test::seedCount(600) / 40);
}

} // namespace check_sectors_test
