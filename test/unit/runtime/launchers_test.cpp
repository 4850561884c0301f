/// How launches are made and traced on either device, and what the trace says of them.
#include "devicelib/abi/begun_blocks.h"
#include "devicelib/abi/version.h"
#include "fake_gpu.h"
#include "hostlib/runtime/kernels/launch_slice.h"
#include "hostlib/runtime/session/cpu_launcher.h"
#include "hostlib/runtime/session/gpu_launcher.h"
#include "unit/trace/small_trace.h"
#include "written_trace.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

extern "C" {
void CUPR_VERSIONED(cuprLaunchPlace_v)(const char *file, unsigned line, unsigned);
void CUPR_VERSIONED(cuprLaunchEnd_v)();
}

using namespace cupr;
using namespace cupr::host;

namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;
const char kPlain = 0, kTracedOnCpu = 0, kDerivedOnCpu = 0;

int tracingBegan = 0;

/// All that a launcher needs, and a kernel that takes an address.
template <typename Device> struct Parts {
  explicit Parts(const Settings &given) : settings(given) {
    kernel.name = "_Z1kPf";
    kernel.demangled = "k(float*)";
    kernel.instrumented = true;
    kernel.parameterCount = 2;
    kernel.siteTable = std::make_shared<const std::vector<std::byte>>(test::smallTable().bytes());
    kernel.siteCount = 3;
    kernel.tracedOnCpu = &kTracedOnCpu;
  }

  cudaError_t launch(const LaunchCall &call) {
    void *arguments[] = {&argument};
    return launcher().launch({&kPlain, {2, 1, 1}, {32, 1, 1}, arguments, 0, nullptr}, kernel, call);
  }
  /// Says which variant ran.
  std::string variantOf() {
    std::string ran;
    launch([&](const void *variant, void **) {
      ran += variant == &kPlain ? "plain" : "traced";
      return cudaSuccess;
    });
    return ran;
  }
  /// Its one access, of the address that it takes, is derived.
  void derive() {
    test::SiteTableBlob blob = test::smallTable();
    blob.site(abi::Operation::Load, 0, "", 0, "k(float*)");
    blob.space(abi::SpaceVerdict::Global, abi::kSiteBlock);
    abi::SliceHeader header{};
    header.blockSite = kBlockSite;
    header.registerCount = 1;
    const auto operation = [](abi::SliceOperation of) { return static_cast<std::uint8_t>(of); };
    blob.slice("_Z1kPf", header, {{static_cast<std::uint8_t>(abi::SliceSource::Parameter), 8, 0, 0, 0}}, {},
               {{operation(abi::SliceOperation::Access), 0, 0, 0, 0, 0, 0},
                {operation(abi::SliceOperation::Exit), 0, 0, 0, 0, 0, 0}});
    kernel.siteTable = std::make_shared<const std::vector<std::byte>>(blob.bytes());
    kernel.derivedOnCpu = &kDerivedOnCpu;
    kernel.slice = 0;
    const std::optional<LaunchSlice> slice = launchSliceOf(*kernel.siteTable, kernel.slice);
    REQUIRE(slice);
    kernel.blockSite = slice->blockSite;
    kernel.sliceInputs = slice->inputs;
    REQUIRE(kernel.blockSite == kBlockSite);
  }
  /// The same, and two addresses more: what is there decides, and what is there is written.
  void lookUp() {
    derive();
    const auto parameter = [&](std::uint32_t index, std::uint16_t roles) {
      kernel.sliceInputs.push_back(
          {static_cast<std::uint8_t>(abi::SliceSource::Parameter), 8, roles, index, 0});
    };
    parameter(1, abi::kSliceReadsThere);
    parameter(2, abi::kSliceWritesThere);
    kernel.parameterCount = 4;
  }
  static constexpr std::uint32_t kBlockSite = 3;
  Launcher &launcher() { return static_cast<Device *>(this)->made; }

  const Settings settings;
  test::WrittenTrace trace;
  Selection selection{settings};
  EventLog events{*trace.writer, deviceKind(), EventLog::wallTime()};
  ModuleRegistry modules{*trace.writer, events};
  LaunchPolicy policy{deviceKind(), selection, events, modules};
  Kernel kernel;
  std::uint64_t argument = kBase + 16;
};

