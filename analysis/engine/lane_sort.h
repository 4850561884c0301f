/// Sorts the addresses of a warp's lanes.
///
/// Scattered addresses are as random as can be, so a sort that branches on comparisons mispredicts half of
/// them. This one compares the same places whatever the values are: Batcher's odd-even mergesort, 191
/// comparisons for 32 values, each a minimum and a maximum (Knuth, The Art of Computer Programming 3, section
/// 5.2.2, algorithm M).
#ifndef CUPR_ANALYSIS_LANE_SORT_H
#define CUPR_ANALYSIS_LANE_SORT_H

#include "devicelib/abi/record.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace cupr::analysis {

using LaneAddresses = std::array<std::uint64_t, abi::kLanes>;

namespace lane_sort {

/// Calls `compare(lower, upper)` for each comparison, in order.
template <typename Compare> constexpr void forEachComparison(Compare compare) {
  constexpr unsigned kCount = abi::kLanes;
  for (unsigned merged = 1; merged < kCount; merged *= 2)
    for (unsigned apart = merged; apart != 0; apart /= 2)
      for (unsigned from = apart % merged; from + apart < kCount; from += 2 * apart)
        for (unsigned i = from; i < std::min(from + apart, kCount - apart); ++i)
          if (i / (2 * merged) == (i + apart) / (2 * merged))
            compare(i, i + apart);
}

consteval std::size_t comparisons() {
  std::size_t count = 0;
  forEachComparison([&](unsigned, unsigned) { ++count; });
  return count;
}

struct Comparison {
  unsigned lower, upper;
};
inline constexpr auto kComparisons = [] {
  std::array<Comparison, comparisons()> all{};
  std::size_t count = 0;
  forEachComparison([&](unsigned lower, unsigned upper) { all[count++] = {lower, upper}; });
  return all;
}();

template <unsigned lower, unsigned upper> inline void compare(LaneAddresses &values) {
  const std::uint64_t a = values[lower], b = values[upper];
  values[lower] = a < b ? a : b;
  values[upper] = a < b ? b : a;
}

} // namespace lane_sort

/// Ascending. Places that stand for no lane hold UINT64_MAX, and so come last.
inline void sortLanes(LaneAddresses &values) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (lane_sort::compare<lane_sort::kComparisons[i].lower, lane_sort::kComparisons[i].upper>(values), ...);
  }(std::make_index_sequence<lane_sort::comparisons()>());
}

} // namespace cupr::analysis

#endif
