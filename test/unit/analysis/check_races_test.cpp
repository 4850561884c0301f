/// Races in traces that are made by hand, and what orders accesses: what the planted programs of test/faults can't bring about on every device.
#include "check_scene.h"

#include "analysis/check/block_order.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <vector>

namespace check_test {

TEST_CASE("blocks that write the same race, unless both do so by atomics for the device") {
  using enum FaultRule;
  CHECK(after([](Scene &s) {
          s.make(s.store, 0, 0);
          s.make(s.store, 1, 0);
        }) == Rules{RaceBlocks});
  CHECK(after([](Scene &s) {
          s.make(s.atomic, 0, 0);
          s.make(s.atomic, 1, 0);
        }).empty());
  CHECK(after([](Scene &s) {
          s.make(s.blockAtomic, 0, 0);
          s.make(s.blockAtomic, 1, 0);
        }) == Rules{RaceBlocks});
  CHECK(after([](Scene &s) {
          s.make(s.load, 0, 0);
          s.make(s.load, 1, 0);
        }).empty());
}

TEST_CASE("who has updated a word is met by who does not know of it, whoever did so last") {
  using enum FaultRule;
  const auto update = [](bool isRow, std::uint32_t site, const Rules &wanted, std::uint32_t last) {
    const auto make = [isRow](Scene &s, std::uint32_t its, std::uint32_t block, std::uint32_t warp) {
      if (isRow)
        s.makeRow(its, block, warp);
      else
        s.make(its, block, warp);
    };
    CHECK(after([&](Scene &s) {
            make(s, s.atomic, last, 1);
            make(s, s.atomic, 0, 0);
            make(s, s.atomic, 0, 0);
            make(s, site == 0 ? s.load : s.store, 0, 0);
          }) == wanted);
  };
  for (const bool isRow : {false, true})
    for (const std::uint32_t site : {0u, 1u}) {
      update(isRow, site, Rules{RaceWarps}, 0);
      update(isRow, site, Rules{RaceBlocks}, 1);
    }
  CHECK(after([](Scene &s) {
          s.make(s.blockAtomic, 0, 1);
          s.make(s.blockAtomic, 0, 0);
          for (const std::uint32_t warp : {0u, 1u})
            s.make(s.barrier, 0, warp, 0, kAll);
          s.make(s.load, 0, 0);
        }).empty());
}

TEST_CASE("who looks at a row of words again and again races with plain stores, and with no others") {
  using enum FaultRule;
  const auto looks = [](Scene &s) {
    for (unsigned i = 0; i < 3; ++i)
      for (const std::uint32_t block : {0u, 1u})
        s.makeRow(s.look, block, 0);
  };
  CHECK(after(looks).empty());
  CHECK(after([&](Scene &s) {
          looks(s);
          s.makeRow(s.atomic, 1, 1);
          looks(s);
        }).empty());
  CHECK(after([&](Scene &s) {
          looks(s);
          s.makeRow(s.store, 0, 0);
        }) == Rules{RaceBlocks});
  CHECK(after([&](Scene &s) {
          s.makeRow(s.store, 0, 0);
          looks(s);
        }) == Rules{RaceBlocks});
  CHECK(after([&](Scene &s) {
          s.makeRow(s.load, 0, 0); // stays, though looks come behind
          looks(s);
          s.makeRow(s.atomic, 1, 0);
        }) == Rules{RaceBlocks});
}

TEST_CASE("a fence on both sides of a flag hands data over, in whatever order the records come") {
  using enum FaultRule;
  const auto writer = [](Scene &s, std::uint32_t fence) {
    s.make(s.store, 0, 0);
    s.make(fence, 0, 0, 0);
    s.make(s.atomic, 0, 0, kFlag);
  };
  const auto reader = [](Scene &s, std::uint32_t fence) {
    s.make(s.atomic, 1, 0, kFlag);
    s.make(fence, 1, 0, 0);
    s.make(s.load, 1, 0);
  };
  CHECK(after([&](Scene &s) {
          writer(s, s.fence);
          reader(s, s.fence);
        }).empty());
  CHECK(after([&](Scene &s) {
          reader(s, s.fence);
          writer(s, s.fence);
        }).empty());
  CHECK(after([&](Scene &s) {
          writer(s, s.blockFence);
          reader(s, s.fence);
        }) == Rules{RaceBlocks});
  CHECK(after([&](Scene &s) {
          writer(s, s.fence);
          reader(s, s.blockFence);
        }) == Rules{RaceBlocks});
}

TEST_CASE("which fence is missing is said") {
  Scene without;
  without.make(without.store, 0, 0);
  without.make(without.fence, 0, 0, 0);
  without.make(without.atomic, 0, 0, kFlag);
  without.make(without.atomic, 1, 0, kFlag);
  without.make(without.load, 1, 0);
  const std::vector<Fault> noAcquire = without.faults();
  REQUIRE(noAcquire.size() == 1);
  CHECK(noAcquire[0].cause == RaceCause::NoAcquire);
  Scene other;
  other.make(other.store, 0, 0);
  other.make(other.atomic, 0, 0, kFlag);
  other.make(other.atomic, 1, 0, kFlag);
  other.make(other.fence, 1, 0, 0);
  other.make(other.load, 1, 0);
  const std::vector<Fault> noRelease = other.faults();
  REQUIRE(noRelease.size() == 1);
  CHECK(noRelease[0].cause == RaceCause::NoRelease);
}

TEST_CASE("under a lock each order of the two must be one") {
  using enum FaultRule;
  enum { Take = 1, Give = 2 };
  const auto section = [](Scene &s, std::uint32_t block, std::uint32_t behind, std::uint32_t inFront,
                          int locks = Take | Give) {
    if ((locks & Take) != 0)
      s.make(s.take, block, 0, kFlag);
    if (behind != 0)
      s.make(behind, block, 0, 0);
    s.make(s.store, block, 0);
    if (inFront != 0)
      s.make(inFront, block, 0, 0);
    if ((locks & Give) != 0)
      s.make(s.give, block, 0, kFlag);
  };
  const auto causes = [](Scene &s) {
    std::vector<RaceCause> causes;
    for (const Fault &fault : s.faults())
      causes.push_back(fault.cause);
    return causes;
  };
  using Causes = std::vector<RaceCause>;
  for (const bool isFirst : {true, false}) {
    const auto with = [&](std::uint32_t Scene::*behind, std::uint32_t Scene::*inFront) {
      Scene s;
      const auto right = [&] { section(s, 0, s.fence, s.fence); };
      if (!isFirst)
        right();
      section(s, 1, behind ? s.*behind : 0, inFront ? s.*inFront : 0);
      if (isFirst)
        right();
      return causes(s);
    };
    CHECK(with(&Scene::fence, &Scene::fence).empty());
    CHECK(with(nullptr, &Scene::fence) == Causes{RaceCause::LockNoAcquire});
    CHECK(with(&Scene::blockFence, &Scene::fence) == Causes{RaceCause::LockNoAcquire});
    CHECK(with(&Scene::fence, nullptr) == Causes{RaceCause::LockNoRelease});
  }
  // What else might order the two: a lock that somebody does not give back, or who has not taken it, or writes in another way.
  const auto play = [&](const std::function<void(Scene &)> &more) {
    Scene s;
    section(s, 0, s.fence, s.fence);
    section(s, 1, 0, s.fence);
    more(s);
    return causes(s);
  };
  CHECK(play([](Scene &s) { s.make(s.take, 1, 1, kFlag); }).empty());
  CHECK(play([](Scene &s) { s.make(s.give, 1, 1, kFlag); }).empty());
  CHECK(play([](Scene &s) { s.make(s.atomic, 1, 1, kFlag); }).empty());
  // Behind the lock, or in front: who came first may follow from what was read under it.
  Scene outside;
  outside.make(outside.store, 0, 0, kData + 64);
  section(outside, 0, outside.fence, outside.fence);
  section(outside, 1, outside.fence, outside.fence);
  outside.make(outside.load, 1, 0, kData + 64);
  CHECK(causes(outside).empty());
  // Another flag that the second one waits for.
  Scene flag;
  section(flag, 0, flag.fence, flag.fence);
  flag.make(flag.atomic, 0, 0, kFlag + 64);
  flag.make(flag.atomic, 1, 0, kFlag + 64);
  flag.make(flag.fence, 1, 0, 0);
  section(flag, 1, 0, flag.fence);
  CHECK(causes(flag).empty());
}

TEST_CASE("under a lock of a block it is the same, whoever was first by a GPU's records") {
  using enum FaultRule;
  for (const char *device : {"gpu", "cpu"})
    for (const bool isFirst : {true, false})
      for (const bool isRight : {true, false}) {
        CHECK(after(
                  [&](Scene &s) {
                    for (const std::uint32_t warp : {0, 1}) {
                      s.make(s.take, 0, warp, kFlag);
                      if (isRight || (warp == 0) != isFirst)
                        s.make(s.blockFence, 0, warp, 0);
                      s.make(s.store, 0, warp);
                      s.make(s.blockFence, 0, warp, 0);
                      s.make(s.give, 0, warp, kFlag);
                    }
                  },
                  device) == (isRight ? Rules{} : Rules{RaceWarps}));
        // What came under the lock is handed on to another block.
        CHECK(after(
                  [&](Scene &s) {
                    for (const std::uint32_t warp : {0, 1}) {
                      s.make(s.take, 0, warp, kFlag);
                      s.make(s.fence, 0, warp, 0);
                      s.make(s.store, 0, warp, kData + 4 * warp);
                      s.make(s.fence, 0, warp, 0);
                      s.make(s.give, 0, warp, kFlag);
                    }
                    s.make(s.atomic, 0, 1, kFlag + 64);
                    s.make(s.look, 1, 0, kFlag + 64);
                    s.make(isRight ? s.fence : s.blockFence, 1, 0, 0);
                    s.make(s.load, 1, 0);
                  },
                  device) == (isRight ? Rules{} : Rules{RaceBlocks}));
      }
}

TEST_CASE("behind a lock, who takes it next may be as far") {
  using Site = std::uint32_t Scene::*;
  using Causes = std::vector<RaceCause>;
  const auto take = [](Scene &s, std::uint32_t block) {
    s.make(s.take, block, 0, kFlag);
    s.make(s.fence, block, 0, 0);
  };
  const auto give = [](Scene &s, std::uint32_t block) {
    s.make(s.fence, block, 0, 0);
    s.make(s.give, block, 0, kFlag);
  };
  struct Play {
    Site store = &Scene::storeRegardless, load = &Scene::loadRegardless;
    bool isReaderFirst = false, isInside = false;
    int times = 1; ///< that the writer has the lock
    std::function<void(Scene &)> behindReader = {}, inFrontOfWriter = {}, inTheEnd = {};
  };
  const auto causes = [&](const Play &play) {
    Scene s;
    const auto reader = [&] {
      take(s, 1);
      s.make(s.*play.load, 1, 0);
      give(s, 1);
      if (play.behindReader)
        play.behindReader(s);
    };
    if (play.isReaderFirst)
      reader();
    if (play.inFrontOfWriter)
      play.inFrontOfWriter(s);
    for (int i = 0; i < play.times; ++i) {
      take(s, 0);
      if (play.isInside)
        s.make(s.*play.store, 0, 0);
      give(s, 0);
    }
    if (!play.isInside)
      s.make(s.*play.store, 0, 0);
    if (!play.isReaderFirst)
      reader();
    if (play.inTheEnd)
      play.inTheEnd(s);
    std::vector<RaceCause> found;
    for (const Fault &fault : s.faults())
      found.push_back(fault.cause);
    return found;
  };
  for (const bool isReaderFirst : {false, true}) {
    CHECK(causes({.isReaderFirst = isReaderFirst}) == Causes{RaceCause::BehindLock});
    CHECK(causes({.isReaderFirst = isReaderFirst, .isInside = true}).empty());
    // Who was first may follow from what was read under the lock.
    CHECK(causes({.store = &Scene::store, .isReaderFirst = isReaderFirst}).empty());
    CHECK(causes({.load = &Scene::load, .isReaderFirst = isReaderFirst}).empty());
    CHECK(causes({.isReaderFirst = isReaderFirst, .times = 2}).empty());
    // It is no lock.
    CHECK(
        causes({.isReaderFirst = isReaderFirst, .inTheEnd = [](Scene &s) { s.make(s.atomic, 1, 1, kFlag); }})
            .empty());
  }
  // The writer waits for the reader.
  CHECK(causes({.isReaderFirst = true,
                .behindReader = [](Scene &s) { s.make(s.atomic, 1, 0, kFlag + 64); },
                .inFrontOfWriter =
                    [](Scene &s) {
                      s.make(s.look, 0, 0, kFlag + 64);
                      s.make(s.fence, 0, 0, 0);
                    }})
            .empty());
}

TEST_CASE("by the model of scoped races, volatile accesses are data") {
  using enum FaultRule;
  const auto rules = [](const std::function<void(Scene &)> &play, RaceModel model, const char *device) {
    Scene scene(device);
    play(scene);
    Rules rules;
    for (const Fault &fault : scene.faults({.threads = 1, .model = model}))
      rules.push_back(fault.rule);
    return rules;
  };
  enum class Flag { None, Handed, Lock };
  // The writer's block is 0, the reader is in this one; between them a flag or a lock, with these fences behind the store and in front of
  // the load.
  struct Play {
    std::uint32_t Scene::*load = &Scene::volatileLoad;
    std::uint32_t block = 1;
    Flag flag = Flag::Handed;
    std::uint32_t Scene::*release = nullptr, Scene::*acquire = nullptr;
  };
  for (const char *device : {"gpu", "cpu"}) {
    const auto both = [&](const Play &play) {
      const auto run = [&](Scene &s) {
        const std::uint32_t warp = play.block == 0 ? 1 : 0;
        const auto fence = [&](std::uint32_t Scene::*which, std::uint32_t block, std::uint32_t warp) {
          if (which)
            s.make(s.*which, block, warp, 0);
        };
        if (play.flag == Flag::Lock) {
          s.make(s.take, 0, 0, kFlag);
          s.make(s.fence, 0, 0, 0);
        }
        s.make(s.volatileStore, 0, 0);
        fence(play.release, 0, 0);
        if (play.flag != Flag::None)
          s.make(play.flag == Flag::Lock ? s.give : s.atomic, 0, 0, kFlag);
        if (play.flag != Flag::None)
          s.make(play.flag == Flag::Lock ? s.take : s.look, play.block, warp, kFlag);
        fence(play.acquire, play.block, warp);
        s.make(s.*play.load, play.block, warp);
        if (play.flag == Flag::Lock) {
          fence(play.release, play.block, warp);
          s.make(s.give, play.block, warp, kFlag);
        }
      };
      return std::pair(rules(run, RaceModel::Ptx, device), rules(run, RaceModel::Scoped, device));
    };
    using Both = std::pair<Rules, Rules>;
    for (const std::uint32_t block : {0, 1}) {
      const Rules race = {block == 0 ? RaceWarps : RaceBlocks};
      CAPTURE(device, block);
      CHECK(both({.block = block, .flag = Flag::None}) == Both{{}, race});
      CHECK(both({.block = block}) == Both{{}, race});
      CHECK(both({.block = block, .release = &Scene::fence}) == Both{});
      CHECK(both({.block = block, .release = &Scene::blockFence}) == Both{{}, block == 0 ? Rules{} : race});
      // Who reads by a plain load must have a fence by both.
      CHECK(both({.load = &Scene::load, .block = block, .release = &Scene::fence}) == Both{race, race});
      CHECK(
          both({.load = &Scene::load, .block = block, .release = &Scene::fence, .acquire = &Scene::fence}) ==
          Both{});
      // So must who takes a lock.
      CHECK(both({.block = block, .flag = Flag::Lock, .release = &Scene::fence}) == Both{{}, race});
      CHECK(both({.block = block, .flag = Flag::Lock, .release = &Scene::fence, .acquire = &Scene::fence}) ==
            Both{});
    }
  }
}

TEST_CASE("what a thread is told inside its block it tells others") {
  using enum FaultRule;
  // Warp 0 tells warp 1, which tells the other block.
  const auto play = [](std::uint32_t Scene::*second, std::uint32_t Scene::*third) {
    return [=](Scene &s) {
      s.make(s.store, 0, 0);
      s.make(s.blockFence, 0, 0, 0);
      s.make(s.atomic, 0, 0, kFlag);
      s.make(s.look, 0, 1, kFlag);
      s.make(s.*second, 0, 1, 0);
      s.make(s.atomic, 0, 1, kFlag + 64);
      s.make(s.look, 1, 0, kFlag + 64);
      s.make(s.*third, 1, 0, 0);
      s.make(s.load, 1, 0);
    };
  };
  for (const char *device : {"gpu", "cpu"}) {
    CHECK(after(play(&Scene::fence, &Scene::fence), device).empty());
    CHECK(after(play(&Scene::blockFence, &Scene::fence), device) == Rules{RaceBlocks});
    CHECK(after(play(&Scene::fence, &Scene::blockFence), device) == Rules{RaceBlocks});
  }
}

TEST_CASE("an asynchronous copy is there when its group was waited for") {
  using enum FaultRule;
  // Two copies, each in a group of its own; who has waited for all but so many reads the first one.
  enum class Reader { Own, OtherLane, OtherWarp };
  const auto rules = [](std::uint64_t newest, Reader reader, bool waitsBehind = false) {
    return after([&](Scene &s) {
      for (const std::uint64_t place : {kTile, kTile + 64}) {
        s.make(s.copy, 0, 0, place);
        s.make(s.commit, 0, 0, 0);
      }
      if (!waitsBehind)
        s.make(s.waitForCopies, 0, 0, newest);
      for (const std::uint32_t warp : {0, 1})
        s.make(s.barrier, 0, warp, 0, kAll);
      if (waitsBehind)
        s.make(s.waitForCopies, 0, 0, newest);
      s.make(s.tileLoad, 0, reader == Reader::OtherWarp ? 1 : 0, kTile,
             reader == Reader::OtherLane ? 2 : kFirst);
    });
  };
  for (const std::uint64_t newest : {0, 1})
    for (const Reader reader : {Reader::Own, Reader::OtherLane, Reader::OtherWarp})
      CHECK(rules(newest, reader).empty());
  CHECK(rules(2, Reader::Own) == Rules{RaceLanes});
  CHECK(rules(2, Reader::OtherLane) == Rules{RaceLanes});
  CHECK(rules(2, Reader::OtherWarp) == Rules{RaceWarps});
  CHECK(rules(0, Reader::Own, true).empty());
  CHECK(rules(0, Reader::OtherLane, true) == Rules{RaceLanes});
  CHECK(rules(0, Reader::OtherWarp, true) == Rules{RaceWarps});
}

TEST_CASE("stores of the same value are told apart") {
  for (const bool isOne : {true, false}) {
    Scene s;
    const std::uint32_t site = isOne ? s.storeOne : s.store;
    s.make(site, 0, 0);
    s.make(site, 1, 0);
    const std::vector<Fault> found = s.faults();
    REQUIRE(found.size() == 1);
    CHECK(found[0].isSilent == isOne);
  }
  Scene both;
  both.make(both.storeOne, 0, 0);
  both.make(both.store, 1, 0);
  const std::vector<Fault> found = both.faults();
  REQUIRE(found.size() == 1);
  CHECK(!found[0].isSilent);
}

TEST_CASE("who waits for a phase of an mbarrier knows what was done before it, and not what came behind") {
  using enum FaultRule;
  const auto round = [](Scene &s, bool waits) {
    s.make(s.store, 0, 0);
    for (std::uint32_t warp = 0; warp < 2; ++warp)
      s.make(s.arrive, 0, warp, kBarrier, kAll);
    if (waits)
      s.make(s.wait, 0, 1, kBarrier, kAll);
    s.make(s.load, 0, 1);
  };
  CHECK(after([&](Scene &s) { round(s, true); }).empty());
  CHECK(after([&](Scene &s) { round(s, false); }) == Rules{RaceWarps});
  // The first warp goes on before the other has noticed that the phase is over.
  CHECK(after([&](Scene &s) {
          for (std::uint32_t warp = 0; warp < 2; ++warp)
            s.make(s.arrive, 0, warp, kBarrier, kAll);
          s.make(s.wait, 0, 0, kBarrier, kAll);
          s.make(s.store, 0, 0);
          s.make(s.arrive, 0, 0, kBarrier, kAll);
          s.make(s.wait, 0, 1, kBarrier, kAll);
          s.make(s.load, 0, 1);
        }) == Rules{RaceWarps});
}

TEST_CASE("on the CPU device records of warps that flags order may come in any order") {
  const auto play = [](Scene &s) {
    s.make(s.wait, 0, 1, kBarrier, kAll);
    s.make(s.load, 0, 1);
    s.make(s.store, 0, 0);
    s.make(s.arrive, 0, 0, kBarrier, kAll);
  };
  CHECK(after(play, "cpu").empty());
  CHECK(after(play, "gpu") == Rules{FaultRule::RaceWarps});
}

TEST_CASE("barriers of two places of the source that threads of one block wait at are told") {
  const auto found = after([](Scene &s) {
    s.make(s.barrier, 0, 0, 0, kAll);
    s.make(s.otherBarrier, 0, 1, 0, kAll);
    s.make(s.barrier, 1, 0, 0, kAll);
    s.make(s.barrier, 1, 1, 0, kAll);
  });
  CHECK(found == Rules{FaultRule::DivergentBarrier});
}

TEST_CASE("threads that have left are waited for by nobody") {
  CHECK(after([](Scene &s) {
          s.make(s.store, 0, 0, kData, 1);
          s.make(s.barrier, 0, 0, 0, 0xffff); // the other half has returned
          s.make(s.load, 0, 0, kData, 2);
          s.make(s.barrier, 0, 0, 0, 0xffff);
          s.make(s.store, 0, 0, kData, 4);
        }).empty());
}

TEST_CASE("launches of two streams race, and those of one stream or behind a wait don't") {
  using enum FaultRule;
  const auto twice = [](bool waits, std::uint64_t otherStream) {
    return [=](Scene &s) {
      s.trace.synchronise(trace::Synchronisation::Kind::Device);
      s.trace.stream(7, trace::StreamKind::NonBlocking);
      s.make(s.store, 0, 0);
      s.launch();
      if (waits)
        s.trace.synchronise(trace::Synchronisation::Kind::Device);
      s.trace.stream(otherStream, trace::StreamKind::NonBlocking);
      s.make(s.load, 1, 0);
      s.launch();
    };
  };
  CHECK(after(twice(false, 8)) == Rules{RaceLaunches});
  CHECK(after(twice(true, 8)).empty());
  CHECK(after(twice(false, 7)).empty());
}

TEST_CASE("a block that was taken for done, and goes on, is said to know all") {
  ModuleTraits module(nullptr);
  module.isSynchronised = true;
  module.sites.resize(2);
  module.sites[0].isAccess = true;
  module.sites[1].isSynchronisation = true;
  module.sites[1].operation = abi::Operation::Barrier;
  BlockOrder order(module, 64, 1, true, ClusterUse::None);
  const ChunkSteps chunk;
  const auto take = [&](std::uint32_t block, std::uint32_t site) {
    WarpStep step;
    step.block = block;
    step.site = site;
    step.lanes = kAll;
    order.take(step, chunk);
    return step;
  };
  order.beginBatch();
  for (std::uint32_t block = 0; block < 4; ++block)
    take(block, 1);
  for (unsigned batch = 0; batch < 3; ++batch) {
    order.beginBatch();
    take(3, 1);
  }
  CHECK(order.missed() == 0);
  const Moment byOther{.block = 0, .clock = 5, .site = 0, .thread = 40, .acquired = 0};
  CHECK(knows(order.knowledge(take(0, 0).knowledge), 0, 0, byOther));
  CHECK(order.missed() == 1);
  CHECK(!knows(order.knowledge(take(3, 0).knowledge), 0, 0, byOther));
}

} // namespace check_test
