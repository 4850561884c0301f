/// What the host does, in order: what the event log writes, read back from the trace.
#include "hostlib/runtime/session/event_log.h"

#include "fake_device.h"
#include "hostlib/runtime/graphs/graph_transfer.h"
#include "written_trace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace cupr;
using host::DeviceKind;
using host::EventLog;
using trace::CopyKind;
using trace::MemoryKind;
using Kind = trace::Synchronisation::Kind;

namespace {

constexpr std::uint64_t kHeap = 0x7f0000000000;

const void *at(std::uint64_t address) { return reinterpret_cast<const void *>(address); }

/// A log of a trace in memory.
struct Logged {
  explicit Logged(DeviceKind kind = DeviceKind::Cpu)
      : device(test::newFakeDevice(kind)), events(*trace.writer, kind, host::wallTime()) {}
  test::FakeDevice &device;
  test::WrittenTrace trace;
  EventLog events;
};

trace::Copy copyOf(std::uint64_t destination, std::uint64_t source) {
  trace::Copy copy;
  copy.destination = destination;
  copy.source = source;
  copy.rowBytes = 16;
  copy.asynchronous = true; // sources are not looked at
  return copy;
}

} // namespace

TEST_CASE("events have one order, from 1, and times that don't go back") {
  Logged log;
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap), 256);
  log.events.copied(copyOf(kHeap, 16), cudaMemcpyHostToDevice, nullptr);
  trace::Launch launch;
  launch.kernel = "k()";
  log.events.launched(launch);
  log.events.wasSet({}, nullptr);
  log.events.synchronised(Kind::Device, nullptr, 0);
  log.events.freed("cudaFree", at(kHeap));
  const test::Told told = log.trace.read();
  REQUIRE(told.allocations.size() == 1);
  REQUIRE(told.copies.size() == 1);
  REQUIRE(told.launches.size() == 1);
  REQUIRE(told.sets.size() == 1);
  REQUIRE(told.synchronisations.size() == 1);
  REQUIRE(told.frees.size() == 1);
  CHECK(told.allocations[0].order == 1);
  CHECK(told.copies[0].order == 2);
  CHECK(told.launches[0].order == 3);
  CHECK(told.launches[0].id == trace::LaunchId{1});
  CHECK(told.sets[0].order == 4);
  CHECK(told.synchronisations[0].order == 5);
  CHECK(told.frees[0].order == 6);
  CHECK(told.allocations[0].time <= told.copies[0].time);
  CHECK(told.copies[0].time <= told.frees[0].time);
  CHECK(told.frees[0].call == "cudaFree");
}

TEST_CASE("an allocation has what the source says of its call") {
  Logged log;
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap), 256,
                       {"node->values", "double", "list.cu", 12, 3});
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap + 4096), 256);
  const test::Told told = log.trace.read();
  REQUIRE(told.allocations.size() == 2);
  CHECK(told.allocations[0].name == "node->values");
  CHECK(told.allocations[0].type == "double");
  CHECK(told.allocations[0].file == "list.cu");
  CHECK(told.allocations[0].line == 12);
  CHECK(told.allocations[0].column == 3);
  CHECK(told.allocations[1].name.empty());
  CHECK(told.allocations[1].line == 0);
}

TEST_CASE("the handle of an array is no address of memory") {
  Logged log;
  log.events.allocated(MemoryKind::Array, "cudaMallocArray", at(kHeap), 4096);
  log.events.allocated(MemoryKind::Host, "cudaMallocHost", at(kHeap + 64), 256);
  CHECK_FALSE(log.events.memory().find(kHeap));
  CHECK(log.events.memory().find(kHeap + 64));
  log.events.freed("cudaFreeArray", at(kHeap));
  const test::Told told = log.trace.read();
  REQUIRE(told.allocations.size() == 2);
  CHECK(told.allocations[0].bytes == 4096);
  REQUIRE(told.frees.size() == 1);
  CHECK(told.frees[0].address == kHeap);
}

TEST_CASE("texture and surface objects have their places among the host's calls") {
  Logged log;
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap), 256);
  trace::ImageObject object;
  object.object = 7;
  log.events.imageObject(object);
  object.isDestroyed = true;
  log.events.imageObject(object);
  const test::Told told = log.trace.read();
  REQUIRE(told.objects.size() == 2);
  CHECK(told.objects[0].order == 2);
  CHECK_FALSE(told.objects[0].isDestroyed);
  CHECK(told.objects[1].order == 3);
  CHECK(told.objects[1].isDestroyed);
}

TEST_CASE("what is unmapped frees all that begins in it") {
  Logged log;
  for (const std::uint64_t offset : {0, 4096, 8192})
    log.events.allocated(MemoryKind::Device, "cuMemMap", at(kHeap + offset), 4096);
  log.events.freedWithin("cuMemUnmap", at(kHeap), 8192);
  const test::Told told = log.trace.read();
  REQUIRE(told.frees.size() == 2);
  CHECK(told.frees[0].address == kHeap);
  CHECK(told.frees[1].address == kHeap + 4096);
  CHECK(told.frees[1].call == "cuMemUnmap");
}

