/// Arrays in local memory: random calls of functions that have some, against a plain account of each thread's stack.
#include "analysis/check/local_arrays.h"
#include "unit/seed_count.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace local_arrays_test {

using namespace cupr;
using namespace cupr::analysis;

constexpr std::uint32_t kArrays = 3, kWords = 4, kBytes = 4 * kWords;
constexpr std::uint64_t kTop = 0x10000;
constexpr std::uint32_t kLanes = 2;

/// The sites of a module with a few functions, each of which has an array.
struct Sites {
  Sites() : traits(nullptr) {
    const auto add = [&](abi::Operation operation, std::uint32_t variable, bool isSure) {
      SiteTraits site;
      site.operation = operation;
      site.space = abi::MemorySpace::Local;
      site.isLocal = true;
      site.isSure = isSure;
      site.variable = variable;
      site.reads = operation == abi::Operation::Load;
      site.writes = operation == abi::Operation::Store;
      site.bytes = operation == abi::Operation::LocalVariable ? kBytes : 4;
      traits.sites.push_back(site);
      return static_cast<std::uint32_t>(traits.sites.size() - 1);
    };
    for (std::uint32_t array = 1; array <= kArrays; ++array) {
      begin.push_back(add(abi::Operation::LocalVariable, array, true));
      load.push_back(add(abi::Operation::Load, array, true));
      store.push_back(add(abi::Operation::Store, array, false));
    }
    earlyLoad = add(abi::Operation::Load, 1, false);
    storeAnywhere = add(abi::Operation::Store, 0, false);
    openBegin = add(abi::Operation::LocalVariable, 1, false);
    traits.hasArrays = true;
  }
  ModuleTraits traits;
  std::vector<std::uint32_t> begin, load, store;
  std::uint32_t earlyLoad, storeAnywhere, openBegin;
};

struct Scene {
  explicit Scene(std::uint64_t memory = 1 << 20) : arrays(sites.traits, memory) {}

  void make(std::uint32_t site, std::uint64_t address, std::uint32_t lanes = 1, std::uint32_t block = 0) {
    WarpStep step;
    step.site = site;
    step.block = block;
    step.lanes = lanes;
    step.base = address;
    step.bytes = sites.traits.sites[site].bytes;
    arrays.take(step, {});
  }
  std::vector<FaultRule> rules() const {
    std::vector<FaultRule> rules;
    for (const Fault &fault : arrays.faults())
      rules.push_back(fault.rule);
    return rules;
  }

  Sites sites;
  LocalArrays arrays;
};

using Rules = std::vector<FaultRule>;

/// Random calls, each of which has the array of its function on the stack, and their accesses; what is wrong of them, by site.
class RandomCalls {
public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  void play() {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      call(lane, kTop, 0);
  }
  std::set<std::pair<std::uint32_t, FaultRule>> found() const {
    std::set<std::pair<std::uint32_t, FaultRule>> found;
    for (const Fault &fault : scene_.arrays.faults())
      found.emplace(fault.place.site, fault.rule);
    return found;
  }
  const std::set<std::pair<std::uint32_t, FaultRule>> &wanted() const { return wanted_; }

private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void call(unsigned lane, std::uint64_t top, unsigned depth) {
    const unsigned function = below(kArrays);
    const std::uint64_t base = top - kBytes - 16 * below(3);
    scene_.make(scene_.sites.begin[function], base, 1u << lane);
    std::set<std::uint64_t> written;
    for (unsigned i = 0; i < 6; ++i) {
      if (depth < 3 && below(4) == 0)
        call(lane, base, depth + 1);
      // Elements far behind lie in no call's array of the same name.
      const std::uint64_t address = base + 4 * below(kWords) + (below(20) == 0 ? 0x100000 : 0);
      const bool isInside = address < base + kBytes, isLoad = below(2) == 0;
      const std::uint32_t site = (isLoad ? scene_.sites.load : scene_.sites.store)[function];
      scene_.make(site, address, 1u << lane);
      if (!isInside)
        wanted_.emplace(site, FaultRule::OutOfBounds);
      else if (!isLoad)
        written.insert(address);
      else if (!written.contains(address))
        wanted_.emplace(site, FaultRule::UninitialisedRead);
    }
  }

  std::mt19937_64 random_;
  Scene scene_;
  std::set<std::pair<std::uint32_t, FaultRule>> wanted_;
};

TEST_CASE("what threads read of their arrays is what their own call has stored there", "[random]") {
  std::size_t wrong = 0;
  for (unsigned seed = 0; seed < test::seedCount(500); ++seed) {
    RandomCalls calls(seed);
    calls.play();
    INFO("seed " << seed);
    CHECK(calls.found() == calls.wanted());
    wrong += calls.wanted().size();
  }
  CHECK(wrong > test::seedCount(500));
}

TEST_CASE("threads have memories of their own, and what any of them reads is asked for of it alone") {
  Scene scene;
  for (const std::uint32_t block : {0u, 1u}) {
    scene.make(scene.sites.begin[0], kTop, 3, block);
    scene.make(scene.sites.store[0], kTop, 1, block);
    scene.make(scene.sites.load[0], kTop, 1, block);
  }
  CHECK(scene.rules().empty());
  scene.make(scene.sites.load[0], kTop, 3);
  REQUIRE(scene.arrays.faults().size() == 1);
  const Fault fault = scene.arrays.faults().front();
  CHECK(fault.rule == FaultRule::UninitialisedRead);
  CHECK(fault.space == abi::MemorySpace::Local);
  CHECK(fault.count == 1);
  CHECK(fault.place.thread == 1);
  CHECK(fault.array == kTop);
}

TEST_CASE("what a pointer leads to is stored, and what isn't sure is not told") {
  Scene scene;
  scene.make(scene.sites.begin[0], kTop);
  scene.make(scene.sites.earlyLoad, kTop);
  scene.make(scene.sites.storeAnywhere, kTop);
  scene.make(scene.sites.load[0], kTop);
  // Somebody has its address whose stores are not recorded.
  scene.make(scene.sites.openBegin, kTop);
  scene.make(scene.sites.load[0], kTop);
  CHECK(scene.rules().empty());
}

TEST_CASE("an access that is partly outside is told with the array that it is to") {
  Scene scene;
  scene.make(scene.sites.begin[0], kTop);
  scene.make(scene.sites.begin[1], kTop + kBytes);
  scene.make(scene.sites.store[0], kTop + kBytes - 2);
  scene.make(scene.sites.load[1], kTop + kBytes - 4);
  REQUIRE(scene.rules() == Rules(2, FaultRule::OutOfBounds));
  CHECK(scene.arrays.faults()[0].array == kTop);
  CHECK(scene.arrays.faults()[1].array == kTop + kBytes);
}

TEST_CASE("where an array has begun in too many places nothing is out of bounds, and without room nothing is "
          "unwritten") {
  Scene scene;
  for (std::uint64_t i = 0; i < 100; ++i)
    scene.make(scene.sites.begin[0], kTop - 0x100 * i);
  scene.make(scene.sites.store[0], 0x20000);
  CHECK(scene.rules().empty());
  CHECK(!scene.arrays.isFull());
  Scene full(100);
  for (std::uint32_t block = 0; block < 10; ++block) {
    full.make(full.sites.begin[0], kTop, 1, block);
    full.make(full.sites.store[0], kTop, 1, block);
    full.make(full.sites.load[0], kTop, 1, block);
  }
  CHECK(full.rules().empty());
  CHECK(full.arrays.isFull());
}

} // namespace local_arrays_test
