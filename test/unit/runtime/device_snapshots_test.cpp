/// What memory snapshots take, what they ask of the device, and what becomes of failures. Whether they are right is seen in
/// test/stress.
#include "fake_gpu.h"
#include "hostlib/runtime/snapshots/device_snapshots.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using namespace cupr;
using namespace cupr::host;

namespace {

constexpr std::uint64_t kSnapped = 0x7f0000000000, kPiece = abi::kPieceBytes;

/// What the driver was asked for, since the GPU was made.
struct Asked {
  std::size_t hostBytes = 0, deviceBytes = 0;
  unsigned modules = 0;
  bool hasDeviceMemory = true;
  std::function<void()> whileAllocating = [] {};
} asked;

/// A GPU whose snapshot kernel writes what the test says, and snapshots on it.
struct SnapshotParts {
  SnapshotParts() {
    asked = {};
    host::Driver &driver = test::currentFakeDevice().driver;
    static const auto hostAlloc = driver.cuMemHostAlloc;
    static const auto deviceAlloc = driver.cuMemAlloc;
    driver.cuMemHostAlloc = [](void **address, std::size_t bytes, unsigned flags) {
      asked.hostBytes += bytes;
      asked.whileAllocating();
      return hostAlloc(address, bytes, flags);
    };
    driver.cuMemAlloc = [](CUdeviceptr *address, std::size_t bytes) {
      asked.deviceBytes += bytes;
      asked.whileAllocating();
      return asked.hasDeviceMemory ? deviceAlloc(address, bytes) : CUDA_ERROR_OUT_OF_MEMORY;
    };
    driver.cuModuleLoadData = [](CUmodule *, const void *) {
      ++asked.modules;
      return CUDA_SUCCESS;
    };
    gpu.snapshot = [this](const abi::SnapshotArgument &argument, unsigned blocks) {
      launches.push_back(argument);
      launchedBlocks.push_back(blocks);
      for (std::uint32_t piece = 0; isRunning && piece < argument.pieceCount; ++piece)
        argument.digests[piece] = {launches.size() == changedBy ? 1u : 0u, piece};
      return result;
    };
  }

  DeviceSnapshots::Pending begin(std::vector<MemoryRegion> regions) {
    return snapshots.begin(nullptr, regions);
  }
  /// The table of the launch's first region.
  const void *tableOf(const MemoryRegion &region) {
    const DeviceSnapshots::Pending pending = begin({region});
    snapshots.give(pending);
    return launches.back().regions[0].known;
  }

  test::FakeGpu &gpu = test::newFakeGpu();
  std::vector<abi::SnapshotArgument> launches;
  std::vector<unsigned> launchedBlocks;
  bool isRunning = true;
  std::size_t changedBy = 0; ///< the launch, from 1, that finds something else
  CUresult result = CUDA_SUCCESS;
  std::vector<std::vector<unsigned char>> stored;
  DeviceSnapshots snapshots{test::currentFakeDevice().driver,
                            [this](const PieceDigest &, const void *bytes, std::size_t size) {
                              const auto *const first = static_cast<const unsigned char *>(bytes);
                              stored.emplace_back(first, first + size);
                            }};
};

} // namespace

TEST_CASE("snapshots take no memory before the first launch that needs them") {
  SnapshotParts parts;
  CHECK_FALSE(parts.snapshots.drain());
  CHECK(asked.hostBytes + asked.deviceBytes + asked.modules == 0);
  REQUIRE(parts.begin({{kSnapped, 10}}));
  CHECK(asked.modules == 1);
  CHECK(asked.hostBytes >= DeviceSnapshots::kRingBytes);
  CHECK(asked.hostBytes < DeviceSnapshots::kRingBytes + (2u << 20));
  CHECK_FALSE(parts.snapshots.drain());
}

TEST_CASE("a snapshot looks at each piece before the kernel and behind it") {
  SnapshotParts parts;
  const auto pending = parts.begin(
      {{kSnapped, 2 * kPiece + 1}, {kSnapped + 8 * kPiece, kPiece}, {kSnapped, 0}, {kSnapped + 1, 1}});
  REQUIRE(pending);
  REQUIRE(parts.snapshots.finish(nullptr, pending));
  REQUIRE(parts.launches.size() == 2);
  const abi::SnapshotArgument &before = parts.launches[0], &behind = parts.launches[1];
  CHECK(before.brings);
  CHECK_FALSE(behind.brings);
  CHECK(before.digests != behind.digests);
  CHECK(before.regionCount == 4);
  CHECK(before.pieceCount == 5);
  CHECK(before.regions[1].memory == reinterpret_cast<const unsigned char *>(kSnapped + 8 * kPiece));
  CHECK(before.regions[1].bytes == kPiece);
  CHECK(before.regions[1].firstPiece == 3);
  CHECK(before.regions[3].firstPiece == 4);
  CHECK(before.regions[0].known != before.regions[1].known);
  CHECK(parts.launchedBlocks == std::vector<unsigned>{4, 4}); // two for each multiprocessor
  const auto result = parts.snapshots.result(pending);
  REQUIRE(result);
  CHECK(*result == std::vector<std::vector<PieceDigest>>{{{0, 0}, {0, 1}, {0, 2}}, {{0, 3}}, {}, {{0, 4}}});
}

