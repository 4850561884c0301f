/// A trace of one kernel, made by hand, and what the check finds in it.
#ifndef CUPR_TEST_CHECK_SCENE_H
#define CUPR_TEST_CHECK_SCENE_H

#include "analysis/check/checker.h"
#include "unit/trace/trace_builder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace check_test {

using namespace cupr;
using namespace cupr::analysis;

inline constexpr std::uint64_t kData = 0x10000, kFlag = 0x20000;
inline constexpr std::uint32_t kAll = 0xffffffffu, kFirst = 1;
inline constexpr std::uint64_t kBarrier = 0x400,
                               kTile = 0x800; // of shared memory: an mbarrier, and a variable

/// Two blocks of two warps.
struct Scene {
  explicit Scene(const char *device = "gpu", const trace::WriterOptions &options = {})
      : trace(file.path(), device, options) {
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
    shuffle = site(Operation::WarpShuffle, 0, None, MemoryScope::None);
    vote = site(Operation::WarpVote, 0, None, MemoryScope::None);
    warpBarrier = site(Operation::WarpBarrier, 0, AcquireRelease, MemoryScope::Block);
    systemStore = site(Operation::Store, 4, Relaxed, MemoryScope::System);
    look = site(Operation::Load, 4, Relaxed, MemoryScope::Device);
    volatileStore = site(Operation::Store, 4, Volatile, MemoryScope::System);
    volatileLoad = site(Operation::Load, 4, Volatile, MemoryScope::System);
    storeRegardless = site(Operation::Store, 4, None, MemoryScope::None);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteRegardless);
    loadRegardless = site(Operation::Load, 4, None, MemoryScope::None);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteRegardless);
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
  /// The same of whole warps, each lane at a word of its own.
  void makeRow(std::uint32_t site, std::uint32_t block, std::uint32_t warp) {
    words.strided(site, block, warp, kData, 4, kAll);
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
      storeOne, take, give, copy, tileLoad, commit, waitForCopies, shuffle, vote, warpBarrier, systemStore,
      look, volatileStore, volatileLoad, storeRegardless, loadRegardless;
};

/// The rules of what is found.
inline std::vector<FaultRule> after(const std::function<void(Scene &)> &play, const char *device = "gpu") {
  Scene scene(device);
  play(scene);
  std::vector<FaultRule> rules;
  for (const Fault &fault : scene.faults())
    rules.push_back(fault.rule);
  return rules;
}

using Rules = std::vector<FaultRule>;

} // namespace check_test

#endif
