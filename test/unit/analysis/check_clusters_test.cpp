/// What orders accesses of the blocks of clusters, to each other's shared memory, held against a plain reference: random clusters, whose threads
/// each have a vector clock.
#include "analysis/check/checker.h"
#include "devicelib/abi/cluster_address.h"
#include "hostlib/trace/clusters.h"
#include "unit/seed_count.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace check_clusters_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kShared = 0x400;
constexpr unsigned kBlocks = 4, kInCluster = 2, kWarps = 2, kThreads = kBlocks * kWarps, kCells = 3,
                   kKinds = 3;

enum class Kind : std::uint8_t { Load, Store, Atomic };

/// A block's cell.
using Cell = std::pair<unsigned, unsigned>;

/// One thread of each warp acts.
class Reference {
public:
  Reference() {
    for (unsigned thread = 0; thread < kThreads; ++thread)
      clocks_[thread][thread] = 1;
  }
  void access(unsigned thread, Cell cell, Kind kind) {
    for (const Made &made : made_[cell])
      if (made.thread != thread && (made.kind != Kind::Load || kind != Kind::Load) &&
          (made.kind != Kind::Atomic || kind != Kind::Atomic) && clocks_[thread][made.thread] < made.clock)
        raced_.insert(cell);
    made_[cell].push_back({thread, clocks_[thread][thread], kind});
  }
  void meet(unsigned block) {
    Clock all{};
    for (unsigned warp = 0; warp < kWarps; ++warp)
      all = joined(all, clocks_[block * kWarps + warp]);
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      clocks_[block * kWarps + warp] = all;
      ++clocks_[block * kWarps + warp][block * kWarps + warp];
    }
  }
  void arrive(unsigned thread, unsigned phase, bool releases) {
    if (releases)
      left_[{clusterOf(thread), phase}] = joined(left_[{clusterOf(thread), phase}], clocks_[thread]);
    ++clocks_[thread][thread];
  }
  void wait(unsigned thread, unsigned phase) {
    const std::uint32_t own = clocks_[thread][thread];
    clocks_[thread] = joined(clocks_[thread], left_[{clusterOf(thread), phase}]);
    clocks_[thread][thread] = own;
  }
  static unsigned clusterOf(unsigned thread) { return thread / (kWarps * kInCluster); }
  const std::set<Cell> &raced() const { return raced_; }

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
  std::map<std::pair<unsigned, unsigned>, Clock> left_; ///< by cluster and phase
  std::map<Cell, std::vector<Made>> made_;
  std::set<Cell> raced_;
};

/// Random accesses of two clusters, in the order of time.
class RandomClusters {
public:
  RandomClusters(unsigned seed, bool hasRelaxed)
      : hasRelaxed_(hasRelaxed), random_(seed), trace_(file_.path(), "gpu") {
    using enum abi::MemoryOrder;
    using abi::MemoryScope, abi::Operation;
    const auto site = [&](Operation operation, std::uint32_t bytes, abi::MemoryOrder order,
                          MemoryScope scope) {
      const std::uint32_t number = blob_.site(operation, bytes, "a.cu", 1 + sites_++);
      blob_.order(order, scope);
      if (bytes != 0)
        blob_.space(abi::SpaceVerdict::Shared);
      return number;
    };
    for (unsigned block = 0; block < kBlocks; ++block)
      for (unsigned cell = 0; cell < kCells; ++cell)
        accesses_[block][cell] = {site(Operation::Load, 4, None, MemoryScope::None),
                                  site(Operation::Store, 4, None, MemoryScope::None),
                                  site(Operation::AtomicAdd, 4, Relaxed, MemoryScope::Device)};
    barrier_ = site(Operation::Barrier, 0, AcquireRelease, MemoryScope::Block);
    arrive_ = site(Operation::ClusterArrive, 0, Release, MemoryScope::Cluster);
    relaxed_ = site(Operation::ClusterArrive, 0, Relaxed, MemoryScope::Cluster);
    wait_ = site(Operation::ClusterWait, 0, Acquire, MemoryScope::Cluster);
    trace_.table(blob_);
    trace_.clusters({1, kInCluster, 1}); // so that neighbours by number are of different clusters
    for (unsigned step = 0; step < 80; ++step)
      act();
    trace_.run("k(int*)", {kBlocks / kInCluster, kInCluster, 1}, {kWarps * abi::kLanes, 1, 1}, words_);
    trace_.writer->finish();
  }

