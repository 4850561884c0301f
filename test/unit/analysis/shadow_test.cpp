/// The shadow against one entry per byte.
#include "analysis/metrics/shadow.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kBase = 0x7f0000000000u - 5000;
constexpr std::uint64_t kBytes = 20000;

} // namespace

TEST_CASE("the shadow answers as an array of bytes does") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Shadow shadow;
    std::vector<Shadow::Cell> bytes(kBytes);
    for (int step = 0; step < 400; ++step) {
      // Aligned ranges as programs use them, and ranges that aren't.
      const unsigned align = 1u << (random() % 3 ? random() % 13 : 0);
      std::uint64_t begin = random() % kBytes / align * align;
      std::uint64_t end = std::min<std::uint64_t>(kBytes, begin + (random() % 4 + 1) * align);
      if (random() % 10 == 0)
        end = begin + random() % (kBytes - begin);
      const Range range{kBase + begin, kBase + end};
      const auto check = [&](const Range &part, const Shadow::Cell &cell) {
        for (std::uint64_t at = part.begin; at < part.end; ++at)
          REQUIRE(bytes[at - kBase] == cell);
      };
      switch (random() % 4) {
      case 0: {
        const EntityId writer = 1 + random() % 5;
        std::uint64_t covered = 0;
        shadow.write(range, writer, [&](const Range &part, const Shadow::Cell &cell) {
          check(part, cell);
          covered += part.bytes();
        });
        REQUIRE(covered == end - begin);
        std::fill(bytes.begin() + begin, bytes.begin() + end, Shadow::Cell{writer, 0});
        break;
      }
      case 1: {
        const std::uint32_t bit = 1u << (random() % 3);
        std::uint64_t changed = 0, expected = 0;
        for (std::uint64_t i = begin; i < end; ++i)
          expected += bytes[i].writer != kNobody && !(bytes[i].readers & bit);
        shadow.read(range, bit, [&](const Range &part, const Shadow::Cell &cell) {
          check(part, cell);
          changed += part.bytes();
        });
        REQUIRE(changed == expected);
        for (std::uint64_t i = begin; i < end; ++i)
          if (bytes[i].writer != kNobody)
            bytes[i].readers |= bit;
        break;
      }
      case 2:
        if (random() % 4 == 0) {
          shadow.clear(range);
          std::fill(bytes.begin() + begin, bytes.begin() + end, Shadow::Cell{});
        }
        break;
      default: {
        std::uint64_t seen = 0, expected = 0;
        for (std::uint64_t i = begin; i < end; ++i)
          expected += bytes[i].writer != kNobody;
        shadow.visit(range, [&](const Range &part, const Shadow::Cell &cell) {
          check(part, cell);
          seen += part.bytes();
        });
        REQUIRE(seen == expected);
      }
      }
    }
  }
}

TEST_CASE("coalesced writes keep few pages, and clearing gives them back") {
  Shadow shadow;
  shadow.write({0, 1u << 20}, 1, [](const Range &, const Shadow::Cell &) {});
  CHECK(shadow.pages() == 256);
  shadow.clear({0, 1u << 20});
  CHECK(shadow.pages() == 0);
  shadow.write({0, 8192}, 1, [](const Range &, const Shadow::Cell &) {});
  shadow.clear({0, UINT64_MAX}); // far more than there is
  CHECK(shadow.pages() == 0);
}
