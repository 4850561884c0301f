/// Where requests meet, of tallies that are told of a few of them.
#include "analysis/engine/address_tally.h"

#include <catch2/catch.hpp>

namespace address_tally_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kBase = 0x10000;

/// One request of `block` for `count` words from `begin` on, of as many threads.
void add(AddressTally &tally, std::uint64_t block, std::uint64_t begin, std::uint32_t count = 1) {
  const AccessRun run{begin, 4, count, 1};
  tally.add(block, {&run, 1});
}

} // namespace

TEST_CASE("a counter of all blocks would leave one access for each block") {
  AddressTally tally;
  for (std::uint64_t block = 0; block < 10; ++block)
    for (int warp = 0; warp < 8; ++warp)
      add(tally, block, kBase);
  CHECK(tally.sum(10) == MeetingVolume{80, 80, 1, 10, 80, 0, 0});
}

TEST_CASE("counters of single blocks lie beside each other in sectors, or alone") {
  AddressTally tally;
  for (std::uint64_t block = 0; block < 12; ++block)
    for (int warp = 0; warp < 5; ++warp)
      add(tally, block, kBase + 4 * block);
  // Eight of a sector, and four of the next.
  CHECK(tally.sum(12) == MeetingVolume{60, 60, 12, 12, 40, 12, 60});
  AddressTally apart;
  for (std::uint64_t block = 0; block < 12; ++block)
    add(apart, block, kBase + 32 * block);
  CHECK(apart.sum(12) == MeetingVolume{12, 12, 12, 12, 1, 0, 0});
}

TEST_CASE("a request takes one turn of each sector that it comes to") {
  AddressTally tally;
  add(tally, 0, kBase + 16, 8);
  add(tally, 1, kBase + 16, 8);
  CHECK(tally.sum(2) == MeetingVolume{16, 4, 8, 16, 2, 0, 0});
}

TEST_CASE("tallies of parts of a launch are that of the whole") {
  AddressTally whole, parts[2];
  for (std::uint64_t block = 0; block < 9; ++block) {
    add(whole, block, kBase + 4 * (block % 4), 3);
    add(parts[block % 2], block, kBase + 4 * (block % 4), 3);
  }
  parts[0].add(parts[1]);
  CHECK(parts[0].sum(9) == whole.sum(9));
}

TEST_CASE("addresses of several launches are counted once, while they are few") {
  MeetingPlaces places;
  MeetingVolume sum;
  for (std::uint64_t launch = 0; launch < 5; ++launch) {
    AddressTally tally;
    for (std::uint64_t block = 0; block < 3; ++block) {
      add(tally, block, kBase);
      add(tally, block, kBase + 64 + 4 * block);
    }
    sum.add(tally.sum(3, places), 1);
  }
  CHECK(sum.places == 5 * 4);
  CHECK(places.all.size() == 4);
  CHECK(places.beside.size() == 3);
  FewAddresses many;
  for (std::uint64_t i = 0; i < FewAddresses::kMost; ++i)
    many.add(kBase + 4 * i);
  CHECK(!many.isMany());
  CHECK(many.size() == FewAddresses::kMost);
  many.add(places.all);
  CHECK(!many.isMany());
  many.add(kBase - 4);
  CHECK(many.isMany());
  places.all.add(many);
  CHECK(places.all.isMany());
}

TEST_CASE("a tally of too many addresses says nothing, whatever else is added") {
  AddressTally tally, other;
  for (std::uint64_t i = 0; i < AddressTally::kMost; ++i)
    add(tally, 0, kBase + 4 * i);
  CHECK(!tally.isMany());
  CHECK(tally.sum(1).places == AddressTally::kMost);
  add(other, 0, kBase - 4);
  other.add(tally);
  CHECK(other.isMany());
  CHECK(other.sum(1) == MeetingVolume());
  tally.add(other);
  add(tally, 0, kBase);
  CHECK(tally.isMany());
}

} // namespace address_tally_test