  std::set<Cell> found() const {
    const Model model(file_.path());
    const trace::Clusters clusters(model.launches()[0].launch);
    std::set<Cell> cells;
    for (const Fault &fault : check(model, {.threads = 1}).faults)
      if (fault.rule == FaultRule::RaceBlocks || fault.rule == FaultRule::RaceWarps)
        cells.insert({blockOf(static_cast<unsigned>(*clusters.ownerOf(fault.place.block, fault.address))),
                      static_cast<unsigned>((abi::offsetOfShared(fault.address) - kShared) / 4)});
    return cells;
  }
  const std::set<Cell> &raced() const { return reference_.raced(); }

private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  /// Blocks are counted by cluster here, and by row in the trace; the other way round it is the same.
  static unsigned linear(unsigned block) {
    return block % kInCluster * (kBlocks / kInCluster) + block / kInCluster;
  }
  static unsigned blockOf(unsigned linear) {
    return linear % (kBlocks / kInCluster) * kInCluster + linear / (kBlocks / kInCluster);
  }
  void record(std::uint32_t site, unsigned thread, std::uint64_t address) {
    words_.strided(site, linear(thread / kWarps), thread % kWarps, address, 0, 1);
  }
  void act() {
    const unsigned thread = below(kThreads), block = thread / kWarps;
    switch (below(8)) {
    case 0:
      for (unsigned warp = 0; warp < kWarps; ++warp)
        words_.strided(barrier_, linear(block), warp, 0, 0, 1);
      return reference_.meet(block);
    case 1:
    case 2:
      if (arrivals_[thread] == waits_[thread]) {
        const bool releases = !hasRelaxed_ || below(3) != 0;
        record(releases ? arrive_ : relaxed_, thread, 0);
        return reference_.arrive(thread, arrivals_[thread]++, releases);
      }
      if (haveArrived(thread)) {
        record(wait_, thread, 0);
        return reference_.wait(thread, waits_[thread]++);
      }
      break;
    default:
      break;
    }
    const unsigned owner = block / kInCluster * kInCluster + below(kInCluster), cell = below(kCells);
    const auto kind = static_cast<Kind>(below(kKinds));
    const std::uint64_t offset = kShared + std::uint64_t{4} * cell;
    record(accesses_[owner][cell][static_cast<unsigned>(kind)], thread,
           owner == block ? offset : abi::sharedOfRank(owner % kInCluster, offset));
    reference_.access(thread, {owner, cell}, kind);
  }
  bool haveArrived(unsigned thread) const {
    for (unsigned other = 0; other < kThreads; ++other)
      if (Reference::clusterOf(other) == Reference::clusterOf(thread) && arrivals_[other] <= waits_[thread])
        return false;
    return true;
  }

  const bool hasRelaxed_;
  std::mt19937_64 random_;
  test::TemporaryFile file_;
  test::TraceBuilder trace_;
  test::SiteTableBlob blob_;
  test::Words words_;
  Reference reference_;
  std::uint32_t sites_ = 0;
  std::array<std::array<std::array<std::uint32_t, kKinds>, kCells>, kBlocks> accesses_{};
  std::array<unsigned, kThreads> arrivals_{}, waits_{};
  std::uint32_t barrier_ = 0, arrive_ = 0, relaxed_ = 0, wait_ = 0;
};

struct Seen {
  std::size_t found = 0, raced = 0, ordered = 0; ///< cells
};

Seen compare(bool hasRelaxed) {
  Seen seen;
  for (unsigned seed = 0; seed < test::seedCount(300); ++seed) {
    const RandomClusters clusters(seed, hasRelaxed);
    const std::set<Cell> found = clusters.found();
    INFO("seed " << seed);
    CHECK(std::ranges::includes(clusters.raced(), found));
    seen.found += found.size();
    seen.raced += clusters.raced().size();
    seen.ordered += kBlocks * kCells - clusters.raced().size();
  }
  return seen;
}

