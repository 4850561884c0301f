/// The shadow against one entry per byte.
#include "analysis/metrics/shadow.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace cupr::analysis;

namespace {

struct Cell {
  std::uint32_t writer = 0, readers = 0;
  friend bool operator==(const Cell &, const Cell &) = default;
};

constexpr std::uint64_t kBase = 0x7f0000000000u - 5000;
constexpr std::uint64_t kBytes = 20000;

/// Sets all bytes of `range`.
void assign(Shadow<Cell> &shadow, const Range &range, const Cell &cell) {
  shadow.change(
      range, Shadow<Cell>::Missing::Make, [&](const Cell &before) { return before != cell; },
      [&](const Range &, Cell &to) { to = cell; });
}

} // namespace

TEST_CASE("the shadow answers as an array of bytes does") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Shadow<Cell> shadow;
    std::vector<Cell> bytes(kBytes);
    for (int step = 0; step < 400; ++step) {
      // Aligned ranges as programs use them, and ranges that aren't.
      const unsigned align = 1u << (random() % 3 ? random() % 13 : 0);
      std::uint64_t begin = random() % kBytes / align * align;
      std::uint64_t end = std::min<std::uint64_t>(kBytes, begin + (random() % 4 + 1) * align);
      if (random() % 10 == 0)
        end = begin + random() % (kBytes - begin);
      const Range range{kBase + begin, kBase + end};
      const auto check = [&](const Range &part, const Cell &cell) {
        for (std::uint64_t at = part.begin; at < part.end; ++at)
          REQUIRE(bytes[at - kBase] == cell);
      };
      switch (random() % 4) {
      case 0: {
        const auto writer = static_cast<std::uint32_t>(1 + random() % 5);
        std::uint64_t covered = 0;
        shadow.change(
            range, Shadow<Cell>::Missing::Make, [](const Cell &) { return true; },
            [&](const Range &part, Cell &cell) {
              check(part, cell);
              covered += part.bytes();
              cell = {writer, 0};
            });
        REQUIRE(covered == end - begin);
        std::fill(bytes.begin() + begin, bytes.begin() + end, Cell{writer, 0});
        break;
      }
      case 1: {
        const std::uint32_t bit = 1u << (random() % 3);
        std::uint64_t changed = 0, expected = 0;
        for (std::uint64_t i = begin; i < end; ++i)
          expected += bytes[i].writer != 0 && !(bytes[i].readers & bit);
        shadow.change(
            range, Shadow<Cell>::Missing::Skip,
            [&](const Cell &cell) { return cell.writer != 0 && !(cell.readers & bit); },
            [&](const Range &part, Cell &cell) {
              check(part, cell);
              changed += part.bytes();
              cell.readers |= bit;
            });
        REQUIRE(changed == expected);
        for (std::uint64_t i = begin; i < end; ++i)
          if (bytes[i].writer != 0)
            bytes[i].readers |= bit;
        break;
      }
      case 2:
        if (random() % 4 == 0) {
          shadow.clear(range);
          std::fill(bytes.begin() + begin, bytes.begin() + end, Cell{});
        }
        break;
      default: {
        std::uint64_t seen = 0, expected = 0;
        for (std::uint64_t i = begin; i < end; ++i)
          expected += bytes[i].writer != 0;
        shadow.visit(range, [&](const Range &part, const Cell &cell) {
          check(part, cell);
          seen += part.bytes();
        });
        REQUIRE(seen == expected);
      }
      }
    }
  }
}

TEST_CASE("whole blocks take little memory, parts more, and clearing gives it back") {
  Shadow<Cell> shadow;
  assign(shadow, {0, 1u << 20}, {1, 0});
  const std::uint64_t whole = shadow.bytes();
  CHECK(whole < (1u << 20) / 4);
  assign(shadow, {4, 8}, {2, 0});
  CHECK(shadow.bytes() == whole + 4 * sizeof(Cell));
  assign(shadow, {0, 128}, {1, 0});
  CHECK(shadow.bytes() == whole);
  shadow.clear({0, 1u << 20});
  CHECK(shadow.bytes() == 0);
  assign(shadow, {0, 8192}, {1, 0});
  shadow.clear({0, UINT64_MAX}); // far more than there is
  CHECK(shadow.empty());
}

TEST_CASE("a shadow that was put aside is what it was") {
  std::mt19937 random(1);
  Shadow<Cell> shadow;
  std::vector<Cell> bytes(kBytes);
  for (std::uint32_t i = 1; i < 300; ++i) {
    const std::uint64_t begin = random() % kBytes, end = std::min(kBytes, begin + 1 + random() % 200);
    assign(shadow, {kBase + begin, kBase + end}, {i, 0});
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(end), Cell{i, 0});
  }
  const std::uint64_t memory = shadow.bytes();
  const UnnamedFile file = unnamedFile();
  shadow.save(file.get());
  CHECK(shadow.empty());
  CHECK(shadow.bytes() == 0);
  std::rewind(file.get());
  shadow.load(file.get());
  CHECK(shadow.bytes() == memory);
  shadow.visit({kBase, kBase + kBytes}, [&](const Range &part, const Cell &cell) {
    for (std::uint64_t at = part.begin; at < part.end; ++at)
      REQUIRE(bytes[at - kBase] == cell);
  });
}