struct OnCpu : Parts<OnCpu> {
  explicit OnCpu(const Settings &given = {})
      : Parts((test::newFakeDevice(DeviceKind::Cpu).currentDevice = 3, given)),
        made(settings, *trace.writer, events, policy) {}
  CpuLauncher made;
};

Settings smallQueue() {
  Settings settings;
  settings.binsInDevice = false;
  settings.bufferBytes = 1u << 20;
  return settings;
}

struct OnGpu : Parts<OnGpu> {
  explicit OnGpu(const Settings &given = smallQueue(), test::FakeGpu &fake = test::newFakeGpu())
      : Parts(given), gpu(fake), made(settings, *trace.writer, events, policy, [] { ++tracingBegan; }) {
    gpu.parameterBytes = {sizeof(Trace), 8};
  }
  ~OnGpu() { made.release(); } // what is known of kernels is of this GPU
  test::Told read() {
    made.end();
    return trace.read();
  }
  test::FakeGpu &gpu;
  GpuLauncher made;
};

} // namespace

TEST_CASE("a launch is described with its place in the source, its blocks, and why it is not traced") {
  Settings settings;
  settings.launchSkip = 1;
  settings.ctas.period = 4;
  OnCpu parts(settings);
  const LaunchRequest request{&kPlain, {2, 3, 4}, {32, 2, 1}, nullptr, 48, nullptr};
  CUPR_VERSIONED(cuprLaunchPlace_v)("a.cu", 7, 0);
  const trace::Launch skipped = parts.policy.decide(request, parts.kernel);
  CUPR_VERSIONED(cuprLaunchEnd_v)();
  const trace::Launch chosen = parts.policy.decide(request, parts.kernel);
  CHECK(skipped.file == "a.cu");
  CHECK(skipped.line == 7);
  CHECK_FALSE(skipped.reason.empty());
  CHECK(chosen.file.empty());
  CHECK(chosen.reason.empty());
  CHECK(chosen.grid == trace::Dim3{2, 3, 4});
  CHECK(chosen.block == trace::Dim3{32, 2, 1});
  CHECK(chosen.dynamicShared == 48);
  CHECK(chosen.ctas.period == 4);
  CHECK(chosen.device == 3); // the fake device's
  Kernel foreign;
  foreign.reason = "it is foreign";
  CHECK(parts.policy.decide(request, foreign).reason == "it is foreign");
}

TEST_CASE("CPU: a traced launch is announced, runs with its number, and ends with what was recorded") {
  Settings settings;
  settings.countsAccesses = true;
  settings.ctas.end = 1;
  OnCpu parts(settings);
  const void *ran = nullptr;
  CHECK(parts.launch([&](const void *variant, void **arguments) {
    ran = variant;
    const auto &trace = *static_cast<const Trace *>(arguments[0]);
    CHECK(*static_cast<std::uint64_t *>(arguments[1]) == parts.argument);
    CHECK(trace.launch == 1);
    CHECK(trace.ctaEnd == 1);
    REQUIRE(trace.tallyWords == 3);
    trace.tally[2] = 32;
    test::Words words;
    words.strided(2, 0, 0, kBase, 4);
    parts.made.records(trace.launch, words.data(), words.size());
    return cudaSuccess;
  }) == cudaSuccess);
  CHECK(ran == &kTracedOnCpu);
  const test::Told told = parts.trace.read();
  REQUIRE(told.launches.size() == 1);
  CHECK(told.launches[0].traced);
  REQUIRE(told.ends.size() == 1);
  CHECK(told.ends[0].end.complete);
  CHECK(told.ends[0].records == 1);
  CHECK(told.ends[0].end.siteCounts == std::vector<trace::SiteCount>{{2, 32}});
  CHECK(told.ends[0].end.began <= told.ends[0].end.ended);
}

