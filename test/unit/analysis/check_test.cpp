/// Faults in traces that are made by hand: what the planted programs of test/faults can't bring about on every device.
#include "analysis/check/block_order.h"
#include "analysis/check/checker.h"
#include "analysis/render/check_json.h"
#include "unit/trace/host_trace.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace check_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kData = 0x10000, kFlag = 0x20000;
constexpr std::uint32_t kAll = 0xffffffffu, kFirst = 1;
constexpr std::uint64_t kBarrier = 0x400, kTile = 0x800; // of shared memory: an mbarrier, and a variable

/// Two blocks of two warps.
struct Scene {
  explicit Scene(const char *device = "gpu") : trace(file.path(), device) {
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
    atomic = site(Operation::AtomicAdd, 4, Relaxed, MemoryScope::Device);
    blockAtomic = site(Operation::AtomicAdd, 4, Relaxed, MemoryScope::Block);
    fence = site(Operation::Fence, 0, SequentiallyConsistent, MemoryScope::Device);
    blockFence = site(Operation::Fence, 0, SequentiallyConsistent, MemoryScope::Block);
    barrier = site(Operation::Barrier, 0, AcquireRelease, MemoryScope::Block);
    otherBarrier = site(Operation::Barrier, 0, AcquireRelease, MemoryScope::Block);
    arrive = site(Operation::MbarrierArrive, 0, Release, MemoryScope::Block);
    wait = site(Operation::MbarrierWait, 0, Acquire, MemoryScope::Block);
    storeOne = site(Operation::Store, 4, None, MemoryScope::None);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteOneValue);
    take = site(Operation::AtomicCAS, 4, Relaxed, MemoryScope::Device);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteLock);
    give = site(Operation::AtomicExch, 4, Relaxed, MemoryScope::Device);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteLock);
    copy = site(Operation::Store, 4, None, MemoryScope::None);
    blob.space(abi::SpaceVerdict::Shared, abi::kSiteCopy);
    tileLoad = site(Operation::Load, 4, None, MemoryScope::None);
    blob.space(abi::SpaceVerdict::Shared);
    commit = site(Operation::CopyCommit, 0, None, MemoryScope::None);
    waitForCopies = site(Operation::CopyWait, 0, None, MemoryScope::None);
    blob.recorded(abi::kRecordsSynchronisation |
                  abi::spaceBit(abi::MemorySpace::Global) << abi::kRecordsSpaces |
                  abi::spaceBit(abi::MemorySpace::Shared) << abi::kRecordsSpaces);
    trace.table(blob);
    trace.allocate(kData, 0x1000);
    trace.set(kData, 0x1000);
    trace.allocate(kFlag, 0x1000);
    trace.set(kFlag, 0x1000);
  }
  void make(std::uint32_t site, std::uint32_t block, std::uint32_t warp, std::uint64_t place = kData,
            std::uint32_t lanes = kFirst) {
    words.strided(site, block, warp, place, 0, lanes);
  }
  void launch() {
    trace.run("k(int*)", {2, 1, 1}, {64, 1, 1}, words);
    words.clear();
  }
  std::vector<Fault> faults(const CheckOptions &options = {.threads = 1}) {
    if (words.size() != 0)
      launch();
    trace.writer->finish();
    const Model model(file.path());
    std::vector<Fault> found = check(model, options).faults;
    std::erase_if(found, [](const Fault &fault) { return fault.rule == FaultRule::Leak; });
    return found;
  }

  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::SiteTableBlob blob;
  test::Words words;
  std::uint32_t count = 0;
  std::uint32_t store, load, atomic, blockAtomic, fence, blockFence, barrier, otherBarrier, arrive, wait,
      storeOne, take, give, copy, tileLoad, commit, waitForCopies;
};

/// The rules of what is found.
std::vector<FaultRule> after(const std::function<void(Scene &)> &play, const char *device = "gpu") {
  Scene scene(device);
  play(scene);
  std::vector<FaultRule> rules;
  for (const Fault &fault : scene.faults())
    rules.push_back(fault.rule);
  return rules;
}

