/// Launches whose accesses are derived, on either device: which blocks began, and what the memory held that they look up.
#include "devicelib/abi/begun_blocks.h"
#include "hostlib/runtime/driver/process_ending.h"
#include "hostlib/trace/cut_off.h"
#include "launcher_parts.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

using namespace cupr;
using namespace cupr::host;
using namespace cupr::test;

namespace {

/// What the first thread of a block of a derived kernel does.
void begin(const Trace &trace, unsigned block, std::uint32_t sm) {
  reinterpret_cast<abi::BlockWord *>(trace.tally)[block] = abi::begunOn(sm);
}

} // namespace

TEST_CASE("CPU: of a derived launch the blocks that have begun are recorded, also where it dies") {
  OnCpu parts;
  parts.derive();
  test::currentFakeDevice().currentDevice = 0;
  for (const unsigned blocks : {2u, 1u})
    parts.launch([&](const void *variant, void **arguments) {
      CHECK(variant == &kDerivedOnCpu);
      const auto &trace = *static_cast<const Trace *>(arguments[0]);
      CHECK(trace.special == 0);
      for (unsigned block = 0; block < blocks; ++block)
        begin(trace, block, 5 + block);
      if (blocks < 2)
        test::currentFakeDevice().contextError = cudaErrorIllegalAddress;
      return blocks < 2 ? cudaErrorIllegalAddress : cudaSuccess;
    });
  const test::Told told = parts.trace.read();
  REQUIRE(told.launches.size() == 2);
  CHECK(told.launches[0].slice == 0);
  CHECK(told.launches[0].sliceValues == std::vector<std::uint64_t>{parts.argument});
  REQUIRE(told.ends.size() == 2);
  CHECK(told.ends[0].records == 2);
  CHECK(told.ends[0].end.complete);
  CHECK(told.ends[1].records == 1);
  CHECK_FALSE(told.ends[1].end.complete);
}

