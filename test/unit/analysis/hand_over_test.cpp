/// What blocks of a launch must do so that one may read what another has written.
#include "analysis/engine/communication.h"
#include "analysis/metrics/hand_over.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

namespace hand_over_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kData = 0x10000, kFlag = 0x20000, kOtherFlag = 0x20100;
constexpr std::uint32_t kAll = 0xffffffffu, kFirst = 1;

/// Block 0 writes, block 1 reads the same; two warps each. What stands between is the test's.
struct Scene {
  Scene() : trace(file.path()) {
    using enum abi::MemoryOrder;
    using abi::MemoryScope, abi::Operation;
    const auto site = [&](Operation operation, std::uint32_t bytes, abi::MemoryOrder order,
                          MemoryScope scope) {
      const std::uint32_t number = blob.site(operation, bytes, "a.cu", 1 + count++);
      blob.order(order, scope);
      return number;
    };
    store = site(Operation::Store, 4, None, MemoryScope::None);
    load = site(Operation::Load, 4, None, MemoryScope::None);
    volatileLoad = site(Operation::Load, 4, Relaxed, MemoryScope::System);
    atomic = site(Operation::AtomicAdd, 4, Relaxed, MemoryScope::Device);
    blockAtomic = site(Operation::AtomicAdd, 4, Relaxed, MemoryScope::Block);
    release = site(Operation::Store, 4, Release, MemoryScope::Device);
    acquire = site(Operation::Load, 4, Acquire, MemoryScope::Device);
    fence = site(Operation::Fence, 0, SequentiallyConsistent, MemoryScope::Device);
    blockFence = site(Operation::Fence, 0, SequentiallyConsistent, MemoryScope::Block);
    barrier = site(Operation::Barrier, 0, AcquireRelease, MemoryScope::Block);
    warpBarrier = site(Operation::WarpBarrier, 0, AcquireRelease, MemoryScope::Block);
    trace.table(blob);
    trace.allocate(kData, 0x1000);
    trace.allocate(kFlag, 0x1000);
  }

  void write(std::uint32_t lanes, std::uint32_t warp = 0) {
    words.strided(store, 0, warp, kData + 128 * warp, 4, lanes);
  }
  void read(std::uint32_t lanes, std::uint32_t warp = 0) {
    words.strided(load, 1, warp, kData + 128 * warp, 4, lanes);
  }
  /// What is not an access of data: at the flag, or with what stands for an address.
  void make(std::uint32_t site, std::uint32_t cta, std::uint32_t lanes = kFirst, std::uint64_t place = kFlag,
            std::uint32_t warp = 0) {
    words.strided(site, cta, warp, place, 0, lanes);
  }
  void meet(std::uint32_t cta) {
    for (std::uint32_t warp = 0; warp < 2; ++warp)
      make(barrier, cta, kAll, 0, warp);
  }

  HandOver result() {
    trace.run("k(int*)", {2, 1, 1}, {64, 1, 1}, words);
    trace.writer->finish();
    const Model model(file.path());
    const Communication communicated = communication(model);
    std::vector<Dependence> all;
    for (const auto &[dependence, volume] : communicated.dependences)
      all.push_back(dependence);
    const auto found = handOvers(model, communicated, all);
    for (const auto &[dependence, hand] : found)
      for (const KernelSite &place : {dependence.first, dependence.second})
        if (communicated.sites[place.site].site == &model.modules().at(0).sites.at(store))
          return hand;
    return HandOver::None;
  }

  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::SiteTableBlob blob;
  test::Words words;
  std::uint32_t count = 0;
  std::uint32_t store, load, volatileLoad, atomic, blockAtomic, release, acquire, fence, blockFence, barrier,
      warpBarrier;
};

HandOver after(const std::function<void(Scene &)> &play) {
  Scene scene;
  play(scene);
  return scene.result();
}

} // namespace

TEST_CASE("a fence in front of an atomic access, and one behind the reader's, hand data over") {
  CHECK(after([](Scene &s) {
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          s.make(s.atomic, 1);
          s.make(s.fence, 1);
          s.read(kFirst);
        }) == HandOver::Whole);
}

TEST_CASE("it does not matter which block's records have arrived first") {
  CHECK(after([](Scene &s) {
          s.make(s.atomic, 1);
          s.make(s.fence, 1);
          s.read(kFirst);
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
        }) == HandOver::Whole);
}

