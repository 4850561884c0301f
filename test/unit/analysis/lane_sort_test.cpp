/// The network of comparisons against std::sort.
#include "analysis/engine/lane_sort.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

namespace lane_sort_test {

using namespace cupr::analysis;

TEST_CASE("lanes are sorted, whatever their order, with what stands for no lane last") {
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 2000; ++turn) {
    LaneAddresses values;
    const unsigned lanes = 1 + static_cast<unsigned>(random() % values.size());
    const std::uint64_t limit = turn % 3 == 0 ? 8 : UINT64_MAX;
    std::generate(values.begin(), values.end(), [&] { return random() % limit; });
    if (turn % 5 == 0)
      std::sort(values.begin(), values.end(), std::greater<>());
    std::fill(values.begin() + lanes, values.end(), UINT64_MAX);
    LaneAddresses expected = values;
    std::sort(expected.begin(), expected.end());
    sortLanes(values);
    REQUIRE(values == expected);
  }
}

// Sorted halves, with every number of zeros in each: what the last step of the merge sort has to merge.
TEST_CASE("sorted halves of zeros and ones are merged") {
  for (unsigned lower = 0; lower <= 16; ++lower)
    for (unsigned upper = 0; upper <= 16; ++upper) {
      LaneAddresses values;
      for (unsigned i = 0; i < values.size(); ++i)
        values[i] = i < 16 ? i >= lower : i - 16 >= upper;
      sortLanes(values);
      REQUIRE(std::is_sorted(values.begin(), values.end()));
      REQUIRE(std::count(values.begin(), values.end(), 0u) == lower + upper);
    }
}

} // namespace lane_sort_test
