/// Runs of a launch in an order in which those of a place come one behind the other.
///
/// What is known of a byte depends on the order of the accesses to it, and not on those to others: so runs in
/// different places may change theirs. Scattered accesses come back to each page of a shard a few hundred
/// times in a batch, and between two of them to all of its others: more than a processor's cache holds. Page
/// by page, and in it block by block, most of what they ask for is there.
#ifndef CUPR_ANALYSIS_RUNS_BY_PAGE_H
#define CUPR_ANALYSIS_RUNS_BY_PAGE_H

#include "memory_page.h"
#include "shard_run.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cupr::analysis {

/// For one thread, and one shard after the other.
class RunsByPage {
public:
  using Parts = std::span<const std::span<const ShardRun>>;

  /// Calls `take(std::span<const ShardRun>)` for the runs in `parts`, those of each byte in their order.
  template <typename Take> void forEach(Parts parts, Take take) {
    while (!parts.empty()) {
      std::size_t count = 1, runs = parts.front().size();
      while (count < parts.size() && runs + parts[count].size() <= kMostRuns)
        runs += parts[count++].size();
      const Parts some = parts.first(count);
      if (sort(some, runs))
        take(std::span<const ShardRun>(sorted_));
      else
        for (const std::span<const ShardRun> part : some)
          take(part);
      parts = parts.subspan(count);
    }
  }

private:
  /// That are sorted at a time, but for those of a larger part: a few MiB.
  static constexpr std::size_t kMostRuns = std::size_t{1} << 17;
  /// In fewer to each page, little can be gained.
  static constexpr std::size_t kRunsPerPage = 4;

  bool sort(Parts parts, std::size_t runs);
  std::uint32_t pageOf(std::uint64_t number);

  std::vector<std::uint64_t> pages_;  ///< numbers, as they are met
  std::vector<std::uint32_t> places_; ///< of pages by a hash, and one; 0: none
  std::vector<std::uint32_t> pageOfRun_;
  std::vector<std::uint32_t> next_; ///< by part of a page: where its next run goes
  std::vector<ShardRun> sorted_;
};

} // namespace cupr::analysis

#endif