TEST_CASE("small regions get few blocks, no regions none, and many several launches") {
  SnapshotParts parts;
  REQUIRE(parts.begin({{kSnapped, 64}}));
  CHECK(parts.launchedBlocks == std::vector<unsigned>{1});
  const auto none = parts.begin({});
  REQUIRE(none);
  REQUIRE(parts.snapshots.finish(nullptr, none));
  CHECK(parts.launches.size() == 1);
  CHECK(parts.snapshots.result(none)->empty());

  std::vector<MemoryRegion> regions;
  for (std::uint64_t i = 0; i < abi::kSnapshotRegions + 3; ++i)
    regions.push_back({kSnapped + i * 4 * kPiece, 2 * kPiece});
  const auto many = parts.begin(regions);
  REQUIRE(many);
  REQUIRE(parts.launches.size() == 3);
  CHECK(parts.launches[1].regionCount == abi::kSnapshotRegions);
  CHECK(parts.launches[2].regionCount == 3);
  CHECK(parts.launches[2].regions[0].firstPiece == 0);
  CHECK(parts.launches[2].digests == parts.launches[1].digests + 2 * abi::kSnapshotRegions);
  REQUIRE(parts.snapshots.finish(nullptr, many));
  CHECK(parts.snapshots.result(many)->size() == regions.size());
}

TEST_CASE("memory that has changed has no snapshot") {
  for (const std::size_t changedBy : {1u, 2u, 3u}) {
    SnapshotParts parts;
    parts.changedBy = changedBy;
    const auto pending = parts.begin({{kSnapped, kPiece}});
    REQUIRE(parts.snapshots.finish(nullptr, pending));
    CHECK(parts.snapshots.result(pending).has_value() == (changedBy == 3));
  }
}

TEST_CASE("pieces are handed over in any order, and their slots are free then") {
  SnapshotParts parts;
  REQUIRE(parts.begin({{kSnapped, kPiece}}));
  const abi::SnapshotRing ring = parts.launches[0].ring;
  const auto publish = [&](unsigned slot, unsigned char value, unsigned bytes) {
    std::memset(ring.pieces + slot * (kPiece / abi::kVectorBytes), value, bytes);
    ring.slots[slot].bytes = bytes;
    ++ring.slots[slot].published;
  };
  publish(1, 7, kPiece);
  publish(abi::kSnapshotSlots - 1, 9, 3);
  CHECK(parts.snapshots.drain());
  CHECK(parts.stored ==
        std::vector<std::vector<unsigned char>>{std::vector<unsigned char>(kPiece, 7), {9, 9, 9}});
  CHECK(ring.freed[0] == 0);
  CHECK(ring.freed[1] == 1);
  CHECK(ring.freed[abi::kSnapshotSlots - 1] == 1);
  CHECK_FALSE(parts.snapshots.drain());
  publish(1, 8, 1);
  CHECK(parts.snapshots.drain());
  CHECK(parts.stored.back() == std::vector<unsigned char>{8});
  CHECK(ring.freed[1] == 2);
}

TEST_CASE("arrays of digests and tables are used again") {
  SnapshotParts parts;
  const void *const first = parts.tableOf({kSnapped, 40 * kPiece});
  const Asked before = asked;
  for (unsigned i = 0; i < 100; ++i)
    CHECK(parts.tableOf({kSnapped, 40 * kPiece}) == first);
  CHECK(parts.tableOf({kSnapped, 35 * kPiece}) == first);
  CHECK(asked.hostBytes == before.hostBytes);
  CHECK(asked.deviceBytes == before.deviceBytes);
  // A region that has grown needs another table, and leaves its own to others.
  CHECK(parts.tableOf({kSnapped, 400 * kPiece}) != first);
  CHECK(parts.tableOf({kSnapped + 400 * kPiece, 40 * kPiece}) == first);
  // Launches that are open have arrays of their own.
  const auto one = parts.begin({{kSnapped, kPiece}}), other = parts.begin({{kSnapped, kPiece}});
  CHECK(one.arrays.before != other.arrays.before);
}