/// A kernel of two clusters of two blocks.
class TwoClusters {
public:
  TwoClusters() : trace_(file_.path(), "gpu") {
    using enum abi::MemoryOrder;
    const auto site = [&](abi::Operation operation, std::uint32_t bytes, abi::MemoryOrder order,
                          abi::MemoryScope scope, abi::SpaceVerdict space = abi::SpaceVerdict::Shared) {
      const std::uint32_t number = blob_.site(operation, bytes, "a.cu", 1 + sites_++);
      blob_.order(order, scope);
      if (bytes != 0)
        blob_.space(space);
      return number;
    };
    load = site(abi::Operation::Load, 4, None, abi::MemoryScope::None);
    store = site(abi::Operation::Store, 4, None, abi::MemoryScope::None);
    arrive = site(abi::Operation::ClusterArrive, 0, Release, abi::MemoryScope::Cluster);
    wait = site(abi::Operation::ClusterWait, 0, Acquire, abi::MemoryScope::Cluster);
    release = site(abi::Operation::Store, 4, Release, abi::MemoryScope::Cluster);
    acquire = site(abi::Operation::Load, 4, Acquire, abi::MemoryScope::Cluster);
    narrowRelease = site(abi::Operation::Store, 4, Release, abi::MemoryScope::Block);
    globalRelease =
        site(abi::Operation::Store, 4, Release, abi::MemoryScope::Cluster, abi::SpaceVerdict::Global);
    globalAcquire =
        site(abi::Operation::Load, 4, Acquire, abi::MemoryScope::Cluster, abi::SpaceVerdict::Global);
    globalStore = site(abi::Operation::Store, 4, None, abi::MemoryScope::None, abi::SpaceVerdict::Global);
    globalLoad = site(abi::Operation::Load, 4, None, abi::MemoryScope::None, abi::SpaceVerdict::Global);
    trace_.table(blob_);
    trace_.allocate(kData, 0x1000);
  }
  void act(std::uint32_t site, unsigned block, std::uint64_t address = 0, unsigned warp = 0) {
    words_.strided(site, block, warp, address, 0, 1);
  }
  void sync(std::initializer_list<unsigned> blocks) {
    for (const unsigned block : blocks)
      act(arrive, block);
    for (const unsigned block : blocks)
      act(wait, block);
  }
  std::vector<FaultRule> rules(trace::Dim3 cluster = {2, 1, 1}) {
    trace_.clusters(cluster);
    trace_.run("k(int*)", {4, 1, 1}, {64, 1, 1}, words_);
    trace_.writer->finish();
    std::vector<FaultRule> found;
    const Model model(file_.path());
    for (const Fault &fault : check(model, {.threads = 1}).faults)
      if (fault.rule != FaultRule::Leak && fault.rule != FaultRule::UninitialisedRead)
        found.push_back(fault.rule);
    return found;
  }

  static constexpr std::uint64_t kData = 0x10000, kCell = kShared, kFlag = kShared + 64;
  static std::uint64_t of(unsigned rank, std::uint64_t offset) { return abi::sharedOfRank(rank, offset); }
  std::uint32_t load = 0, store = 0, arrive = 0, wait = 0, release = 0, acquire = 0, narrowRelease = 0,
                globalRelease = 0, globalAcquire = 0, globalStore = 0, globalLoad = 0;

private:
  test::TemporaryFile file_;
  test::TraceBuilder trace_;
  test::SiteTableBlob blob_;
  test::Words words_;
  std::uint32_t sites_ = 0;
};

using Rules = std::vector<FaultRule>;

} // namespace

TEST_CASE("the cluster's barrier orders what a plain reference says", "[random]") {
  for (const bool hasRelaxed : {false, true}) {
    const Seen seen = compare(hasRelaxed);
    CHECK(100 * seen.found >= 95 * seen.raced);
    CHECK(seen.raced > test::seedCount(300));
    CHECK(seen.ordered > test::seedCount(300));
  }
}

TEST_CASE("an address says whose shared memory it is") {
  const trace::Launch launch = [] {
    trace::Launch of;
    of.grid = {4, 6, 2};
    of.clusterX = 2;
    of.clusterY = 3;
    of.clusterZ = 1;
    return of;
  }();
  const trace::Clusters clusters(launch);
  REQUIRE(clusters.blocks() == 6);
  for (std::uint64_t block = 0; block < 48; ++block) {
    CHECK(clusters.blockOf(block, clusters.rankOf(block)) == block);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      const std::uint64_t other = clusters.blockOf(block, rank).value();
      CHECK(clusters.rankOf(other) == rank);
      CHECK(clusters.areTogether(block, other));
    }
    CHECK(clusters.ownerOf(block, 0x400) == block);
    CHECK(clusters.ownerOf(block, abi::sharedOfRank(5, 0x400)) == clusters.blockOf(block, 5));
    CHECK(!clusters.ownerOf(block, abi::sharedOfRank(6, 0x400)));
  }
  CHECK(clusters.rankOf(4 + 1) == 3); // (1,1,0)
  CHECK(!clusters.areTogether(1, 2));
  CHECK(abi::offsetOfShared(abi::sharedOfRank(15, 0x1234)) == 0x1234);
  CHECK(abi::rankOfShared(abi::sharedOfRank(15, 0x1234)) == 15);
  CHECK(!abi::isOfOtherBlock(0xffffff));
  CHECK(!abi::isOfOtherBlock(std::uint64_t{0} - 8)); // below the window
}

