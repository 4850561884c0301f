/// The shadow against one entry per byte.
#include "analysis/engine/shadow.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace shadow_test {

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

TEST_CASE("whole pages take little memory, parts more, and what becomes whole again is used for others") {
  Shadow<Cell> shadow;
  assign(shadow, {0, 1u << 20}, {1, 0});
  const std::uint64_t whole = shadow.bytes();
  CHECK(whole < (1u << 20) / 32);
  assign(shadow, {4, 8}, {2, 0});
  const std::uint64_t cut = shadow.bytes();
  CHECK(cut > whole);
  for (std::uint64_t page = 0; page + 4096 < 1u << 20; page += 4096) {
    assign(shadow, {page, page + 4096}, {3, 0});
    assign(shadow, {page + 4100, page + 4104}, {2, 0});
    CHECK(shadow.bytes() == cut);
    assign(shadow, {page + 4096, page + 8192}, {3, 0});
  }
}

TEST_CASE("a scattered access takes memory for its block alone") {
  Shadow<Cell> shadow;
  constexpr std::uint64_t kPages = 1u << 12;
  for (std::uint64_t page = 0; page < kPages; ++page)
    assign(shadow, {page * 4096 + page % 4000, page * 4096 + page % 4000 + 4}, {1, 0});
  // Entries of 32 bytes in a table that is a half empty, a block or two of 24, and runs of three cells in room for four.
  CHECK(shadow.bytes() < kPages * (2 * 32 + 2 * 24 + 2 * 4 * sizeof(Cell)));
}

TEST_CASE("words that are equal are one run, also where a block was cut into many") {
  Shadow<Cell> shadow;
  std::mt19937 random(3);
  std::vector<std::uint32_t> bytes(256);
  const auto set = [&](unsigned begin, unsigned end, std::uint32_t writer) {
    assign(shadow, {begin, end}, {writer, 0});
    std::fill(bytes.begin() + begin, bytes.begin() + end, writer);
    unsigned at = 0;
    shadow.visit({0, 256}, [&](const Range &part, const Cell &cell) {
      for (; at < part.begin; ++at)
        REQUIRE(bytes[at] == 0);
      REQUIRE((at == 0 || bytes[at - 1] != cell.writer));
      for (; at < part.end; ++at)
        REQUIRE(bytes[at] == cell.writer);
    });
  };
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 40; ++i) {
      const unsigned word = random() % 63;
      set(4 * word, 4 * word + 4 * (1 + random() % 2), 1 + random() % 3);
    }
    set(random() % 128, 128 + random() % 128, 1); // at odd places
    set(0, 256, 2);
  }
  CHECK(shadow.bytes() < 40000);
}

TEST_CASE("clearing forgets all in the range, however large, and nothing else") {
  for (const std::uint64_t end : {std::uint64_t{8192}, std::uint64_t{UINT64_MAX}}) {
    Shadow<Cell> shadow;
    assign(shadow, {0, 8192}, {1, 0});
    assign(shadow, {4, 8}, {2, 0});
    shadow.clear({100, end});
    std::uint64_t seen = 0;
    shadow.visit({0, UINT64_MAX >> 40}, [&](const Range &part, const Cell &) { seen += part.bytes(); });
    CHECK(seen == 100);
  }
}

TEST_CASE("what two shadows hold is applied to two others as in arrays of bytes do") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Shadow<Cell> shadows[4];
    std::vector<Cell> bytes[4];
    for (int i = 0; i < 4; ++i) {
      bytes[i].resize(kBytes);
      for (unsigned step = random() % 20; step != 0; --step) {
        const std::uint64_t align = 1u << (random() % 3 ? random() % 13 : 0);
        // Whole pages of the same too.
        const std::uint64_t begin = random() % 3 ? random() % kBytes / align * align : (5000 % kPageBytes);
        const std::uint64_t end =
            std::min(kBytes, begin + (1 + random() % 3) * (random() % 3 ? align : kPageBytes));
        const Cell cell{static_cast<std::uint32_t>(1 + random() % 4), 0};
        assign(shadows[i], {kBase + begin, kBase + end}, cell);
        std::fill(bytes[i].begin() + static_cast<std::ptrdiff_t>(begin),
                  bytes[i].begin() + static_cast<std::ptrdiff_t>(end), cell);
      }
    }
    const auto change = [](const Cell &a, const Cell &b, Cell &c, Cell &d) {
      if (b.writer != 0)
        c = {a.writer + 2 * b.writer, c.writer};
      d = a.writer > 2 ? Cell{a.writer, c.writer} : Cell{};
    };
    std::vector<bool> applied(kBytes);
    shadows[0].applyWith(shadows[1], shadows[2], shadows[3],
                         [&](const Range &part, const Cell &a, const Cell &b, Cell &c, Cell &d) {
                           for (std::uint64_t at = part.begin; at < part.end; ++at) {
                             const std::uint64_t i = at - kBase;
                             REQUIRE(!applied[i]);
                             applied[i] = true;
                             REQUIRE(a == bytes[0][i]);
                             REQUIRE(b == bytes[1][i]);
                             REQUIRE(c == bytes[2][i]);
                             REQUIRE(d == bytes[3][i]);
                           }
                           change(a, b, c, d);
                         });
    for (std::size_t i = 0; i < kBytes; ++i) {
      REQUIRE(applied[i] == (bytes[0][i].writer != 0 || bytes[1][i].writer != 0));
      if (applied[i])
        change(bytes[0][i], bytes[1][i], bytes[2][i], bytes[3][i]);
    }
    for (int i = 2; i < 4; ++i) {
      std::uint64_t seen = 0, expected = 0;
      for (const Cell &cell : bytes[i])
        expected += cell != Cell{};
      shadows[i].visit({kBase, kBase + kBytes}, [&](const Range &part, const Cell &cell) {
        seen += part.bytes();
        for (std::uint64_t at = part.begin; at < part.end; ++at)
          REQUIRE(cell == bytes[i][at - kBase]);
      });
      REQUIRE(seen == expected);
    }
  }
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
  const UnnamedFile file = unnamedFile();
  shadow.save(file.get());
  CHECK(shadow.bytes() == 0);
  std::rewind(file.get());
  shadow.load(file.get());
  std::uint64_t seen = 0;
  shadow.visit({kBase, kBase + kBytes}, [&](const Range &part, const Cell &cell) {
    seen += part.bytes();
    for (std::uint64_t at = part.begin; at < part.end; ++at)
      REQUIRE(bytes[at - kBase] == cell);
  });
  CHECK(seen == static_cast<std::uint64_t>(std::count_if(bytes.begin(), bytes.end(),
                                                         [](const Cell &cell) { return cell != Cell{}; })));
}

} // namespace shadow_test