TEST_CASE("a copy's kind is what the call says, or follows from the memory that it meets") {
  Logged log;
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap), 256);
  log.events.allocated(MemoryKind::Host, "cudaMallocHost", at(kHeap + 4096), 256);
  log.events.copied(copyOf(16, 32), cudaMemcpyDeviceToDevice, nullptr);
  log.events.copied(copyOf(kHeap, kHeap + 4096), cudaMemcpyDefault, nullptr);
  log.events.copied(copyOf(kHeap + 4096, kHeap + 255), cudaMemcpyDefault, nullptr);
  log.events.copied(copyOf(kHeap, kHeap + 64), cudaMemcpyDefault, nullptr);
  log.events.copied(copyOf(16, kHeap + 256), cudaMemcpyDefault, nullptr);
  const test::Told told = log.trace.read();
  std::vector<CopyKind> kinds;
  for (const trace::Copy &copy : told.copies)
    kinds.push_back(copy.kind);
  CHECK(kinds == std::vector{CopyKind::DeviceToDevice, CopyKind::HostToDevice, CopyKind::DeviceToHost,
                             CopyKind::DeviceToDevice, CopyKind::HostToHost});
}

TEST_CASE("a blocking copy from the host says which one has brought the same; what the host can't read is "
          "left alone") {
  struct Source {
    DeviceKind device;
    unsigned memoryType; ///< by the driver
    bool isManaged, isRead;
  };
  for (const Source &source : {Source{DeviceKind::Cpu, 0, false, true},
                               {DeviceKind::Gpu, 0, false, true},
                               {DeviceKind::Gpu, CU_MEMORYTYPE_HOST, false, true},
                               {DeviceKind::Gpu, CU_MEMORYTYPE_HOST, true, false},
                               {DeviceKind::Gpu, CU_MEMORYTYPE_DEVICE, false, false}}) {
    Logged log(source.device);
    log.device.pointerType = source.memoryType;
    log.device.pointerIsManaged = source.isManaged;
    std::vector<unsigned char> bytes(16, 1);
    trace::Copy copy = copyOf(kHeap, reinterpret_cast<std::uint64_t>(source.isRead ? bytes.data() : nullptr));
    log.events.copied(copy, cudaMemcpyHostToDevice, nullptr);
    copy.asynchronous = false;
    log.events.copied(copy, cudaMemcpyHostToDevice, nullptr);
    log.events.copied(copy, cudaMemcpyHostToDevice, nullptr);
    bytes[3] = 2;
    log.events.copied(copy, cudaMemcpyHostToDevice, nullptr);
    std::vector<std::uint64_t> same;
    for (const trace::Copy &each : log.trace.read().copies)
      same.push_back(each.sameAs);
    CHECK(same == (source.isRead ? std::vector<std::uint64_t>{0, 0, 2, 0} : std::vector<std::uint64_t>(4)));
  }
}

TEST_CASE("streams have numbers and kinds; neither the device nor an event is waited for in one") {
  for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Gpu}) {
    Logged log(kind);
    log.device.streams[test::fakeStream(7)] = 70;
    log.events.wasSet({}, test::fakeStream(7));
    log.events.wasSet({}, nullptr);
    for (const Kind call : {Kind::Stream, Kind::EventRecord, Kind::Device, Kind::Event})
      log.events.synchronised(call, test::fakeStream(7), 5);
    const test::Told told = log.trace.read();
    REQUIRE(told.sets.size() == 2);
    CHECK(told.sets[0].stream == 70);
    CHECK(told.sets[0].streamKind == trace::StreamKind::NonBlocking);
    CHECK(told.sets[1].streamKind == trace::StreamKind::Legacy);
    REQUIRE(told.synchronisations.size() == 4);
    CHECK(told.synchronisations[0].stream == 70);
    CHECK(told.synchronisations[1].stream == 70);
    CHECK(told.synchronisations[1].event == 5);
    CHECK(told.synchronisations[2].stream == 0);
    CHECK(told.synchronisations[3].stream == 0);
  }
}

TEST_CASE("what a captured stream is asked for does not happen now") {
  for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Gpu}) {
    Logged log(kind);
    log.device.capturing = test::fakeStream(1);
    log.events.copied(copyOf(16, 32), cudaMemcpyHostToDevice, test::fakeStream(1));
    log.events.wasSet({}, test::fakeStream(1));
    log.events.synchronised(Kind::EventRecord, test::fakeStream(1), 1);
    log.events.synchronised(Kind::StreamWaitEvent, test::fakeStream(1), 1);
    log.events.synchronised(Kind::Stream, test::fakeStream(1), 0); // an error in CUDA, if it were one
    log.events.wasSet({}, test::fakeStream(2));
    const test::Told told = log.trace.read();
    CHECK(told.copies.empty());
    CHECK(told.sets.size() == 1);
    CHECK(told.synchronisations.size() == 1);
  }
}

