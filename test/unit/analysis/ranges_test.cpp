/// Sets of ranges against sets of bytes.
#include "analysis/engine/ranges.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace ranges_test {

using namespace cupr::analysis;

namespace {

using Bytes = std::set<std::pair<std::uint32_t, std::uint64_t>>; ///< (CTA, address)

Bytes bytesOf(RangeSet &ranges) {
  Bytes bytes;
  for (const RangeSet::Entry &entry : ranges.byCta())
    for (std::uint64_t at = entry.begin; at < entry.range().end; ++at)
      REQUIRE(bytes.insert({entry.cta, at}).second); // disjoint
  return bytes;
}

} // namespace

TEST_CASE("a set of ranges holds each byte once for each CTA") {
  for (const unsigned count : {5u, 500u, 5000u}) { // sorted by comparing, and by digits
    std::mt19937_64 random(count);
    RangeSet ranges;
    Bytes expected;
    for (unsigned i = 0; i < count; ++i) {
      const auto cta = static_cast<std::uint32_t>(random() % 3 * 5000);
      const std::uint64_t begin = 0x7f0000000000u + random() % 40 * 100003 + random() % 64;
      const std::uint64_t end = begin + 1 + random() % 16;
      ranges.add(cta, {begin, end});
      for (std::uint64_t at = begin; at < end; ++at)
        expected.insert({cta, at});
    }
    CHECK(bytesOf(ranges) == expected);
    const UnnamedFile file = unnamedFile();
    ranges.save(file.get());
    std::rewind(file.get());
    CHECK(ranges.bytes() == 0);
    ranges.load(file.get());
    CHECK(bytesOf(ranges) == expected);
  }
}

TEST_CASE("neighbours become one range") {
  RangeSet ranges;
  for (std::uint64_t at = 0; at < 4000; at += 4)
    ranges.add(7, {at * 2654435761u % 4000, at * 2654435761u % 4000 + 4});
  REQUIRE(ranges.byCta().size() == 1);
  CHECK(ranges.byCta()[0].range() == Range{0, 4000});
}

} // namespace ranges_test
