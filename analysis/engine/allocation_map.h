/// Which allocation an address is in.
#ifndef CUPR_ANALYSIS_ALLOCATION_MAP_H
#define CUPR_ANALYSIS_ALLOCATION_MAP_H

#include "ranges.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Allocations that are alive, by address.
class AllocationMap {
public:
  struct Entry {
    Range range;
    std::uint32_t index;
  };
  explicit AllocationMap(std::vector<Entry> entries, std::uint32_t unknown)
      : entries_(std::move(entries)), unknown_(unknown) {}
  /// Calls `visitor(bytes, index)` for the parts of `range`; bytes outside of all have the index of the
  /// unknown.
  template <typename Visitor> void split(const Range &range, Visitor visitor) const {
    auto entry = std::upper_bound(entries_.begin(), entries_.end(), range.begin,
                                  [](std::uint64_t at, const Entry &e) { return at < e.range.end; });
    for (std::uint64_t at = range.begin; at < range.end; ++entry) {
      if (entry == entries_.end() || entry->range.begin >= range.end)
        return visitor(range.end - at, unknown_);
      if (entry->range.begin > at)
        visitor(entry->range.begin - at, unknown_);
      const std::uint64_t begin = std::max(at, entry->range.begin);
      at = std::min(range.end, entry->range.end);
      visitor(at - begin, entry->index);
    }
  }
  /// With the index of the unknown: the gap between two allocations.
  Entry entryOf(std::uint64_t address) const {
    const auto entry = std::upper_bound(entries_.begin(), entries_.end(), address,
                                        [](std::uint64_t at, const Entry &e) { return at < e.range.end; });
    if (entry != entries_.end() && entry->range.begin <= address)
      return *entry;
    return {{entry == entries_.begin() ? 0 : entry[-1].range.end,
             entry == entries_.end() ? UINT64_MAX : entry->range.begin},
            unknown_};
  }
  std::uint32_t unknown() const { return unknown_; }

private:
  std::vector<Entry> entries_; ///< ascending, disjoint
  std::uint32_t unknown_;
};

} // namespace cupr::analysis

#endif
