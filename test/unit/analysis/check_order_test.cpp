/// What orders the accesses of a block, held against a plain reference: random blocks, whose threads each have a vector clock.
#include "analysis/check/checker.h"
#include "unit/seed_count.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace check_order_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kData = 0x10000, kFlag = 0x20000;
constexpr unsigned kCells = 6, kKinds = 3, kWarps = 3, kThreads = kWarps * abi::kLanes;
/// Cells behind the others, of which each lane has one, from different ones on. They are told of as one.
constexpr unsigned kRow = kCells, kShifts = 3, kRowEnd = kRow + abi::kLanes + kShifts - 1;
constexpr std::uint64_t kShared = 0x400, kSharedFlag = 0x1400;
constexpr std::uint32_t kAll = 0xffffffffu;

enum class Kind : std::uint8_t { Load, Store, Atomic };

/// Each access of each thread, and what happened before it.
class Reference {
public:
  Reference() {
    for (unsigned thread = 0; thread < kThreads; ++thread)
      clocks_[thread][thread] = 1;
  }
  /// All lanes the one cell, or each its own.
  void access(unsigned warp, std::uint32_t lanes, unsigned first, Kind kind) {
    for (const unsigned thread : threadsOf(warp, lanes)) {
      const unsigned cell = first < kRow ? first : first + thread % abi::kLanes;
      for (const Made &made : made_[cell])
        if (made.thread != thread && (made.kind != Kind::Load || kind != Kind::Load) &&
            (made.kind != Kind::Atomic || kind != Kind::Atomic) && clocks_[thread][made.thread] < made.clock)
          raced_.insert(std::min(cell, kRow));
      made_[cell].push_back({thread, clocks_[thread][thread], kind});
    }
  }
  /// These threads wait for each other.
  void meet(const std::vector<unsigned> &threads) {
    Clock all{};
    for (const unsigned thread : threads)
      all = joined(all, clocks_[thread]);
    for (const unsigned thread : threads) {
      clocks_[thread] = all;
      ++clocks_[thread][thread];
    }
  }
  void release(unsigned warp, std::uint32_t lanes) {
    for (const unsigned thread : threadsOf(warp, lanes)) {
      flag_ = joined(flag_, clocks_[thread]);
      ++clocks_[thread][thread];
    }
  }
  void acquire(unsigned warp, std::uint32_t lanes) {
    for (const unsigned thread : threadsOf(warp, lanes)) {
      const std::uint32_t own = clocks_[thread][thread];
      clocks_[thread] = joined(clocks_[thread], flag_);
      clocks_[thread][thread] = own;
    }
  }
  static std::vector<unsigned> threadsOf(unsigned warp, std::uint32_t lanes) {
    std::vector<unsigned> threads;
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      if (lanes >> lane & 1)
        threads.push_back(warp * abi::kLanes + lane);
    return threads;
  }
  const std::set<unsigned> &raced() const { return raced_; }

private:
  using Clock = std::array<std::uint32_t, kThreads>;
  static Clock joined(Clock one, const Clock &other) {
    for (unsigned i = 0; i < kThreads; ++i)
      one[i] = std::max(one[i], other[i]);
    return one;
  }
  struct Made {
    unsigned thread;
    std::uint32_t clock;
    Kind kind;
  };
  std::array<Clock, kThreads> clocks_{};
  Clock flag_{};
  std::array<std::vector<Made>, kRowEnd> made_;
  std::set<unsigned> raced_;
};

/// Which kinds of synchronisation a block has.
struct Kinds {
  bool hasNamed = false, hasMasks = false, hasFlags = false;
  bool isShared = false; ///< the memory
};

/// One block of random accesses, in the order of time.
class RandomBlock {
public:
  RandomBlock(unsigned seed, const Kinds &kinds) : kinds_(kinds), random_(seed), trace_(file_.path(), "gpu") {
    using enum abi::MemoryOrder;
    using abi::MemoryScope, abi::Operation;
    const auto site = [&](Operation operation, std::uint32_t bytes, abi::MemoryOrder order,
                          MemoryScope scope) {
      const std::uint32_t number = blob_.site(operation, bytes, "a.cu", 1 + sites_++);
      blob_.order(order, scope);
      if (kinds.isShared && bytes != 0)
        blob_.space(abi::SpaceVerdict::Shared);
      return number;
    };
    for (unsigned cell = 0; cell <= kRow; ++cell) {
      accesses_[cell] = {site(Operation::Load, 4, None, MemoryScope::None),
                         site(Operation::Store, 4, None, MemoryScope::None),
                         site(Operation::AtomicAdd, 4, Relaxed, MemoryScope::Device)};
    }
    barrier_ = site(Operation::Barrier, 0, AcquireRelease, MemoryScope::Block);
    warpBarrier_ = site(Operation::WarpBarrier, 0, AcquireRelease, MemoryScope::Block);
    release_ = site(Operation::Store, 4, Release, MemoryScope::Block);
    acquire_ = site(Operation::Load, 4, Acquire, MemoryScope::Block);
    trace_.table(blob_);
    trace_.allocate(kData, 0x1000);
    trace_.allocate(kFlag, 0x1000);
    for (unsigned step = 0; step < 60; ++step)
      act();
    trace_.run("k(int*)", {1, 1, 1}, {kThreads, 1, 1}, words_);
    trace_.writer->finish();
  }