TEST_CASE("tables take no more memory than they may: who was not used for long gives its own") {
  SnapshotParts parts;
  parts.isRunning = false;
  constexpr std::uint64_t kRegion = std::uint64_t{4} << 30; // whose table takes 1 MiB
  std::vector<const void *> tables;
  for (std::uint64_t i = 0; i < 16; ++i)
    tables.push_back(parts.tableOf({kSnapped + i * kRegion, kRegion}));
  CHECK(std::set<const void *>(tables.begin(), tables.end()).size() == 16);
  CHECK(parts.tableOf({kSnapped, kRegion}) == tables[0]); // the second one's use is the longest ago now
  CHECK(parts.tableOf({kSnapped + 16 * kRegion, kRegion}) == tables[1]);
  CHECK(parts.tableOf({kSnapped + kRegion, kRegion}) == tables[2]);
  CHECK(asked.deviceBytes <= DeviceSnapshots::kMostKnownBytes + 64);
  // There is none for a region that is larger than all of them.
  CHECK_FALSE(parts.begin({{kSnapped, 17 * kRegion}}));
}

TEST_CASE("digests take no more memory than they may") {
  SnapshotParts parts;
  parts.isRunning = false;
  std::vector<DeviceSnapshots::Pending> open;
  while (open.size() < 1000) {
    open.push_back(parts.begin({{kSnapped, std::uint64_t{4} << 30}}));
    if (!open.back())
      break;
  }
  CHECK(open.size() == 33); // of 2 MiB each
  CHECK(asked.hostBytes < DeviceSnapshots::kRingBytes + DeviceSnapshots::kMostDigestBytes + 65536);
  parts.snapshots.give(open.front());
  CHECK(parts.begin({{kSnapped, std::uint64_t{4} << 30}}));
}

TEST_CASE("who ends launches does not wait for who makes memory for one") {
  SnapshotParts parts;
  unsigned calls = 0;
  DeviceSnapshots::Pending over;
  // The driver waits for the keeper's thread.
  asked.whileAllocating = [&] {
    std::thread([&] {
      parts.snapshots.drain();
      if (over)
        parts.snapshots.give(std::exchange(over, {}));
      ++calls;
    }).join();
  };
  over = parts.begin({{kSnapped, kPiece}});
  REQUIRE(over);
  CHECK(calls == 4); // tickets, the ring, tables, arrays
  CHECK(parts.begin({{kSnapped, std::uint64_t{4} << 30}}));
  CHECK(calls == 6);
}

TEST_CASE("without memory there is no snapshot, and the device is not asked again for the ring") {
  SnapshotParts parts;
  SECTION("pinned memory") { parts.gpu.hasMemory = false; }
  SECTION("device memory") { asked.hasDeviceMemory = false; }
  CHECK_FALSE(parts.begin({{kSnapped, kPiece}}));
  const Asked before = asked;
  parts.gpu.hasMemory = asked.hasDeviceMemory = true;
  CHECK_FALSE(parts.begin({{kSnapped, kPiece}}));
  CHECK(asked.hostBytes == before.hostBytes);
  CHECK(asked.deviceBytes == before.deviceBytes);
  CHECK(parts.launches.empty());
  CHECK_FALSE(parts.snapshots.drain());
}

TEST_CASE("memory that comes to an end later ends those snapshots that need more") {
  SnapshotParts parts;
  REQUIRE(parts.begin({{kSnapped, kPiece}}));
  parts.gpu.hasMemory = false;
  CHECK(parts.begin({{kSnapped, kPiece}}));
  CHECK_FALSE(parts.begin({{kSnapped, 100 * kPiece}})); // arrays of another size
  parts.gpu.hasMemory = true;
  asked.hasDeviceMemory = false;
  CHECK(parts.begin({{kSnapped, 100 * kPiece}}));
  CHECK_FALSE(parts.begin({{kSnapped, 100000 * kPiece}}));
  CHECK(parts.begin({{kSnapped, kPiece}}));
}

TEST_CASE("a launch of the snapshot kernel that fails leaves no snapshot") {
  SnapshotParts parts;
  const auto pending = parts.begin({{kSnapped, kPiece}});
  REQUIRE(pending);
  parts.result = CUDA_ERROR_LAUNCH_FAILED;
  CHECK_FALSE(parts.snapshots.finish(nullptr, pending));
  CHECK_FALSE(parts.begin({{kSnapped, kPiece}}));
  parts.result = CUDA_SUCCESS;
  CHECK(parts.begin({{kSnapped, kPiece}}));
}
