// The times that the CPU device gives to accesses, by the table at the head of access_clock.h.
#include "devicelib/cpu/runtime/access_clock.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace cupr::cpu;
using cupr::abi::LatencyScheme;
using cupr::abi::MemorySpace;

namespace {

std::uint32_t cycles(MemorySpace space, std::uint32_t bytes, std::uint32_t mask,
                     const std::function<std::uint64_t(unsigned)> &addressOf) {
  std::uint64_t address[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    address[lane] = mask >> lane & 1 ? addressOf(lane) : ~0ull;
  return modelledCycles(space, bytes, mask, address);
}

constexpr std::uint32_t kAll = 0xffffffffu;

auto every(std::uint64_t stride, std::uint64_t base = 1 << 20) {
  return [=](unsigned lane) { return base + stride * lane; };
}

} // namespace

TEST_CASE("global memory takes by sectors") {
  CHECK(cycles(MemorySpace::Global, 4, kAll, every(0)) == 300);
  CHECK(cycles(MemorySpace::Global, 4, kAll, every(4)) == 300 + 4 * 3);
  CHECK(cycles(MemorySpace::Global, 4, kAll, every(4, (1 << 20) + 4)) == 300 + 4 * 4);
  CHECK(cycles(MemorySpace::Global, 4, kAll, every(32)) == 300 + 4 * 31);
  CHECK(cycles(MemorySpace::Global, 16, kAll, every(16)) == 300 + 4 * 15);
  CHECK(cycles(MemorySpace::Global, 4, 0x00000101u, every(32)) == 300 + 4);
  CHECK(cycles(MemorySpace::Global, 255, kAll, every(256)) == 300 + 4 * (32 * 8 - 1));
}

TEST_CASE("shared memory takes by wavefronts") {
  CHECK(cycles(MemorySpace::Shared, 4, kAll, every(4, 0)) == 23);
  CHECK(cycles(MemorySpace::Shared, 4, kAll, every(0, 64)) == 23); // one word for all
  CHECK(cycles(MemorySpace::Shared, 4, kAll, every(8, 0)) == 23 + 2);
  CHECK(cycles(MemorySpace::Shared, 4, kAll, every(128, 0)) == 23 + 2 * 31);
  CHECK(cycles(MemorySpace::Shared, 4, kAll, every(132, 0)) == 23);
  CHECK(cycles(MemorySpace::Shared, 8, kAll, every(8, 0)) == 23 + 2);
  CHECK(cycles(MemorySpace::Shared, 1, kAll, every(1, 0)) == 23);
  CHECK(cycles(MemorySpace::Shared, 4, 1, every(128, 0)) == 23);
}

TEST_CASE("the other spaces") {
  CHECK(cycles(MemorySpace::Constant, 4, kAll, every(0)) == 30);
  CHECK(cycles(MemorySpace::Constant, 4, kAll, every(4)) == 30 + 4 * 31);
  CHECK(cycles(MemorySpace::Local, 4, kAll, every(4)) == 36);
  CHECK(cycles(MemorySpace::Texture, 4, kAll, every(0)) == 400);
}

TEST_CASE("a warp's clock goes on with its accesses, and each warp has its own") {
  AccessClock clock;
  clock.open();
  CHECK(clock.pass(0, 300, LatencyScheme::Dependency).began == 0);
  const AccessClock::Times second = clock.pass(0, 23, LatencyScheme::Fence);
  CHECK((second.began == 300 + kIssueCycles && second.duration == 23));
  CHECK(clock.pass(1, 23, LatencyScheme::Use).began == 0);
  // Who waits for nothing sees no more than the issue, and time goes on all the same.
  const AccessClock::Times naive = clock.pass(1, 300, LatencyScheme::Naive);
  CHECK((naive.began == 23 + kIssueCycles && naive.duration == kIssueCycles));
  CHECK(clock.pass(1, 300, LatencyScheme::Naive).began == 323 + 2 * kIssueCycles);
  clock.open();
  CHECK(clock.pass(1, 23, LatencyScheme::Use).began == 0);
}
