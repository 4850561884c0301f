/// Code of the host against work that it has not waited for, in traces that are made by hand.
#include "check_scene.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace check_test {
namespace {

constexpr std::uint64_t kShared = 0x50000;

trace::WriterOptions withHostAccesses() {
  trace::WriterOptions options;
  options.hasHostAccesses = true;
  return options;
}

struct HostScene : Scene {
  HostScene() : Scene("gpu", withHostAccesses()) {
    trace.allocate(kShared, 0x1000, trace::MemoryKind::Managed);
    trace.set(kShared, 0x1000);
    trace.synchronise(trace::Synchronisation::Kind::Device);
    trace::HostBatch batch;
    batch.threads = {{1, "main"}};
    trace.writer->host(batch);
  }
  void launchOf(std::uint32_t site, std::uint64_t place = kShared) {
    make(site, 0, 0, place);
    launch();
  }
  trace::HostAccess access(std::uint64_t address = kShared) const {
    trace::HostAccess made;
    made.address = address;
    made.bytes = 4;
    made.after = trace.order();
    return made;
  }
  void tell(const trace::HostAccess &access) {
    trace::HostBatch batch;
    batch.accesses = {access};
    trace.writer->host(batch);
  }
};

Rules rulesOf(HostScene &scene) {
  Rules rules;
  for (const Fault &fault : scene.faults())
    rules.push_back(fault.rule);
  return rules;
}

const Rules kRace{FaultRule::RaceHost};

} // namespace

TEST_CASE(
    "the host reads what a launch writes: before it has waited, and not before the launch or behind a wait") {
  HostScene before, behind, late;
  const trace::HostAccess early = before.access();
  before.launchOf(before.store);
  before.tell(early);
  CHECK(rulesOf(before).empty());

  behind.launchOf(behind.store);
  behind.tell(behind.access());
  const std::vector<Fault> found = behind.faults();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == FaultRule::RaceHost);
  CHECK((found[0].address == kShared && found[0].other && found[0].other->site == behind.store));
  CHECK(found[0].allocation == 2u);

  late.launchOf(late.store);
  late.trace.synchronise(trace::Synchronisation::Kind::Device); // and no act comes behind
  late.tell(late.access());
  CHECK(rulesOf(late).empty());
}

TEST_CASE("who reads meets who writes alone") {
  HostScene reads, writes;
  reads.launchOf(reads.load);
  reads.tell(reads.access());
  CHECK(rulesOf(reads).empty());
  writes.launchOf(writes.load);
  trace::HostAccess access = writes.access();
  access.writes = true;
  writes.tell(access);
  CHECK(rulesOf(writes) == kRace);
}

TEST_CASE("rows are as exact as they say") {
  const auto found = [](std::uint64_t from, std::uint64_t bytes, std::uint64_t stride,
                        std::uint64_t elements) {
    HostScene scene;
    scene.words.strided(scene.store, 0, 0, kShared + 0x404, 8, kAll); // every other word
    scene.launch();
    trace::HostAccess access = scene.access(kShared + from);
    access.bytes = bytes;
    access.stride = stride;
    access.elements = access.times = elements;
    scene.tell(access);
    return !rulesOf(scene).empty();
  };
  CHECK_FALSE(found(0x400, 4, 8, 32)); // the words in between
  CHECK(found(0x404, 4, 8, 32));
  CHECK(found(0x400, 4, 4, 64));       // all
  CHECK_FALSE(found(0x500, 4, 4, 64)); // behind
  CHECK(found(0, 0x405, 0, 1));        // one byte of the first
  CHECK_FALSE(found(0, 0x404, 0, 1));
  CHECK(found(0x4, 4, 0x400, 2));       // over pages
  CHECK_FALSE(found(0x0, 4, 0x400, 4)); // likewise, between
}

TEST_CASE("what the host may know of is left out") {
  HostScene since;
  since.launchOf(since.store);
  trace::HostAccess access = since.access();
  access.since = since.trace.order();
  since.tell(access);
  CHECK(rulesOf(since).empty());

  // The launch that is behind what it may know of is not.
  HostScene other;
  other.launchOf(other.store);
  const std::uint64_t known = other.trace.order();
  other.launchOf(other.store, kShared + 0x800);
  access = other.access(kShared + 0x800);
  access.since = known;
  other.tell(access);
  CHECK(rulesOf(other) == kRace);
}