using Rules = std::vector<FaultRule>;

} // namespace

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

TEST_CASE("what nobody wrote, and what is nobody's") {
  using enum FaultRule;
  constexpr std::uint64_t kNew = 0x30000;
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.make(s.load, 0, 0, kNew);
        }) == Rules{UninitialisedRead});
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.make(s.store, 0, 0, kNew);
          s.make(s.load, 0, 0, kNew);
        }).empty());
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.make(s.store, 0, 0, kNew + 100);
        }) == Rules{OutOfBounds});
  // Where nothing says whose it is, it may be a variable's.
  CHECK(after([&](Scene &s) { s.make(s.store, 0, 0, 0x700000); }).empty());
  CHECK(after([&](Scene &s) { s.make(s.load, 0, 0, 8); }) == Rules{OutOfBounds});
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.trace.free(kNew);
          s.make(s.store, 0, 0, kNew);
        }) == Rules{UseAfterFree});
}

TEST_CASE("memory that a launch may have written which is not traced is not said to be unwritten") {
  constexpr std::uint64_t kNew = 0x30000;
  CHECK(after([&](Scene &s) {
          s.trace.allocate(kNew, 100);
          s.trace.untraced("other()", {1, 1, 1}, {1, 1, 1}, 0, 0);
          s.make(s.load, 0, 0, kNew);
        }).empty());
}

TEST_CASE("where there is no room, that is said, and nothing false") {
  Scene scene;
  for (std::uint32_t page = 0; page < 4; ++page)
    scene.trace.allocate(0x1000000 + std::uint64_t{page} * 0x100000, 0x100000);
  for (std::uint32_t page = 0; page < 1024; ++page)
    for (std::uint32_t block = 0; block < 2; ++block)
      scene.words.strided(scene.store, block, 0, 0x1000000 + page * 0x1000 + block * 128, 4);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1, .memory = 1});
  for (const Fault &fault : checked.faults)
    CHECK(fault.rule == FaultRule::Leak);
  REQUIRE(!checked.unchecked.empty());
  CHECK(checked.unchecked.back().why.find("no room") != std::string::npos);
}

TEST_CASE("what is freed twice, or is no allocation, is told with its call") {
  Scene scene;
  scene.make(scene.load, 0, 0);
  scene.launch();
  scene.trace.free(kFlag + 4); // inside
  scene.trace.free(kFlag);
  scene.trace.free(kFlag);
  scene.trace.allocate(kFlag, 0x100); // at the same address
  scene.trace.free(kFlag);
  scene.trace.free(0x700000); // never was one
  std::vector<std::pair<FaultRule, std::optional<std::uint32_t>>> found;
  for (const Fault &fault : scene.faults())
    found.emplace_back(fault.rule, fault.allocation);
  CHECK(found == std::vector<std::pair<FaultRule, std::optional<std::uint32_t>>>{
                     {FaultRule::DoubleFree, 1}, {FaultRule::InvalidFree, 1}, {FaultRule::InvalidFree, {}}});
}