  std::set<unsigned> found() const {
    const Model model(file_.path());
    std::set<unsigned> cells;
    for (const Fault &fault : check(model, {.threads = 1}).faults)
      if (fault.rule == FaultRule::RaceLanes || fault.rule == FaultRule::RaceWarps)
        cells.insert(std::min(static_cast<unsigned>((fault.address - data()) / 4), kRow));
    return cells;
  }
  const std::set<unsigned> &raced() const { return reference_.raced(); }

private:
  std::uint64_t data() const { return kinds_.isShared ? kShared : kData; }
  std::uint64_t flag() const { return kinds_.isShared ? kSharedFlag : kFlag; }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  std::uint32_t someLanes() {
    switch (below(3)) {
    case 0:
      return 1u << below(abi::kLanes);
    case 1:
      return static_cast<std::uint32_t>(random_()) | 1u;
    default:
      return kAll;
    }
  }
  void wait(std::uint64_t number, unsigned warps) {
    std::vector<unsigned> threads;
    for (unsigned warp = 0; warp < warps; ++warp) {
      words_.strided(barrier_, 0, warp, number, 0);
      for (const unsigned thread : Reference::threadsOf(warp, kAll))
        threads.push_back(thread);
    }
    reference_.meet(threads);
  }
  void act() {
    const unsigned warp = below(kWarps);
    switch (below(12)) {
    case 0:
      return wait(0, kWarps);
    case 1: {
      const std::uint32_t lanes = kinds_.hasMasks ? someLanes() : kAll;
      words_.strided(warpBarrier_, 0, warp, lanes, 0, lanes);
      return reference_.meet(Reference::threadsOf(warp, lanes));
    }
    case 2:
      if (kinds_.hasNamed)
        return wait(std::uint64_t{64} << 32 | 1, 2);
      break;
    case 3:
      if (kinds_.hasFlags) {
        const std::uint32_t lanes = someLanes();
        words_.strided(release_, 0, warp, flag(), 0, lanes);
        return reference_.release(warp, lanes);
      }
      break;
    case 4:
      if (kinds_.hasFlags) {
        const std::uint32_t lanes = someLanes();
        words_.strided(acquire_, 0, warp, flag(), 0, lanes);
        return reference_.acquire(warp, lanes);
      }
      break;
    default:
      break;
    }
    const unsigned cell = below(kCells + 2);
    const auto kind = static_cast<Kind>(below(kKinds));
    if (cell >= kRow) {
      const unsigned first = kRow + below(kShifts);
      const std::uint32_t lanes = someLanes();
      words_.strided(accesses_[kRow][static_cast<unsigned>(kind)], 0, warp, data() + std::uint64_t{4} * first,
                     4, lanes);
      return reference_.access(warp, lanes, first, kind);
    }
    // One thread stores, or all would race with each other each time.
    const std::uint32_t lanes = kind == Kind::Store ? 1u << below(abi::kLanes) : someLanes();
    words_.strided(accesses_[cell][static_cast<unsigned>(kind)], 0, warp, data() + std::uint64_t{4} * cell, 0,
                   lanes);
    reference_.access(warp, lanes, cell, kind);
  }

  const Kinds kinds_;
  std::mt19937_64 random_;
  test::TemporaryFile file_;
  test::TraceBuilder trace_;
  test::SiteTableBlob blob_;
  test::Words words_;
  Reference reference_;
  std::uint32_t sites_ = 0;
  std::array<std::array<std::uint32_t, kKinds>, kRow + 1> accesses_{};
  std::uint32_t barrier_ = 0, warpBarrier_ = 0, release_ = 0, acquire_ = 0;
};

struct Seen {
  std::size_t found = 0, raced = 0, ordered = 0; ///< cells
};

/// Runs blocks of these kinds. `isExact`: all that is raced for is found; else, nothing that is not.
Seen compare(const Kinds &kinds, bool isExact) {
  Seen seen;
  for (unsigned seed = 0; seed < test::seedCount(300); ++seed) {
    const RandomBlock block(seed, kinds);
    const std::set<unsigned> found = block.found();
    INFO("seed " << seed << (kinds.isShared ? ", shared" : ", global"));
    if (isExact)
      CHECK(found == block.raced());
    else
      CHECK(std::ranges::includes(block.raced(), found));
    seen.found += found.size();
    seen.raced += block.raced().size();
    seen.ordered += kRow + 1 - block.raced().size();
  }
  return seen;
}

} // namespace

TEST_CASE("barriers of the block and of warps order what a plain reference says", "[random]") {
  for (const bool isShared : {false, true}) {
    const Seen seen = compare({.isShared = isShared}, true);
    CHECK(seen.raced > test::seedCount(300));
    CHECK(seen.ordered > 0);
  }
}

TEST_CASE("with named barriers nearly all is found: of three readers one may be forgotten", "[random]") {
  for (const bool isShared : {false, true}) {
    const Seen seen = compare({.hasNamed = true, .isShared = isShared}, false);
    CHECK(100 * seen.found >= 98 * seen.raced);
  }
}

TEST_CASE("barriers of some lanes never order too little", "[random]") {
  compare({.hasNamed = true, .hasMasks = true}, false);
  compare({.hasNamed = true, .hasMasks = true, .isShared = true}, false);
}

TEST_CASE("flags never order too little", "[random]") {
  compare({.hasNamed = true, .hasMasks = true, .hasFlags = true}, false);
  compare({.hasNamed = true, .hasMasks = true, .hasFlags = true, .isShared = true}, false);
}

} // namespace check_order_test
