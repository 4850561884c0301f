/// Requests and sectors, where the machine makes several of one access: figures that arithmetic gives.
#include "analysis/engine/communication.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace requests_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kBase = 0x10000;
constexpr std::uint16_t kNotKnown = 0;

constexpr std::uint16_t partsOf(unsigned log2) {
  return static_cast<std::uint16_t>((log2 + 1) << abi::kSitePartShift);
}
constexpr auto kWhole = static_cast<std::uint16_t>(abi::kSiteWhole << abi::kSitePartShift);

struct Figures {
  std::uint64_t requests, sectors, leastSectors;
  friend bool operator==(const Figures &, const Figures &) = default;
};

/// Of one warp's load of `bytes` by each thread, `stride` bytes from thread to thread.
Figures figuresOf(std::uint32_t bytes, std::int64_t stride, std::uint16_t flags = kNotKnown,
                  std::uint64_t base = kBase) {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  const std::uint32_t load = blob.site(abi::Operation::Load, bytes);
  blob.space(abi::SpaceVerdict::Global, flags);
  trace.table(blob);
  test::Words words;
  words.strided(load, 0, 0, base, stride);
  trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Communication result = communication(Model(file.path()));
  const SiteVolume &site = result.sites[load];
  CHECK(site.counts.loads == 32);
  CHECK(site.counts.loadBytes == 32 * bytes);
  return {site.requests, site.sectors, site.leastSectors};
}

} // namespace

TEST_CASE("what one instruction can move is one request") {
  CHECK(figuresOf(4, 4) == Figures{1, 4, 4});
  CHECK(figuresOf(16, 16) == Figures{1, 16, 16});
  CHECK(figuresOf(4, 128) == Figures{1, 32, 4});
  CHECK(figuresOf(8, 8, partsOf(3)) == Figures{1, 8, 8});
}

TEST_CASE("a structure of 12 bytes takes three requests, each of which touches all of its sectors") {
  CHECK(figuresOf(12, 12) == Figures{3, 36, 12});
  CHECK(figuresOf(12, 12, partsOf(2)) == Figures{3, 36, 12});
  // All threads read the same one. Where only its address is known, 8 and 4 bytes could do.
  CHECK(figuresOf(12, 0, partsOf(2)) == Figures{3, 3, 3});
  CHECK(figuresOf(12, 0) == Figures{2, 2, 2});
}

TEST_CASE("a structure of 32 bytes takes as many requests as the compiler has made of it") {
  CHECK(figuresOf(32, 32, partsOf(3)) == Figures{4, 128, 32});
  CHECK(figuresOf(32, 32, partsOf(2)) == Figures{8, 256, 32});
  CHECK(figuresOf(32, 32, partsOf(4)) == Figures{2, 64, 32});
  // Not known: as few as the addresses allow.
  CHECK(figuresOf(32, 32) == Figures{2, 64, 32});
  CHECK(figuresOf(32, 32, kNotKnown, kBase + 8) == Figures{4, 128, 32});
}

TEST_CASE("an access that is less aligned than its size is made in parts") {
  // 4 bytes at 4, 12, 20 ... 252, then at 8, 16 ... 256.
  CHECK(figuresOf(8, 8, kNotKnown, kBase + 4) == Figures{2, 8 + 9, 8});
  CHECK(figuresOf(16, 16, partsOf(3)) == Figures{2, 32, 16});
  // Seven single bytes.
  CHECK(figuresOf(7, 7) == Figures{7, 49, 7});
  // 8, 4 and 1: each thread's structure lies in two sectors at most, and begins one.
  CHECK(figuresOf(13, 32, partsOf(3)) == Figures{3, 96, 8 + 4 + 1});
}

TEST_CASE("a copy that the machine makes as a whole is one request") {
  CHECK(figuresOf(96, 96, kWhole) == Figures{1, 96, 96});
  CHECK(figuresOf(8192, 0) == Figures{1, 256, 256}); // too large to be made of single instructions
}

} // namespace requests_test