TEST_CASE("CPU: a launch that fails has made no access; one that breaks the context is not complete") {
  OnCpu failing;
  CHECK(failing.launch([](const void *, void **) { return cudaErrorInvalidValue; }) == cudaErrorInvalidValue);
  const test::Told told = failing.trace.read();
  REQUIRE(told.ends.size() == 1);
  CHECK(told.ends[0].end.complete);
  CHECK(told.ends[0].end.reason == "the launch failed with cudaErrorInvalidValue, and made no access");

  OnCpu dying;
  dying.launch([](const void *, void **) {
    test::currentFakeDevice().contextError = cudaErrorIllegalAddress;
    return cudaErrorIllegalAddress;
  });
  const test::Told died = dying.trace.read();
  REQUIRE(died.ends.size() == 1);
  CHECK_FALSE(died.ends[0].end.complete);
  CHECK(died.ends[0].end.reason == "the kernel ended with cudaErrorIllegalAddress");
}

/// What the first thread of a block of a derived kernel does.
static void begin(const Trace &trace, unsigned block, std::uint32_t sm) {
  reinterpret_cast<abi::BlockWord *>(trace.tally)[block] = abi::begunOn(sm);
}

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

TEST_CASE("CPU: what is not chosen, or has no traced variant, runs plain and is listed") {
  Settings settings;
  settings.kernels = "other";
  OnCpu parts(settings);
  CHECK(parts.variantOf() == "plain");
  OnCpu lacking;
  lacking.kernel.tracedOnCpu = nullptr;
  CHECK(lacking.variantOf() == "plain");
  const test::Told told = parts.trace.read();
  REQUIRE(told.launches.size() == 1);
  CHECK_FALSE(told.launches[0].traced);
  CHECK_FALSE(told.launches[0].reason.empty());
  CHECK(told.ends.empty());
}

TEST_CASE("GPU: a traced launch is told of memory that was found, runs with the queue, and ends") {
  Settings settings = smallQueue();
  settings.countsAccesses = true;
  OnGpu parts(settings);
  tracingBegan = 0;
  test::currentFakeDevice().driverMemory = {{kBase, 256}};
  std::vector<std::uint64_t> launches;
  parts.gpu.kernel = [&](const Trace &trace) {
    launches.push_back(trace.launch);
    trace.tally[1] += trace.launch == 3 ? 5 : 0; // accesses of which there are no records
    return CUDA_SUCCESS;
  };
  for (int i = 0; i < 3; ++i)
    CHECK(parts.variantOf().empty()); // the driver launches it
  parts.made.flush();
  CHECK(launches == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(tracingBegan > 0);
  const test::Told told = parts.read();
  REQUIRE(told.allocations.size() == 1);
  REQUIRE(told.launches.size() == 3);
  CHECK(told.allocations[0].order < told.launches[0].order);
  REQUIRE(told.ends.size() == 3);
  for (const trace::LaunchTotals &end : told.ends) {
    const bool lacks = end.end.id == trace::LaunchId{3};
    CHECK(end.end.complete == !lacks);
    CHECK(end.end.reason == (lacks ? "the device counted 5 accesses, and 0 were recorded or dropped" : ""));
    REQUIRE(end.end.siteCounts);
    CHECK(*end.end.siteCounts ==
          (lacks ? std::vector<trace::SiteCount>{{1, 5}} : std::vector<trace::SiteCount>{}));
  }
}

TEST_CASE("GPU: where the traced variant is missing, the plain one runs") {
  OnGpu parts;
  parts.gpu.hasTracedVariants = false;
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.read().launches.at(0).reason == "its traced variant is not in the program for this GPU");
}

