/// How far apart two uses are, against a list that is searched.
#include "analysis/engine/reuse_stack.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace reuse_stack_test {

using cupr::analysis::ReuseStack;

namespace {

/// The one used last comes first.
class List {
public:
  std::optional<std::uint64_t> use(std::uint64_t key) {
    const auto at = std::ranges::find(keys_, key);
    const auto distance = static_cast<std::uint64_t>(at - keys_.begin());
    const bool isKnown = at != keys_.end();
    if (isKnown)
      keys_.erase(at);
    keys_.insert(keys_.begin(), key);
    return isKnown ? std::optional(distance) : std::nullopt;
  }

private:
  std::vector<std::uint64_t> keys_;
};

} // namespace

TEST_CASE("distances are those in a list of what was used last", "[random]") {
  std::mt19937 random(5);
  for (const unsigned things : {1u, 2u, 37u, 700u, 3000u}) {
    ReuseStack stack;
    List list;
    bool isSame = true;
    for (int i = 0; i < 12000; ++i) {
      // Some things more often than others.
      const std::uint64_t key = std::min(random() % things, random() % things) * 0x100000001u;
      isSame &= stack.use(key).distance == list.use(key);
    }
    CHECK(isSame);
    CHECK(stack.size() <= things);
  }
}

TEST_CASE("what a user notes of a thing stays until all are forgotten") {
  ReuseStack stack;
  stack.use(7).thing.parts = 3;
  for (std::uint64_t key = 100; key < 5000; ++key)
    stack.use(key);
  const auto again = stack.use(7);
  CHECK(*again.distance == 4900);
  CHECK(again.thing.parts == 3);
  stack.clear();
  CHECK(stack.size() == 0);
  CHECK_FALSE(stack.use(7).distance);
  CHECK(stack.use(7).thing.parts == 0);
}

} // namespace reuse_stack_test
