/// In which loops a place lies: by hand, and beside a search through all extents.
#include "devicelib/abi/source_loops.h"

#include <catch2/catch.hpp>
#include <random>

using namespace cupr::abi;

namespace {

using enum LoopKind;

std::vector<SourceLoop> at(const LoopNest &nest, std::uint32_t line, std::uint32_t column) {
  std::vector<SourceLoop> loops;
  nest.loopsAt({line, column}, loops);
  return loops;
}

} // namespace

TEST_CASE("a place lies in the loops of its own function") {
  const SourceLoop outer{For, {10, 3}, {20, 3}}, inner{While, {12, 5}, {18, 5}}, own{Do, {15, 9}, {15, 40}};
  const LoopNest nest({own,
                       {Function, {14, 20}, {16, 7}}, // a lambda in `inner`, with `own` in it
                       inner,
                       outer,
                       {Entry, {10, 8}, {10, 16}},
                       inner});
  CHECK(nest.loops().size() == 5);
  CHECK(at(nest, 9, 99).empty());
  CHECK(at(nest, 10, 2).empty());
  CHECK(at(nest, 10, 3) == std::vector{outer});
  CHECK(at(nest, 10, 8).empty()); // before the loop
  CHECK(at(nest, 10, 16).empty());
  CHECK(at(nest, 10, 17) == std::vector{outer});
  CHECK(at(nest, 13, 1) == std::vector{inner, outer});
  CHECK(at(nest, 14, 20).empty());
  CHECK(at(nest, 15, 20) == std::vector{own});
  CHECK(at(nest, 16, 8) == std::vector{inner, outer});
  CHECK(at(nest, 18, 5) == std::vector{inner, outer});
  CHECK(at(nest, 18, 6) == std::vector{outer});
  CHECK(at(nest, 20, 4).empty());
  CHECK(at(nest, 20, 0) == std::vector{outer}); // a column that is not known is before the line's first
  CHECK(at(nest, 10, 0).empty());
}

TEST_CASE("what is done before an inner loop is in the outer one") {
  const SourceLoop outer{For, {1, 1}, {9, 1}}, inner{For, {2, 1}, {8, 1}};
  const LoopNest nest({outer, inner, {Entry, {2, 6}, {2, 10}}});
  CHECK(at(nest, 2, 7) == std::vector{outer});
  CHECK(at(nest, 2, 11) == std::vector{inner, outer});
}

TEST_CASE("loops of one macro are one") {
  const LoopNest nest({{For, {5, 3}, {5, 20}}, {While, {5, 3}, {5, 20}}});
  CHECK(at(nest, 5, 3).size() == 1);
}

TEST_CASE("no loops, no places") {
  const LoopNest nest({});
  CHECK(at(nest, 1, 1).empty());
}

TEST_CASE("of any extents those are found that hold a place") {
  std::mt19937 random(1);
  for (unsigned turn = 0; turn < 300; ++turn) {
    std::vector<SourceLoop> loops;
    for (unsigned i = random() % 30; i > 0; --i) {
      const std::uint32_t begin = 1 + random() % 40, length = random() % 40;
      loops.push_back({static_cast<LoopKind>(random() % kLoopKinds), {begin, 1}, {begin + length, 1}});
    }
    const LoopNest nest(loops);
    for (std::uint32_t line = 0; line < 90; ++line) {
      std::size_t found = 0;
      nest.around({line, 1}, [&](std::size_t index) {
        CHECK(nest.loops()[index].begin.line <= line);
        CHECK(line <= nest.loops()[index].end.line);
        ++found;
        return true;
      });
      const auto expected =
          std::count_if(nest.loops().begin(), nest.loops().end(), [&](const SourceLoop &loop) {
            return loop.begin.line <= line && line <= loop.end.line;
          });
      CHECK(found == static_cast<std::size_t>(expected));
    }
  }
}

TEST_CASE("texts of extents are read as they were written") {
  for (unsigned kind = 0; kind < kLoopKinds; ++kind) {
    const SourceLoop loop{static_cast<LoopKind>(kind), {12, 3}, {14, 70000}};
    SourceLoop read{};
    std::string file;
    REQUIRE(readLoop(loopText(loop, "/a b/c\"d.cu"), read, file));
    CHECK(read == loop);
    CHECK(file == "/a b/c\"d.cu");
  }
  SourceLoop read{};
  std::string file;
  for (const char *text : {"", "for", "for 1:2-3:4", "loop 1:2-3:4\ta.cu", "for 0:2-3:4\ta.cu",
                           "for 3:4-3:3\ta.cu", "for 1:2\ta.cu", "forforforforforforfor 1:2-3:4\ta.cu"})
    CHECK_FALSE(readLoop(text, read, file));
}