TEST_CASE("what hands over may itself be one of the two: the last block clears the counter") {
  for (const bool isReleased : {true, false}) {
    Scene scene;
    // On a GPU the records of the block that came first may arrive last.
    scene.make(scene.fence, 1);
    scene.make(scene.atomic, 1);
    scene.make(scene.fence, 1);
    scene.words.strided(scene.store, 1, 0, kFlag, 4, kFirst);
    if (isReleased)
      scene.make(scene.fence, 0);
    scene.make(scene.atomic, 0);
    CHECK(scene.result() == (isReleased ? HandOver::Whole : HandOver::None));
  }
}

TEST_CASE("accesses with an order of their own have their fences in them") {
  CHECK(after([](Scene &s) {
          s.write(kFirst);
          s.make(s.release, 0);
          s.make(s.acquire, 1);
          s.read(kFirst);
        }) == HandOver::Whole);
}

TEST_CASE("a reader that looks and has no fence behind it is told apart") {
  CHECK(after([](Scene &s) {
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          s.make(s.atomic, 1);
          s.read(kFirst);
        }) == HandOver::Unacquired);
  // As the programming guide has it: what is read is volatile.
  CHECK(after([](Scene &s) {
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          s.make(s.atomic, 1);
          s.words.strided(s.volatileLoad, 1, 0, kData, 4, kFirst);
        }) == HandOver::Whole);
}

TEST_CASE("what is missing in front of the writer's access hands nothing over") {
  const auto readsRight = [](Scene &s, std::uint64_t flag = kFlag) {
    s.make(s.atomic, 1, kFirst, flag);
    s.make(s.fence, 1);
    s.read(kFirst);
  };
  CHECK(after([&](Scene &s) { // no fence
          s.write(kFirst);
          s.make(s.atomic, 0);
          readsRight(s);
        }) == HandOver::None);
  CHECK(after([&](Scene &s) { // a fence for the block alone
          s.write(kFirst);
          s.make(s.blockFence, 0);
          s.make(s.atomic, 0);
          readsRight(s);
        }) == HandOver::None);
  CHECK(after([&](Scene &s) { // an atomic access for the block alone
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.blockAtomic, 0);
          readsRight(s);
        }) == HandOver::None);
  CHECK(after([&](Scene &s) { // the fence in front of what is written
          s.make(s.fence, 0);
          s.write(kFirst);
          s.make(s.atomic, 0);
          readsRight(s);
        }) == HandOver::None);
  CHECK(after([&](Scene &s) { // another place
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          readsRight(s, kOtherFlag);
        }) == HandOver::None);
  CHECK(after([&](Scene &s) { // read before it looks
          s.write(kFirst);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          s.read(kFirst);
          s.make(s.atomic, 1);
          s.make(s.fence, 1);
        }) == HandOver::None);
}

TEST_CASE("lanes and warps know of each other behind a barrier, and not by being in one warp") {
  const auto reads = [](Scene &s) {
    s.make(s.atomic, 1);
    s.make(s.fence, 1);
    s.meet(1);
    s.read(kAll, 0);
    s.read(kAll, 1);
  };
  CHECK(after([&](Scene &s) { // one lane speaks for all
          s.write(kAll);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          reads(s);
        }) == HandOver::None);
  CHECK(after([&](Scene &s) { // they have met
          s.write(kAll);
          s.make(s.warpBarrier, 0, kAll, kAll);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          reads(s);
        }) == HandOver::Whole);
  CHECK(after([&](Scene &s) { // the block has: one thread's fence stands for what it knows
          s.write(kAll, 0);
          s.write(kAll, 1);
          s.meet(0);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          reads(s);
        }) == HandOver::Whole);
  CHECK(after([&](Scene &s) { // each thread has its fence, then the block meets
          for (std::uint32_t warp = 0; warp < 2; ++warp) {
            s.write(kAll, warp);
            s.make(s.fence, 0, kAll, 0, warp);
          }
          s.meet(0);
          s.make(s.atomic, 0);
          reads(s);
        }) == HandOver::Whole);
  CHECK(after([&](Scene &s) { // the other warp is not waited for
          s.write(kAll, 0);
          s.write(kAll, 1);
          s.make(s.warpBarrier, 0, kAll, kAll);
          s.make(s.fence, 0);
          s.make(s.atomic, 0);
          reads(s);
        }) == HandOver::None);
}

} // namespace hand_over_test
