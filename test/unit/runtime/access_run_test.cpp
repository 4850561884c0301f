/// Runs of accesses hold what they were given, and nothing else.
#include "hostlib/runtime/paths/access_run.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

using namespace cupr;

namespace {

host::AccessRun runOf(const std::vector<std::uint64_t> &addresses, std::uint64_t bytes) {
  host::AccessRun run(addresses.front(), bytes);
  for (std::size_t i = 1; i < addresses.size(); ++i)
    REQUIRE(run.take(addresses[i], bytes));
  return run;
}

std::set<std::uint64_t> addressesOf(const host::AccessRun &run) {
  std::set<std::uint64_t> all;
  for (std::uint64_t i = 0; i < run.elements(); ++i)
    all.insert(run.begin() + i * run.stride());
  return all;
}

} // namespace

TEST_CASE("a loop is one run, up, down, and with gaps") {
  host::AccessRun up(0x1000, 4);
  for (std::uint64_t i = 1; i < 1'000'000; ++i)
    REQUIRE(up.take(0x1000 + 4 * i, 4));
  CHECK((up.begin() == 0x1000 && up.stride() == 4 && up.elements() == 1'000'000 && up.times() == 1'000'000));
  const host::AccessRun down = runOf({0x1020, 0x1018, 0x1010}, 4);
  CHECK((down.begin() == 0x1010 && down.stride() == 8 && down.elements() == 3));
}

TEST_CASE("what a run holds already is counted") {
  host::AccessRun run = runOf({0x1000, 0x1008, 0x1010, 0x1008, 0x1000, 0x1010}, 4);
  CHECK((run.elements() == 3 && run.times() == 6));
  CHECK(run.take(0x1018, 4)); // it goes on where it was
  CHECK(run.elements() == 4);
  const host::AccessRun one = runOf({0x1000, 0x1000, 0x1000}, 4);
  CHECK((one.elements() == 1 && one.stride() == 0 && one.times() == 3));
}

TEST_CASE("what lies in a gap, overlaps, is of another size or far away is another run's") {
  host::AccessRun run = runOf({0x1000, 0x1008, 0x1010}, 4);
  const auto same = [&] { return run.elements() == 3 && run.times() == 3 && run.stride() == 8; };
  for (const std::uint64_t address : {0x1004u, 0x0ff8u, 0x1020u, 0x1009u})
    CHECK_FALSE(run.take(address, 4));
  CHECK_FALSE(run.take(0x1018, 8));
  CHECK(same());
  host::AccessRun one(0x1000, 8);
  CHECK_FALSE(one.take(0x1004, 8));
  CHECK_FALSE(one.take(0x1000 + (1u << 30), 8));
  CHECK((one.elements() == 1 && one.times() == 1));
}

TEST_CASE("runs of any addresses hold these and no others") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t bytes = 1u << random() % 4;
    std::vector<host::AccessRun> runs;
    std::set<std::uint64_t> given;
    std::uint64_t times = 0, address = 0x1000 + random() % 64;
    for (int i = 0; i < 40; ++i, ++times) {
      address = random() % 3 == 0 ? 0x1000 + random() % 64 : address + bytes * (1 + round % 3);
      given.insert(address);
      if (runs.empty() || !runs.back().take(address, bytes))
        runs.emplace_back(address, bytes);
    }
    std::set<std::uint64_t> held;
    for (const host::AccessRun &run : runs) {
      held.merge(addressesOf(run));
      times -= run.times();
      CHECK((run.elements() == 1) == (run.stride() == 0));
      CHECK(run.times() >= run.elements());
    }
    CHECK(held == given);
    CHECK(times == 0);
  }
}