TEST_CASE("a look at what the launch counts up tells of it, and of what is before it") {
  const auto found = [](bool isStrong, bool looksAtCount) {
    HostScene scene;
    scene.launchOf(scene.store); // of the same stream
    scene.make(scene.store, 0, 0, kShared + 0x100);
    scene.make(scene.atomic, 0, 0, kShared + 0x200);
    scene.launch();
    if (looksAtCount) {
      trace::HostAccess look = scene.access(kShared + 0x200);
      look.isStrong = isStrong;
      scene.tell(look);
    }
    scene.tell(scene.access());
    scene.tell(scene.access(kShared + 0x100));
    return rulesOf(scene);
  };
  CHECK(found(true, true).empty());
  CHECK(found(false, true) == Rules(3, FaultRule::RaceHost)); // a plain one, too, is a race
  CHECK(found(true, false) == Rules(2, FaultRule::RaceHost));
}

TEST_CASE(
    "a launch that writes for the whole system may tell of itself, and one behind a fence of the system") {
  const auto found = [](bool tells) {
    HostScene scene;
    scene.launchOf(scene.store);
    if (tells)
      scene.launchOf(scene.systemStore, kShared + 0x200);
    scene.tell(scene.access());
    return rulesOf(scene);
  };
  CHECK(found(true).empty());
  CHECK(found(false) == kRace);
}

TEST_CASE("of copies and sets, those that say that they are asynchronous count") {
  const auto found = [](bool isAsynchronous, bool waits, std::uint64_t stream = 7) {
    HostScene scene;
    scene.trace.stream(7, trace::StreamKind::NonBlocking);
    scene.trace.copy(trace::CopyKind::DeviceToDevice, kShared, kData, 0x100, isAsynchronous);
    scene.trace.stream(stream, trace::StreamKind::NonBlocking);
    if (waits)
      scene.trace.synchronise(trace::Synchronisation::Kind::Stream);
    scene.tell(scene.access());
    return rulesOf(scene);
  };
  CHECK(found(true, false) == kRace);
  CHECK(found(true, true).empty());
  CHECK(found(true, true, 8) == kRace);
  CHECK(found(false, false).empty());
}

TEST_CASE("events are worth what was before them") {
  const auto found = [](bool isBehind) {
    HostScene scene;
    scene.trace.stream(7, trace::StreamKind::NonBlocking);
    if (!isBehind)
      scene.trace.synchronise(trace::Synchronisation::Kind::EventRecord, 3);
    scene.launchOf(scene.store);
    if (isBehind)
      scene.trace.synchronise(trace::Synchronisation::Kind::EventRecord, 3);
    scene.trace.synchronise(trace::Synchronisation::Kind::Event, 3);
    scene.tell(scene.access());
    return rulesOf(scene);
  };
  CHECK(found(true).empty());
  CHECK(found(false) == kRace);
}

TEST_CASE("memory that is freed or of the device alone is none of the host's") {
  HostScene freed;
  freed.launchOf(freed.store);
  freed.trace.free(kShared);
  freed.tell(freed.access());
  CHECK(rulesOf(freed).empty());
  HostScene device;
  device.launchOf(device.store, kData);
  device.tell(device.access(kData));
  CHECK(rulesOf(device).empty());
}

TEST_CASE("places of the code are one fault, whatever the launch") {
  HostScene scene;
  for (int round = 0; round < 3; ++round) {
    scene.launchOf(scene.store);
    trace::HostAccess access = scene.access();
    access.place = 9;
    scene.tell(access);
    scene.trace.synchronise(trace::Synchronisation::Kind::Device);
  }
  const std::vector<Fault> found = scene.faults();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 3);
}

TEST_CASE("a trace that grows says the same, also where the host waits before the next act") {
  const auto facts = [](bool waitsFirst) {
    HostScene scene;
    Model model(scene.file.path(), Growing{});
    GrowingCheck growing(model, {.threads = 1});
    std::size_t found = 0;
    const auto look = [&](Growth growth) {
      scene.trace.writer->flush();
      model.readOn(growth);
      for (const Fault &fault : growing.extend(growth))
        found += fault.rule == FaultRule::RaceHost;
    };
    scene.launchOf(scene.store);
    look(Growth::GoesOn);
    const trace::HostAccess access = scene.access();
    scene.trace.synchronise(trace::Synchronisation::Kind::Device);
    scene.tell(waitsFirst ? scene.access() : access);
    scene.launchOf(scene.load);
    look(Growth::GoesOn);
    scene.trace.writer->finish();
    look(Growth::Over);
    return found;
  };
  CHECK(facts(false) == 1);
  CHECK(facts(true) == 0);
}

} // namespace check_test
