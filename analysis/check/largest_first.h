/// Parts of work of which some are much larger than others, for all threads: the largest ones are begun first.
///
/// Memory that all blocks of a launch wait at lies in one part, which takes as long as a dozen of the others. Begun last, all threads
/// would wait for the one that has it.
#ifndef CUPR_ANALYSIS_CHECK_LARGEST_FIRST_H
#define CUPR_ANALYSIS_CHECK_LARGEST_FIRST_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <utility>

namespace cupr::analysis {

/// Calls `work(part)` for each of the parts, of these sizes.
template <std::size_t Parts, typename Work>
void forLargestFirst(const std::array<std::uint64_t, Parts> &sizes, Work work) {
  std::array<std::size_t, Parts> parts;
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  std::ranges::sort(
      parts, [&](std::size_t a, std::size_t b) { return std::pair(sizes[b], a) < std::pair(sizes[a], b); });
  std::atomic<std::size_t> next{0}; // relaxed: who takes which is all that threads settle by it
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, Parts),
      [&](const tbb::blocked_range<std::size_t> &some) {
        for (std::size_t i = some.begin(); i != some.end(); ++i)
          work(parts[next.fetch_add(1, std::memory_order_relaxed)]);
      },
      tbb::simple_partitioner());
}

} // namespace cupr::analysis

#endif
