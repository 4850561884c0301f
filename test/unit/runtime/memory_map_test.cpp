/// What is allocated: by calls, and found by looking for it.
#include "hostlib/runtime/session/memory_map.h"

#include <catch2/catch.hpp>

using namespace cupr;
using host::MemoryMap;
using trace::MemoryKind;

namespace {

constexpr std::uint64_t kMapped = 0x7f0000000000;

} // namespace

TEST_CASE("an address lies in what begins at or before it, up to its last byte") {
  MemoryMap map;
  CHECK(!map.isOfDevice(kMapped));
  map.put(kMapped, {256, MemoryKind::Device});
  map.put(kMapped + 512, {256, MemoryKind::Host});
  CHECK(!map.isOfDevice(kMapped - 1));
  CHECK(map.isOfDevice(kMapped));
  CHECK(map.isOfDevice(kMapped + 255));
  CHECK(!map.isOfDevice(kMapped + 256)); // between the two
  CHECK(!map.isOfDevice(kMapped + 512)); // the host's
  CHECK(map.isAllocatedByCall(kMapped + 767));
  CHECK(!map.isAllocatedByCall(kMapped + 768));
}

TEST_CASE("memory is removed once, and only where it begins") {
  MemoryMap map;
  map.put(kMapped, {256, MemoryKind::Managed});
  CHECK(!map.remove(kMapped + 16));
  CHECK(map.isOfDevice(kMapped + 16));
  CHECK(map.remove(kMapped));
  CHECK(!map.remove(kMapped));
  CHECK(!map.isOfDevice(kMapped));
}

TEST_CASE("put replaces what begins there, putNew does not") {
  MemoryMap map;
  CHECK(map.putNew(kMapped, {64, MemoryKind::Symbol}));
  CHECK(!map.putNew(kMapped, {256, MemoryKind::Symbol}));
  CHECK(!map.isOfDevice(kMapped + 64));
  map.put(kMapped, {256, MemoryKind::Device});
  CHECK(map.isOfDevice(kMapped + 255));
}

TEST_CASE("found memory is not a call's, and ends where something else begins to be") {
  MemoryMap map;
  map.put(kMapped, {256, MemoryKind::Device, true});
  map.put(kMapped + 1024, {256, MemoryKind::Device, true});
  map.put(kMapped + 2048, {256, MemoryKind::Device});
  CHECK(map.isOfDevice(kMapped));
  CHECK(!map.isAllocatedByCall(kMapped));
  CHECK(map.wasFound(kMapped, 256));
  CHECK(!map.wasFound(kMapped, 128)); // other memory, at the same address
  CHECK(!map.wasFound(kMapped + 2048, 256));
  using Addresses = std::vector<std::uint64_t>;
  CHECK(map.outdatedBy(kMapped + 255, 1) == Addresses{kMapped});
  CHECK(map.outdatedBy(kMapped + 256, 768).empty()); // between them
  CHECK(map.outdatedBy(kMapped - 16, 2064) == Addresses{kMapped, kMapped + 1024});
  CHECK(map.outdatedBy(kMapped + 2048, 256).empty()); // a call's stays
}

TEST_CASE("all of it can be had, for a child of fork") {
  MemoryMap map;
  map.put(kMapped, {256, MemoryKind::Managed});
  const auto all = map.ifFree();
  REQUIRE(all);
  REQUIRE(all->size() == 1);
  CHECK(all->at(kMapped).bytes == 256);
  CHECK(all->at(kMapped).kind == MemoryKind::Managed);
}