TEST_CASE("a flag in shared memory hands over to the cluster, and not with a scope that is too narrow") {
  for (const bool isNarrow : {false, true}) {
    TwoClusters kernel;
    kernel.act(kernel.store, 0, kernel.of(1, kernel.kCell));
    kernel.act(isNarrow ? kernel.narrowRelease : kernel.release, 0, kernel.of(1, kernel.kFlag));
    kernel.act(kernel.acquire, 1, kernel.kFlag);
    kernel.act(kernel.load, 1, kernel.kCell);
    kernel.sync({0, 1});
    if (!isNarrow)
      CHECK(kernel.rules().empty());
    else
      CHECK(kernel.rules() == Rules{FaultRule::RaceBlocks, FaultRule::RaceBlocks}); // of the flag, too
  }
}

TEST_CASE("a scope of the cluster does not hand over to another cluster") {
  for (const unsigned reader : {1u, 2u}) {
    TwoClusters kernel;
    kernel.act(kernel.globalStore, 0, kernel.kData);
    kernel.act(kernel.globalRelease, 0, kernel.kData + 256);
    kernel.act(kernel.globalAcquire, reader, kernel.kData + 256);
    kernel.act(kernel.globalLoad, reader, kernel.kData);
    if (reader == 1)
      CHECK(kernel.rules().empty());
    else
      CHECK(kernel.rules() == Rules{FaultRule::RaceBlocks, FaultRule::RaceBlocks});
  }
}

TEST_CASE("a barrier of another cluster orders nothing") {
  for (const bool isOther : {false, true}) {
    TwoClusters kernel;
    kernel.act(kernel.globalStore, 0, kernel.kData);
    kernel.sync({0, 1});
    kernel.sync({2, 3});
    kernel.act(kernel.globalLoad, isOther ? 2 : 1, kernel.kData);
    CHECK(kernel.rules() == (isOther ? Rules{FaultRule::RaceBlocks} : Rules{}));
  }
}

TEST_CASE("a block must be there until others have accessed its shared memory") {
  enum class Keeps { Nothing, Barrier, BarrierBefore, Flag };
  for (const Keeps keeps : {Keeps::Nothing, Keeps::Barrier, Keeps::BarrierBefore, Keeps::Flag}) {
    TwoClusters kernel;
    kernel.act(kernel.store, 1, kernel.kCell);
    kernel.sync({0, 1});
    if (keeps == Keeps::BarrierBefore)
      kernel.sync({0, 1});
    kernel.act(kernel.load, 0, kernel.of(1, kernel.kCell));
    if (keeps == Keeps::Barrier)
      kernel.sync({0, 1});
    if (keeps == Keeps::Flag) { // in the block that stays: of that nobody accesses anything else
      kernel.act(kernel.release, 0, kernel.kFlag);
      kernel.act(kernel.acquire, 1, kernel.of(0, kernel.kFlag));
      kernel.sync({0, 1});
    }
    CHECK(
        kernel.rules() ==
        (keeps == Keeps::Nothing || keeps == Keeps::BarrierBefore ? Rules{FaultRule::BlockEnded} : Rules{}));
  }
}

TEST_CASE("a block that looks for what another one stores in its shared memory is still there") {
  for (const bool looks : {false, true}) {
    TwoClusters kernel;
    kernel.act(kernel.store, 1, kernel.kCell);
    kernel.act(kernel.release, 0, kernel.of(1, kernel.kFlag));
    kernel.act(looks ? kernel.acquire : kernel.load, 1, looks ? kernel.kFlag : kernel.kCell);
    CHECK(kernel.rules() == (looks ? Rules{} : Rules{FaultRule::BlockEnded}));
  }
}

TEST_CASE("of traces that don't say how large clusters are, nothing is claimed of others' memory") {
  TwoClusters kernel;
  kernel.act(kernel.store, 0, kernel.of(1, kernel.kCell));
  kernel.act(kernel.load, 1, kernel.kCell);
  kernel.sync({0, 1});
  CHECK(kernel.rules({0, 0, 0}).empty());
}

} // namespace check_clusters_test
