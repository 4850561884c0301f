/// What is found of how a program launches, and what may not be claimed.
#include "analysis/metrics/repeated_sequence.h"
#include "host_findings.h"

#include <catch2/catch.hpp>
#include <random>

namespace launch_findings_test {

using namespace cupr;
using namespace cupr::analysis;
using test::FoundScene;

TEST_CASE("many launches of few blocks are found at their place") {
  FoundScene scene("cpu");
  for (int i = 0; i < 40; ++i)
    scene.launch("k(int*)", 8, 5, 1000);
  const std::vector<Finding> found = scene.found("launch-small");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kernel == "k(int*)");
  CHECK(found[0].path == "main > step()");
  CHECK(found[0].line == 10);
  CHECK(found[0].amount == 40);
  CHECK(found[0].share == 1);
  CHECK(found[0].seconds == Approx(40 * 2.5e-6));
  CHECK(!found[0].isMeasured);
  CHECK(found[0].title ==
        "40 launches of at most 8 blocks leave some of the 132 multiprocessors without work");
}

TEST_CASE("launches shorter than their calls are found on a GPU, whose times are known") {
  for (const char *kind : {"gpu", "cpu"}) {
    FoundScene scene(kind);
    for (int i = 0; i < 40; ++i)
      scene.launch("k(int*)", 1000, 5, 2);
    const std::vector<Finding> found = scene.found("launch-small");
    REQUIRE(found.size() == (kind == std::string("gpu") ? 1 : 0));
    if (!found.empty())
      CHECK(found[0].title == "40 launches take less time on the device than the call that makes them");
  }
}

TEST_CASE("nothing is claimed of few small launches, of large ones, and of those of graphs") {
  FoundScene scene;
  for (int i = 0; i < 40; ++i) {
    if (i < 15)
      scene.launch("few(int*)", 8, 5, 10);
    scene.launch("large(int*)", 132, 5, 10);
    scene.trace.place({static_cast<std::uint64_t>(i) + 1, 0, {}});
    scene.launch("ofGraph(int*)", 8, 5, 1);
    scene.trace.place({});
  }
  CHECK(scene.found("launch-small").empty());
}

TEST_CASE("a sequence of short launches that is repeated would be a graph") {
  for (const bool isWaitedFor : {false, true}) {
    FoundScene scene;
    scene.launch("prepare(int*)", 500, 5, 10);
    for (int i = 0; i < 100; ++i) {
      for (const char *kernel : {"a(int*)", "b(int*)", "c(int*)", "d(int*)"}) {
        scene.at("step()", 10 + static_cast<std::uint32_t>(*kernel - 'a'));
        scene.launch(kernel, 500, 5, 4);
      }
      if (isWaitedFor)
        scene.waits(10);
    }
    const std::vector<Finding> found = scene.found("launches-as-graph");
    REQUIRE(found.size() == 1);
    CHECK(found[0].kernel == "a(int*)");
    CHECK(found[0].line == 10);
    CHECK(found[0].amount == 400);
    CHECK(found[0].share == Approx(400.0 / 401));
    CHECK(found[0].seconds == Approx(400 * 1.5e-6 - (isWaitedFor ? 100 : 25) * 5e-6));
    CHECK(found[0].title ==
          std::string("The launches of a(int*), b(int*), c(int*) and 1 more are repeated 100 times "
                      "in the same order") +
              (isWaitedFor ? "" : ", one behind the other"));
  }
}

TEST_CASE("nothing is claimed of long launches, of sequences that change, and of those that the host takes "
          "apart") {
  FoundScene scene;
  for (int i = 0; i < 100; ++i) {
    scene.launch("long(int*)", 500, 5, 100);
    scene.launch("short(int*)", 500, 5, 4);
    scene.down(FoundScene::kPageable, 8, 10);
  }
  for (std::uint32_t i = 0; i < 100; ++i)
    scene.launch("k(int*)", 500 + i, 5, 4);
  CHECK(scene.found("launches-as-graph").empty());
}

namespace {

std::vector<RepeatedSequence> byDefinition(const std::vector<std::uint32_t> &numbers, std::size_t longest,
                                           std::size_t leastTurns) {
  std::vector<RepeatedSequence> all;
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t step = 1;
    for (std::size_t length = 1; length <= longest; ++length) {
      std::size_t turns = 1;
      while (at + (turns + 1) * length <= numbers.size() &&
             std::equal(numbers.begin() + static_cast<std::ptrdiff_t>(at),
                        numbers.begin() + static_cast<std::ptrdiff_t>(at + length),
                        numbers.begin() + static_cast<std::ptrdiff_t>(at + turns * length)))
        ++turns;
      if (turns >= leastTurns) {
        all.push_back({at, length, turns});
        step = length * turns;
        break;
      }
    }
    at += step;
  }
  return all;
}

} // namespace

TEST_CASE("what repeats itself is what the definition says, in random lists") {
  std::mt19937 random(7);
  std::size_t found = 0;
  for (int run = 0; run < 300; ++run) {
    std::vector<std::uint32_t> numbers;
    while (numbers.size() < 60) {
      std::vector<std::uint32_t> turn(1 + random() % 4);
      for (std::uint32_t &number : turn)
        number = random() % 3;
      for (std::size_t turns = 1 + random() % 6; turns > 0; --turns)
        numbers.insert(numbers.end(), turn.begin(), turn.end());
    }
    const auto said = repeatedSequences(numbers, 5, 3), defined = byDefinition(numbers, 5, 3);
    REQUIRE(said.size() == defined.size());
    for (std::size_t i = 0; i < said.size(); ++i) {
      CHECK(said[i].first == defined[i].first);
      CHECK(said[i].length == defined[i].length);
      CHECK(said[i].turns == defined[i].turns);
    }
    found += said.size();
  }
  CHECK(found > 300);
  CHECK(repeatedSequences({}, 5, 3).empty());
}

} // namespace launch_findings_test