TEST_CASE("a transfer of a graph is its copies and its set, at their place") {
  Logged log;
  host::GraphTransfer transfer;
  transfer.kind = cudaMemcpyDeviceToHost;
  transfer.copies = {copyOf(16, kHeap), copyOf(32, kHeap + 16)};
  transfer.set.emplace().rowBytes = 8;
  CHECK(log.events.nextGraphLaunch() == 1);
  const trace::GraphPlace place{log.events.nextGraphLaunch(), 1, {0}};
  log.events.transferred(transfer, nullptr, place);
  const test::Told told = log.trace.read();
  REQUIRE(told.copies.size() == 2);
  CHECK(told.copies[1].kind == CopyKind::DeviceToHost);
  CHECK(told.copies[1].place == trace::GraphPlace{2, 1, {0}});
  REQUIRE(told.sets.size() == 1);
  CHECK(told.sets[0].place == place);
}

TEST_CASE("memory that no call has told of is found among a kernel's arguments, once") {
  Logged log(DeviceKind::Gpu);
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap), 256);
  log.device.driverMemory = {{kHeap, 256}, {kHeap + 4096, 1024}};
  const struct {
    std::uint64_t known, size, found, inside;
    std::uint32_t cut;
  } argument{kHeap + 8, 1000, kHeap + 4096, kHeap + 4096 + 1023, 0};
  log.events.findMemory(&argument, sizeof argument);
  log.events.findMemory(&argument, sizeof argument);
  // Something else begins where it lay: it has been freed meanwhile.
  log.events.allocated(MemoryKind::Device, "cudaMalloc", at(kHeap + 4096 + 512), 64);
  const test::Told told = log.trace.read();
  REQUIRE(told.allocations.size() == 3);
  CHECK(told.allocations[1].address == kHeap + 4096);
  CHECK(told.allocations[1].bytes == 1024);
  CHECK(told.allocations[1].call == "found");
  REQUIRE(told.frees.size() == 1);
  CHECK(told.frees[0].address == kHeap + 4096);
  CHECK(told.frees[0].order == 3);
  CHECK(told.allocations[2].order == 4);
}

TEST_CASE("a variable is said once, and what is not allocated is not freed") {
  Logged log;
  log.events.declared(MemoryKind::Symbol, "__device__", at(kHeap), 64, "_ZN1a5tableE");
  log.events.declared(MemoryKind::Symbol, "__device__", at(kHeap), 64, "_ZN1a5tableE");
  log.events.freed("cudaFree", at(kHeap + 8));
  const test::Told told = log.trace.read();
  REQUIRE(told.allocations.size() == 1);
  CHECK(told.allocations[0].name == "a::table");
  CHECK(told.frees.empty());
}

TEST_CASE("a child of fork takes over what its parent had, but for variables") {
  Logged parent, child;
  parent.events.allocated(MemoryKind::Managed, "cudaMallocManaged", at(kHeap), 64);
  parent.events.declared(MemoryKind::Symbol, "__device__", at(kHeap + 64), 64, "v");
  child.events.inherit(parent.events);
  const test::Told told = child.trace.read();
  REQUIRE(told.allocations.size() == 1);
  CHECK(told.allocations[0].kind == MemoryKind::Managed);
  CHECK(told.allocations[0].call == "before fork");
}

TEST_CASE("launches are written in the order of their numbers, and those of a series follow each other") {
  Logged log;
  constexpr unsigned kThreads = 4, kTurns = 50;
  std::vector<std::thread> threads;
  std::vector<std::vector<trace::LaunchId>> firsts(kThreads);
  for (unsigned thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (unsigned turn = 0; turn < kTurns; ++turn) {
        trace::Launch alone, first, second;
        alone.kernel = first.kernel = second.kernel = "k()";
        log.events.launched(alone);
        EventLog::LaunchSeries series(log.events);
        series.launched(first);
        series.launched(second);
        if (static_cast<std::uint64_t>(second.id) == static_cast<std::uint64_t>(first.id) + 1)
          firsts[thread].push_back(first.id);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &of : firsts)
    CHECK(of.size() == kTurns);
  const test::Told told = log.trace.read();
  REQUIRE(told.launches.size() == 3 * kThreads * kTurns);
  for (std::size_t i = 0; i < told.launches.size(); ++i)
    CHECK(told.launches[i].id == trace::LaunchId{i + 1});
  CHECK(std::is_sorted(told.launches.begin(), told.launches.end(),
                       [](const auto &a, const auto &b) { return a.order < b.order; }));
}