TEST_CASE(
    "errors that nobody looked at are told by the place of their call, a launch's by that of its caller") {
  Scene scene;
  scene.make(scene.load, 0, 0);
  scene.launch();
  scene.trace.free(kData);
  scene.trace.free(kFlag);
  test::HostRows rows;
  constexpr std::uint32_t kNone = trace::kNoHostIndex;
  const std::uint32_t app = rows.object("/usr/bin/app");
  const auto inMain = [&](std::uint32_t line) {
    return rows.node(kNone, app, 0x1000 + line, {{"main", "app.cu", line, 3}});
  };
  const std::uint32_t one = inMain(10), other = inMain(11);
  const auto below = [&](std::uint32_t caller, std::uint64_t offset, const char *function,
                         std::uint32_t line) {
    return rows.node(caller, app, offset, {{function, "app.cu", line, 5}});
  };
  const char *const stub = "__device_stub__k(cupr::argument::Trace, int*)";
  rows.batch.failures = {
      {"cudaMemset", "cudaErrorInvalidValue", "invalid argument", below(one, 0x2000, "clear(int*)", 4), 2},
      {"cudaMemset", "cudaErrorInvalidValue", "invalid argument", below(other, 0x2000, "clear(int*)", 4), 3},
      {"cudaLaunchKernel", "cudaErrorInvalidValue", "invalid argument", below(one, 0x3000, stub, 1), 1},
      {"cudaLaunchKernel", "cudaErrorInvalidValue", "invalid argument", below(other, 0x3000, stub, 1), 1},
      {"cudaDeviceSynchronize", "cudaErrorIllegalAddress", "an illegal memory access was encountered", kNone,
       1}};
  scene.trace.writer->host(rows.batch);
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1});
  std::vector<std::string> told;
  for (const ShownFault &shown : shownFaults(model, checked.faults)) {
    const ShownPlace &place = shown.places.at(0);
    CHECK(shown.fault->rule == FaultRule::UncheckedError);
    CHECK(place.act == "call");
    CHECK(shown.memory.empty());
    told.push_back(fmt::format("{}|{} at {} in {} from {}|{}|{}", shown.title, place.operation, place.place(),
                               place.function, place.hostPath, shown.advice, shown.fault->count));
  }
  CHECK(told == std::vector<std::string>{
                    "cudaMemset returned an error that the program does not look at: cudaErrorInvalidValue "
                    "(invalid argument)|"
                    "cudaMemset at app.cu:4:5 in clear(int*) from main > clear(int*)|"
                    "Look at the value of cudaMemset at app.cu:4:5, or call cudaGetLastError() behind it.|5",
                    "A launch of k(int*) had an error that the program does not ask for: "
                    "cudaErrorInvalidValue (invalid argument)|"
                    "launch at app.cu:10:3 in main from main|Call cudaGetLastError() behind the launch at "
                    "app.cu:10:3.|1",
                    "A launch of k(int*) had an error that the program does not ask for: "
                    "cudaErrorInvalidValue (invalid argument)|"
                    "launch at app.cu:11:3 in main from main|Call cudaGetLastError() behind the launch at "
                    "app.cu:11:3.|1",
                    "cudaDeviceSynchronize returned an error that the program does not look at: "
                    "cudaErrorIllegalAddress "
                    "(an illegal memory "
                    "access was encountered)|cudaDeviceSynchronize at  in  from |"
                    "Look at the value of cudaDeviceSynchronize, or call cudaGetLastError() behind it.|1"});
}

TEST_CASE("a kernel that ended with an error is told of where no access says why") {
  const auto failed = [](const char *device, const std::string &reason, bool isOutOfBounds) {
    Scene scene(device);
    for (unsigned launch = 0; launch < 2; ++launch) {
      if (isOutOfBounds)
        scene.make(scene.load, 0, 0, 0x8); // around null
      const trace::LaunchId id = scene.trace.launch("k(int*)", {2, 1, 1}, {64, 1, 1});
      scene.trace.records(id, scene.words);
      scene.words.clear();
      trace::LaunchEnd end;
      end.id = id;
      end.reason = reason;
      end.recordWords = scene.trace.writer->recordWords(id);
      scene.trace.writer->launchEnd(end);
    }
    std::vector<std::string> rules;
    for (const Fault &fault : scene.faults())
      rules.push_back(idOf(fault.rule) + std::to_string(fault.place.launch));
    return rules;
  };
  const std::vector<std::string> both = {"failed-kernel0", "failed-kernel1"}, first = {"failed-kernel0"};
  CHECK(failed("cpu", "the kernel ended with cudaErrorAssert: block (0,0,0): why", false) == both);
  // All that were on their way end with it: the first of them is named.
  CHECK(failed("gpu", "the GPU stopped with CUDA_ERROR_ASSERT", false) == first);
  CHECK(failed("gpu", "the record buffer was full", false).empty());
  CHECK(failed("gpu", "the GPU stopped with CUDA_ERROR_ILLEGAL_ADDRESS", true) ==
        std::vector<std::string>{"out-of-bounds0"});
}

