/// What is allocated: by calls, and found by looking for it.
#include "hostlib/runtime/session/memory_map.h"

#include <catch2/catch.hpp>

using namespace cupr;
using host::MemoryMap;
using trace::MemoryKind;

namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;

} // namespace

TEST_CASE("an address lies in what begins at or before it, up to its last byte") {
  MemoryMap map;
  CHECK(!map.isOfDevice(kBase));
  map.put(kBase, {256, MemoryKind::Device});
  map.put(kBase + 512, {256, MemoryKind::Host});
  CHECK(!map.isOfDevice(kBase - 1));
  CHECK(map.isOfDevice(kBase));
  CHECK(map.isOfDevice(kBase + 255));
  CHECK(!map.isOfDevice(kBase + 256)); // between the two
  CHECK(!map.isOfDevice(kBase + 512)); // the host's
  CHECK(map.isAllocatedByCall(kBase + 767));
  CHECK(!map.isAllocatedByCall(kBase + 768));
}

TEST_CASE("memory is removed once, and only where it begins") {
  MemoryMap map;
  map.put(kBase, {256, MemoryKind::Managed});
  CHECK(!map.remove(kBase + 16));
  CHECK(map.isOfDevice(kBase + 16));
  CHECK(map.remove(kBase));
  CHECK(!map.remove(kBase));
  CHECK(!map.isOfDevice(kBase));
}

TEST_CASE("put replaces what begins there, putNew does not") {
  MemoryMap map;
  CHECK(map.putNew(kBase, {64, MemoryKind::Symbol}));
  CHECK(!map.putNew(kBase, {256, MemoryKind::Symbol}));
  CHECK(!map.isOfDevice(kBase + 64));
  map.put(kBase, {256, MemoryKind::Device});
  CHECK(map.isOfDevice(kBase + 255));
}

TEST_CASE("found memory is not a call's, and ends where something else begins to be") {
  MemoryMap map;
  map.put(kBase, {256, MemoryKind::Device, true});
  map.put(kBase + 1024, {256, MemoryKind::Device, true});
  map.put(kBase + 2048, {256, MemoryKind::Device});
  CHECK(map.isOfDevice(kBase));
  CHECK(!map.isAllocatedByCall(kBase));
  CHECK(map.wasFound(kBase, 256));
  CHECK(!map.wasFound(kBase, 128)); // other memory, at the same address
  CHECK(!map.wasFound(kBase + 2048, 256));
  using Addresses = std::vector<std::uint64_t>;
  CHECK(map.outdatedBy(kBase + 255, 1) == Addresses{kBase});
  CHECK(map.outdatedBy(kBase + 256, 768).empty()); // between them
  CHECK(map.outdatedBy(kBase - 16, 2064) == Addresses{kBase, kBase + 1024});
  CHECK(map.outdatedBy(kBase + 2048, 256).empty()); // a call's stays
}

TEST_CASE("all of it can be had, for a child of fork") {
  MemoryMap map;
  map.put(kBase, {256, MemoryKind::Managed});
  const auto all = map.ifFree();
  REQUIRE(all);
  REQUIRE(all->size() == 1);
  CHECK(all->at(kBase).bytes == 256);
  CHECK(all->at(kBase).kind == MemoryKind::Managed);
}