TEST_CASE("GPU: what a profiler runs several times is not recorded") {
  Settings settings = smallQueue();
  settings.replaysKernels = true;
  OnGpu parts(settings);
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.variantOf() == "plain");
  const test::Told told = parts.read();
  REQUIRE(told.launches.size() == 2);
  CHECK_FALSE(told.launches[0].traced);
  CHECK(told.launches[0].reason ==
        "Nsight Compute replays kernels, which those that record their accesses do not survive");
}

TEST_CASE("GPU: where the queue has no memory, the plain one runs, and the next launch tries again") {

  OnGpu poor;
  poor.gpu.hasMemory = false;
  CHECK(poor.variantOf() == "plain");
  poor.gpu.hasMemory = true; // it is tried again
  CHECK(poor.variantOf().empty());
  const test::Told told = poor.read();
  REQUIRE(told.launches.size() == 2);
  // Those that are not traced may be written later.
  const trace::Launch &plain = told.launches[told.launches[0].traced ? 1 : 0];
  CHECK(plain.reason == "allocating pinned host memory for records failed: CUDA_ERROR_OF_THE_TEST");
  CHECK(told.ends.size() == 1);
}

TEST_CASE("GPU: a traced variant that can't be launched is made up for by the plain one, or its failure") {
  OnGpu parts;
  parts.gpu.kernel = [](const Trace &) { return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; };
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.launch([](const void *, void **) { return cudaErrorInvalidValue; }) == cudaErrorInvalidValue);
  const test::Told told = parts.read();
  REQUIRE(told.ends.size() == 2);
  CHECK_FALSE(told.ends[0].end.complete);
  CHECK(told.ends[0].end.reason ==
        "the traced variant could not be launched (CUDA_ERROR_OF_THE_TEST); the plain one ran");
  CHECK(told.ends[1].end.complete);
  CHECK(told.ends[1].end.reason == "the launch failed with cudaErrorInvalidValue, and made no access");
}

TEST_CASE("GPU: behind the end launches run plain, and nothing is asked of the driver") {
  OnGpu parts;
  CHECK(parts.variantOf().empty());
  parts.made.end();
  parts.made.end();
  const Driver driver = std::exchange(test::currentFakeDevice().driver, Driver{});
  CHECK(parts.variantOf() == "plain");
  test::currentFakeDevice().driver = driver;
  const test::Told told = parts.read();
  REQUIRE(told.launches.size() == 2);
  const trace::Launch &late = told.launches[told.launches[0].traced ? 1 : 0];
  CHECK(late.id == trace::LaunchId{2});
  CHECK(late.reason == "the process is ending");
  CHECK(told.ends.size() == 1);
}

TEST_CASE("each context has one queue; what is released is made anew") {
  OnGpu parts;
  SnapshotStore store(*parts.trace.writer);
  ContextQueues queues(parts.settings, *parts.trace.writer, store, parts.events);
  std::string reason;
  const auto context = [&](std::uintptr_t number) -> DeviceQueue * {
    parts.gpu.context = reinterpret_cast<CUcontext>(number);
    return queues.ofCurrentContext(reason);
  };
  DeviceQueue *const first = context(1);
  REQUIRE(first);
  DeviceQueue *const second = context(2);
  CHECK(second != first);
  CHECK(context(1) == first);
  queues.flush();
  queues.finish();
  queues.finish();
  CHECK(context(2) == second);
  queues.release();
  parts.gpu.hasMemory = false;
  CHECK(context(1) == nullptr);
  CHECK_FALSE(reason.empty());
  queues.flush();
  queues.release();
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
        parts.policy.decide({&kPlain, {2, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr}, parts.kernel);
    launch.traced = true;
    parts.events.launched(launch);
    queue->launch(nullptr, launch.id, launch.kernel, tally, [&](const Trace &trace) {
      CHECK(trace.special == 0);
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
        parts.policy.decide({&kPlain, {2, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr}, parts.kernel);
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
  const DeviceQueue::Prepared prepared = queue->prepare(other, recorded.id, recorded.kernel, {});
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