TEST_CASE("a block that was taken for done, and goes on, is said to know all") {
  ModuleTraits module(nullptr);
  module.isSynchronised = true;
  module.sites.resize(2);
  module.sites[0].isAccess = true;
  module.sites[1].isSynchronisation = true;
  module.sites[1].operation = abi::Operation::Barrier;
  BlockOrder order(module, 64, 1, true);
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

TEST_CASE("the same is found by one thread and by many") {
  Scene scene;
  for (std::uint32_t at = 0; at < 2000; ++at)
    scene.make(at % 3 == 0 ? scene.store : scene.load, at % 2, at / 2 % 2, kData + at * 52 % 0x1000);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const auto json = [&](unsigned threads) {
    const Checked checked = check(model, {.threads = threads});
    return checkJson(model, checked, shownFaults(model, checked.faults));
  };
  const std::string one = json(1);
  CHECK(one == json(4));
  CHECK(nlohmann::json::parse(one)["faults"].size() > 1);
}

TEST_CASE("JSON says of each rule what it is, by itself, and whether it is an error") {
  Scene scene;
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1});
  const auto json = nlohmann::json::parse(checkJson(model, checked, shownFaults(model, checked.faults)));
  CHECK(json["rules"].size() == kFaultRules.size());
  for (std::size_t i = 0; i < kFaultRules.size(); ++i) {
    const auto &rule = json["rules"][i];
    CHECK(rule["id"] == idOf(kFaultRules[i]));
    CHECK(rule["meaning"] == meaningOf(kFaultRules[i]));
    CHECK(rule["severity"] == (kFaultRules[i] == FaultRule::Leak ? "warning" : "error"));
  }
}

TEST_CASE("SARIF has a rule for each kind of fault, and a place for each access") {
  Scene scene;
  scene.make(scene.store, 0, 0);
  scene.make(scene.load, 1, 0);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const Checked checked = check(model, {.threads = 1});
  std::vector<ShownFault> faults = shownFaults(model, checked.faults);
  const auto sarif = nlohmann::json::parse(checkSarif(model, checked, faults, "/", "1"));
  CHECK(sarif["version"] == "2.1.0");
  const auto &run = sarif["runs"][0];
  CHECK(run["tool"]["driver"]["rules"].size() == kFaultRules.size());
  const auto &race = run["results"][0];
  CHECK(race["ruleId"] == "race-blocks");
  CHECK(race["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.cu");
  CHECK(race["locations"][0]["physicalLocation"]["region"]["startLine"] == 2);
  CHECK(race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 1);
  CHECK(race["relatedLocations"][0]["id"] == 1);
  CHECK(race["message"]["text"].get<std::string>().ends_with("The other access: [a.cu:1:7](1)."));

  // GitHub takes no result without a place, and no place without a region.
  const auto regionOf = [](const nlohmann::json &result) {
    REQUIRE(result["locations"].size() == 1);
    return result["locations"][0]["physicalLocation"]["region"];
  };
  faults[0].places[0].file = "/home/me/a.cu";
  faults[0].places[0].expression = {.text = "x[i]", .column = 3};
  faults[0].places[1].file = "";
  faults[0].advice = "Look at /home/me/a.cu:1.";
  const auto one =
      nlohmann::json::parse(checkSarif(model, checked, faults, "/home/me", "1"))["runs"][0]["results"][0];
  CHECK(one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.cu");
  CHECK(regionOf(one) ==
        nlohmann::json{{"startLine", 1}, {"startColumn", 3}, {"endLine", 1}, {"endColumn", 7}});
  CHECK(one["message"]["text"].get<std::string>().ends_with(" Look at a.cu:1."));
  CHECK(!one.contains("relatedLocations"));
  faults[0].places[0].file = "";
  const auto none =
      nlohmann::json::parse(checkSarif(model, checked, faults, "/", "1"))["runs"][0]["results"][0];
  CHECK(none["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "usr/bin/app");
  CHECK(regionOf(none) ==
        nlohmann::json{{"startLine", 1}, {"startColumn", 1}, {"endLine", 1}, {"endColumn", 2}});
}

} // namespace check_test
