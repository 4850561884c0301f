/// Accesses of the host, from where code tells of them to the trace.
#include "hostlib/runtime/paths/host_accesses.h"

#include "devicelib/abi/host_access.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/paths/api_call.h"
#include "written_trace.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>

using namespace cupr;

namespace {

constexpr std::uint64_t kMemory = 0x10000, kBytes = 0x1000;

bool isWatched(std::uint64_t address) {
  const abi::WatchedMemory &watched = CUPR_VERSIONED(__cupr_watched_memory_v);
  return address - watched.begin < watched.bytes;
}

/// Memory of both that begins at kMemory, and an act that may run.
struct Watching {
  Watching() {
    accesses.watch(kMemory, kBytes);
    host::HostAccesses::makeCurrent(&accesses);
    order = 1;
    accesses.begun(0);
  }
  ~Watching() { host::HostAccesses::makeCurrent(nullptr); }

  __attribute__((noinline)) void note(std::uint64_t address, std::uint32_t flags = 0, std::uint64_t place = 7,
                                      std::uint64_t bytes = 4) {
    accesses.note({address, bytes, flags, place}, host::callersRegisters());
  }
  std::vector<trace::HostAccess> rows() {
    accesses.collect();
    return trace.read().host.accesses;
  }

  test::WrittenTrace trace;
  host::HostLog log{*trace.writer, 0};
  std::atomic<std::uint64_t> order{0};
  host::HostAccesses accesses{log, order};
};

} // namespace

TEST_CASE("the range is open while something may run, and holds what is watched") {
  Watching w;
  CHECK((isWatched(kMemory) && isWatched(kMemory + kBytes - 1) && !isWatched(kMemory + kBytes)));
  w.accesses.watch(0x40000, 16);
  CHECK(isWatched(0x4000f));
  w.accesses.forget(0x40000);
  CHECK_FALSE(isWatched(0x4000f));
  w.accesses.waitedFor(5); // another stream
  CHECK(isWatched(kMemory));
  w.accesses.waitedFor(0);
  CHECK_FALSE(isWatched(kMemory));
  w.accesses.begun(0);
  w.accesses.begun(5);
  w.accesses.waitedFor(0); // of two streams one
  CHECK(isWatched(kMemory));
  w.accesses.waitedForAll();
  CHECK_FALSE(isWatched(kMemory));
}

TEST_CASE("a loop is one row, and each place, direction and gap between calls its own") {
  Watching w;
  for (std::uint64_t i = 0; i < kBytes / 4; ++i)
    w.note(kMemory + 4 * i);
  w.note(kMemory, abi::kHostWrites);
  w.note(kMemory, abi::kHostStrong, 8);
  w.order = 2;
  w.note(kMemory + 8);
  const std::vector<trace::HostAccess> rows = w.rows();
  REQUIRE(rows.size() == 4);
  CHECK((rows[0].elements == kBytes / 4 && rows[0].stride == 4 && rows[0].after == 1 && !rows[0].writes));
  CHECK((rows[1].writes && rows[1].elements == 1 && !rows[1].isStrong));
  CHECK((rows[2].isStrong && rows[2].place == 8));
  CHECK((rows[3].after == 2 && rows[3].address == kMemory + 8));
  CHECK(rows[0].node != trace::kNoHostIndex);
}

TEST_CASE(
    "what lies between allocations, in calls, in the tracer, or behind what the host may know is left out") {
  Watching w;
  w.accesses.watch(0x40000, 16);
  w.note(0x30000);
  w.note(0x3fffe); // it reaches in
  {
    const host::InRuntime inRuntime;
    w.note(kMemory);
  }
  {
    const host::ApiCall call;
    w.note(kMemory);
  }
  w.accesses.mayHaveWaited();
  w.note(kMemory);
  w.order = 2;
  w.note(kMemory + 4);
  w.accesses.mayKnowOfAll();
  w.accesses.mayHaveWaited(); // says less
  w.order = 3;
  w.note(kMemory + 8);
  const std::vector<trace::HostAccess> rows = w.rows();
  REQUIRE(rows.size() == 2);
  CHECK((rows[0].address == 0x3fffe && rows[0].since == 0));
  CHECK((rows[1].address == kMemory + 4 && rows[1].since == 1 && rows[1].after == 2));
}

TEST_CASE("places take turns, and each stays one row") {
  Watching w;
  for (std::uint64_t i = 0; i < 50; ++i)
    for (std::uint64_t place = 1; place <= 100; ++place)
      w.note(kMemory + 4 * i, 0, place * 0x9e3779b97f4a7c15u);
  const std::vector<trace::HostAccess> rows = w.rows();
  CHECK(rows.size() == 100);
  for (const trace::HostAccess &row : rows)
    CHECK(row.elements == 50);
}

TEST_CASE("threads have rows of their own, also those that have ended") {
  Watching w;
  std::array<std::thread, 8> threads;
  for (std::size_t t = 0; t < threads.size(); ++t)
    threads[t] = std::thread([&w, t] {
      for (std::uint64_t i = 0; i < 64; ++i)
        w.note(kMemory + 512 * t + 4 * i, abi::kHostWrites);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::uint64_t times = 0;
  for (const trace::HostAccess &row : w.rows()) {
    CHECK((row.elements == row.times && row.writes));
    times += row.times;
  }
  CHECK(times == 8 * 64);
}

TEST_CASE(
    "addresses without a rule are left out when there are many, and no place takes another one's room") {
  Watching w;
  for (std::uint64_t i = 0; i < 1000; ++i)
    w.note(kMemory + i * i % (kBytes - 4), 0, 1);
  w.note(kMemory, abi::kHostWrites, 2);
  const std::vector<trace::HostAccess> rows = w.rows();
  CHECK(rows.size() <= 65);
  CHECK(rows.back().place == 2);
}