TEST_CASE("CPU: where shared variables lie is recorded by the first block") {
  OnCpu parts;
  parts.derive();
  test::currentFakeDevice().currentDevice = 0;
  parts.kernel.placeSites = {7, 5};
  parts.launch([&](const void *, void **arguments) {
    const auto &trace = *static_cast<const Trace *>(arguments[0]);
    REQUIRE(trace.tallyWords == 3); // two blocks, and two variables
    begin(trace, 0, 5);
    begin(trace, 1, 6);
    trace.tally[abi::tallyOfPlace(trace.tallyWords, 0)] = 1 + 0x400;
    trace.tally[abi::tallyOfPlace(trace.tallyWords, 1)] = 1;
    return cudaSuccess;
  });
  const test::Told told = parts.trace.read();
  REQUIRE(told.ends.size() == 1);
  CHECK(told.ends[0].records == 4);
  std::vector<trace::Word> words, all;
  for (const trace::Chunk &chunk : told.chunks) {
    REQUIRE(trace::unpackChunk(chunk, words) == "");
    all.insert(all.end(), words.begin(), words.end());
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> said; // site, place
  for (std::size_t at = 0; at < all.size(); at += abi::kHeadWords) {
    abi::RecordHead head;
    std::memcpy(&head, &all[at], sizeof head);
    if (abi::siteOf(head.siteAndForm) != parts.kBlockSite)
      said.emplace_back(abi::siteOf(head.siteAndForm), head.base);
  }
  CHECK(said == std::vector<std::pair<std::uint32_t, std::uint64_t>>{{7, 0x400}, {5, 0}});
}

namespace {

/// A kernel that looks up one array and writes to another.
struct LooksUp : OnCpu {
  explicit LooksUp(const Settings &given = {}) : OnCpu(given) {
    lookUp();
    test::currentFakeDevice().currentDevice = 0;
    events.allocated(trace::MemoryKind::Device, "cudaMalloc", indices.data(), indices.size());
    events.allocated(trace::MemoryKind::Device, "cudaMalloc", results.data(), results.size());
  }
  /// Whether its accesses were derived. `during`: what it does.
  bool run(
      const void *read, const void *written, unsigned blocks = 400,
      const std::function<void()> &during = [] {}) {
    std::uint64_t parameters[] = {argument, reinterpret_cast<std::uint64_t>(read),
                                  reinterpret_cast<std::uint64_t>(written)};
    void *arguments[] = {&parameters[0], &parameters[1], &parameters[2]};
    bool isDerived = false;
    made.launch({&kPlain, {blocks, 1, 1}, {32, 1, 1}, arguments, 0, nullptr}, kernel,
                [&](const void *variant, void **) {
                  isDerived = variant == &kDerivedOnCpu;
                  during();
                  return cudaSuccess;
                });
    return isDerived;
  }
  std::vector<char> indices = std::vector<char>(100'000, 'i'), results = std::vector<char>(1000);
};

} // namespace

TEST_CASE("CPU: what a launch looks up is in the trace once, and again where it has changed") {
  LooksUp parts;
  const auto run = [&] { CHECK(parts.run(&parts.indices[50'000], parts.results.data())); };
  run();
  run();
  parts.indices[99'999] = 'j';
  run();
  parts.indices[99'999] = 'i';
  run();
  const test::Told told = parts.trace.read();
  REQUIRE(told.ends.size() == 4);
  for (const trace::LaunchTotals &end : told.ends) {
    CHECK(end.end.complete);
    REQUIRE(end.end.snapshots.size() == 1);
  }
  CHECK(told.ends[1].end.snapshots == told.ends[0].end.snapshots);
  REQUIRE(told.contents.size() == 3); // two pieces, and one of them changed
  const auto snapshotOf = [&](std::size_t launch) -> const trace::Snapshot & {
    return told.snapshots.at(told.ends[launch].end.snapshots[0]);
  };
  CHECK(snapshotOf(0).address == reinterpret_cast<std::uint64_t>(parts.indices.data()));
  CHECK(snapshotOf(0).bytes == 100'000);
  CHECK(snapshotOf(0).pieces == std::vector<std::uint32_t>{0, 1});
  CHECK(snapshotOf(2).pieces == std::vector<std::uint32_t>{0, 2});
  CHECK(snapshotOf(3).pieces == std::vector<std::uint32_t>{0, 1});
  std::vector<std::byte> bytes;
  REQUIRE(trace::unpackContents(told.contents[2], bytes) == "");
  CHECK(bytes.size() == 100'000 - 65536);
  CHECK(bytes.back() == std::byte{'j'});
}

TEST_CASE("CPU: a launch during which the memory that it looks up changes is not complete") {
  LooksUp parts;
  CHECK(parts.run(parts.indices.data(), parts.results.data(), 400, [&] { parts.indices[7] = 'k'; }));
  const test::Told told = parts.trace.read();
  REQUIRE(told.ends.size() == 1);
  CHECK_FALSE(told.ends[0].end.complete);
  CHECK(told.ends[0].end.snapshots.empty());
  CHECK_THAT(told.ends[0].end.reason, Catch::Contains("changed while it ran"));
}

TEST_CASE("CPU: a launch is recorded where what it looks up may not stay, or is too much") {
  LooksUp parts;
  char elsewhere = 0;
  const char *const indices = parts.indices.data(), *const results = parts.results.data();
  CHECK(parts.run(indices, results));
  CHECK(parts.run(nullptr, results)); // nothing is there to be looked up
  CHECK(parts.run(indices, nullptr));
  CHECK_FALSE(parts.run(indices, indices + 10)); // it is written
  CHECK_FALSE(parts.run(&elsewhere, results));   // of which nothing is known
  CHECK_FALSE(parts.run(indices, &elsewhere));
  CHECK_FALSE(parts.run(indices, results, 1)); // 32 threads, for which that is much
  parts.events.freed("cudaFree", indices);
  for (const trace::MemoryKind kind : {trace::MemoryKind::Managed, trace::MemoryKind::Host}) {
    parts.events.allocated(kind, "cudaMallocManaged", indices, 100'000);
    CHECK_FALSE(parts.run(indices, results));
    parts.events.freed("cudaFree", indices);
  }
  Settings settings;
  settings.mostSnapshotBytes = 99'999;
  LooksUp limited(settings);
  CHECK_FALSE(limited.run(limited.indices.data(), limited.results.data()));
  settings = {};
  settings.replaysKernels = true;
  LooksUp replayed(settings);
  CHECK_FALSE(replayed.run(replayed.indices.data(), replayed.results.data()));
}

TEST_CASE("GPU: the blocks of a derived launch that have begun are recorded; without memory for them, none "
          "is noted") {
  OnGpu parts;
  parts.derive();
  SnapshotStore store(*parts.trace.writer);
  ContextQueues queues(parts.settings, *parts.trace.writer, store, parts.events);
  std::string reason;
  DeviceQueue *const queue = queues.ofCurrentContext(reason);
  REQUIRE(queue);
  for (const std::uint64_t blocks : {3, 40000, 3}) {
    const DeviceQueue::Tally tally = queue->tallyOfBlocks(blocks, parts.kBlockSite, nullptr, {});
    REQUIRE(tally.words == (blocks + 3) / 4);
    trace::Launch launch =
        parts.describe({&kPlain, {2, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr}, parts.kernel);
    launch.traced = true;
    parts.events.launched(launch);
    queue->launch(nullptr, launch.id, launch.kernel, tally, [&](const Trace &trace) {
      CHECK(trace.special == 0);
      CHECK_FALSE(queue->isBusy()); // nobody is woken before it runs
      for (std::uint64_t block = 0; block < blocks; ++block) {
        CHECK(reinterpret_cast<const abi::BlockWord *>(trace.tally)[block] == 0);
        if (block != 1)
          begin(trace, static_cast<unsigned>(block), block % 132);
      }
      return DeviceQueue::Outcome{};
    });
    queue->flush();
  }
  parts.gpu.hasMemory = false;
  CHECK(queue->tallyOfBlocks(1u << 20, parts.kBlockSite, nullptr, {}).words == 0);
  queues.finish();
  const test::Told told = parts.trace.read();
  REQUIRE(told.ends.size() == 3);
  CHECK(told.ends[0].records == 2);
  CHECK(told.ends[1].records == 39999);
  CHECK(told.ends[2].records == 2);
  queues.release();
}

TEST_CASE("GPU: kernels that run on when a signal ends the process are cut off") {
  for (const bool hasRoom : {true, false}) {
    OnGpu parts;
    parts.gpu.runsOn = true;
    parts.gpu.hasRoom = hasRoom;
    SnapshotStore store(*parts.trace.writer);
    ContextQueues queues(parts.settings, *parts.trace.writer, store, parts.events);
    std::string reason;
    DeviceQueue *const queue = queues.ofCurrentContext(reason);
    REQUIRE(queue);
    for (int launches = 0; launches < 2; ++launches) {
      trace::Launch launch =
          parts.describe({&kPlain, {2, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr}, parts.kernel);
      launch.traced = true;
      parts.events.launched(launch);
      queue->launch(nullptr, launch.id, launch.kernel, {},
                    [](const Trace &) { return DeviceQueue::Outcome{}; });
    }
    ProcessEnding::begin();
    queues.finish();
    ProcessEnding::forget();
    const test::Told told = parts.trace.read();
    REQUIRE(told.ends.size() == 2);
    for (const auto &each : told.ends) {
      CHECK_FALSE(each.end.complete);
      CHECK((each.end.reason == trace::kCutOff) == hasRoom);
      CHECK_THAT(each.end.reason, Catch::StartsWith("a signal ended the process while the kernel ran"));
    }
    queues.release();
  }
}

namespace {

/// As devicelib/device/snapshot.cu does, one piece after the other.
CUresult lookAt(const abi::SnapshotArgument &argument) {
  std::uint32_t piece = 0;
  for (std::uint32_t i = 0; i < argument.regionCount; ++i) {
    const abi::SnapshotRegion &region = argument.regions[i];
    for (std::uint64_t from = 0; from < region.bytes; from += abi::kPieceBytes, ++piece) {
      const std::uint64_t size = std::min<std::uint64_t>(abi::kPieceBytes, region.bytes - from);
      const PieceDigest digest =
          trace::digestOf({reinterpret_cast<const std::byte *>(region.memory + from), size});
      argument.digests[piece] = {digest[0], digest[1]};
      unsigned long long *const known = region.known + 2 * (from / abi::kPieceBytes);
      if (!argument.brings || std::equal(digest.begin(), digest.end(), known))
        continue;
      const unsigned long long ticket = (*argument.ring.tickets)++;
      abi::SnapshotSlot &slot = argument.ring.slots[ticket % abi::kSnapshotSlots];
      slot.digest = argument.digests[piece];
      slot.bytes = size;
      std::memcpy(argument.ring.pieces +
                      ticket % abi::kSnapshotSlots * (abi::kPieceBytes / abi::kVectorBytes),
                  region.memory + from, size);
      // Matched by DeviceSnapshots::drain.
      std::atomic_ref(slot.published).store(ticket / abi::kSnapshotSlots + 1, std::memory_order_release);
      std::copy(digest.begin(), digest.end(), known);
    }
  }
  return CUDA_SUCCESS;
}

} // namespace

TEST_CASE("GPU: a derived launch names what its memory held, unless that changed or the kernel did not run") {
  OnGpu parts;
  parts.derive();
  parts.gpu.snapshot = [](const abi::SnapshotArgument &argument, unsigned) { return lookAt(argument); };
  std::vector<unsigned char> memory(100'000, 'i');
  const MemoryRegion region{reinterpret_cast<std::uint64_t>(memory.data()), memory.size()};
  SnapshotStore store(*parts.trace.writer);
  ContextQueues queues(parts.settings, *parts.trace.writer, store, parts.events);
  std::string reason;
  DeviceQueue *const queue = queues.ofCurrentContext(reason);
  REQUIRE(queue);
  const auto announce = [&] {
    trace::Launch launch =
        parts.describe({&kPlain, {2, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr}, parts.kernel);
    launch.traced = true;
    parts.events.launched(launch);
    return launch;
  };
  const auto run = [&](const std::function<DeviceQueue::Outcome()> &kernel) {
    const DeviceQueue::Tally tally =
        queue->tallyOfBlocks(2, parts.kBlockSite, nullptr, std::span(&region, 1));
    REQUIRE(tally.words);
    REQUIRE(tally.memory);
    const trace::Launch launch = announce();
    queue->launch(nullptr, launch.id, launch.kernel, tally, [&](const Trace &) { return kernel(); });
    queue->flush();
  };
  const auto good = [] { return DeviceQueue::Outcome{}; };
  run(good);
  run(good);
  memory[99'999] = 'j';
  run(good);
  run([&] {
    memory[0] = 'k';
    return DeviceQueue::Outcome{};
  });
  run([] { return DeviceQueue::Outcome{"the launch failed", /*recordsLost=*/false}; });
  run([] { return DeviceQueue::Outcome{"the plain one ran", /*recordsLost=*/true}; });
  parts.gpu.snapshot = [](const abi::SnapshotArgument &argument, unsigned) {
    return argument.brings ? lookAt(argument) : CUDA_ERROR_LAUNCH_FAILED;
  };
  run(good);
  // While a launch that is recorded is open in another stream, it might wait for this one.
  auto *const other = reinterpret_cast<CUstream>(0x40);
  const trace::Launch recorded = announce();
  DeviceQueue::Prepared prepared = queue->prepare(other, recorded.id, recorded.kernel, {});
  CHECK(queue->tallyOfBlocks(2, parts.kBlockSite, nullptr, std::span(&region, 1)).words == 0);
  CHECK(queue->tallyOfBlocks(2, parts.kBlockSite, other, std::span(&region, 1)).words != 0);
  CHECK(queue->tallyOfBlocks(2, parts.kBlockSite, nullptr, {}).words != 0);
  queue->launched(other, prepared, {});
  queue->flush();
  queues.finish();

  const test::Told told = parts.trace.read();
  REQUIRE(told.ends.size() == 8);
  CHECK(told.contents.size() == 4); // two pieces, and each of them once more
  const auto end = [&](std::size_t launch) -> const trace::LaunchEnd & { return told.ends[launch].end; };
  REQUIRE(end(0).snapshots.size() == 1);
  CHECK(end(0).complete);
  CHECK(end(1).snapshots == end(0).snapshots);
  REQUIRE(end(2).snapshots.size() == 1);
  CHECK(end(2).snapshots != end(0).snapshots);
  const trace::Snapshot &first = told.snapshots.at(end(0).snapshots[0]);
  CHECK(first.address == region.address);
  CHECK(first.bytes == region.bytes);
  std::vector<std::byte> bytes;
  REQUIRE(trace::unpackContents(told.contents.at(first.pieces.at(1)), bytes) == "");
  CHECK(bytes == std::vector<std::byte>(100'000 - 65536, std::byte{'i'}));
  CHECK_FALSE(end(3).complete);
  CHECK_THAT(end(3).reason, Catch::Contains("changed while it ran"));
  CHECK(end(4).complete);
  CHECK(end(4).reason == "the launch failed");
  CHECK_FALSE(end(5).complete);
  CHECK(end(5).reason == "the plain one ran");
  CHECK_FALSE(end(6).complete);
  CHECK_THAT(end(6).reason, Catch::Contains("could not be looked at"));
  for (const std::size_t launch : {3, 4, 5, 6})
    CHECK(end(launch).snapshots.empty());
  queues.release();
}
