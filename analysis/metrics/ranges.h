/// Sets of byte ranges: what a warp, a CTA or a launch touched.
#ifndef CUPR_ANALYSIS_RANGES_H
#define CUPR_ANALYSIS_RANGES_H

#include "analysis/model/records.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cupr::analysis {

/// Bytes [begin, end).
struct Range {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t bytes() const { return end - begin; }
  friend bool operator==(const Range &, const Range &) = default;
};

/// The bytes of one access; one that would leave the address space ends with it.
inline Range accessRange(std::uint64_t address, std::uint64_t bytes) {
  return {address, bytes > UINT64_MAX - address ? UINT64_MAX : address + bytes};
}

/// What one warp record touches: its lanes by address, and the ranges that they make
/// together.
class WarpRanges {
public:
  void set(const Record &record);

  /// Disjoint, not adjacent, ascending.
  const Range *begin() const { return merged_.data(); }
  const Range *end() const { return merged_.data() + mergedCount_; }
  /// Lanes whose bytes meet any of `ranges`, which are disjoint and ascending.
  unsigned lanesIn(std::span<const Range> ranges) const;
  unsigned lanes() const { return laneCount_; }

private:
  bool setCoalesced(const Record &record);
  Range lane(unsigned i) const {
    if (coalesced_ == 0)
      return lanes_[i];
    const std::uint64_t begin = merged_[0].begin + i * coalesced_;
    return {begin, begin + coalesced_};
  }

  /// Not 0: the lanes lie side by side with this many bytes each, and `lanes_` is not used.
  std::uint64_t coalesced_ = 0;
  std::array<Range, abi::kLanes> lanes_; ///< ascending
  unsigned laneCount_ = 0;
  std::array<Range, abi::kLanes> merged_;
  unsigned mergedCount_ = 0;
};

/// Ranges of many CTAs. Memory follows the number of distinct ranges, not of accesses.
class RangeSet {
public:
  struct Entry {
    std::uint32_t cta;
    Range range;
  };

  void add(std::uint32_t cta, const Range &range) {
    // The next record of a warp often continues the one before.
    if (!entries_.empty() && entries_.back().cta == cta && entries_.back().range.begin <= range.begin &&
        range.begin <= entries_.back().range.end) {
      if (range.end > entries_.back().range.end)
        entries_.back().range.end = range.end;
      return;
    }
    entries_.push_back({cta, range});
    if (entries_.size() >= limit_)
      compact();
  }

  /// Per CTA, ascending: disjoint and not adjacent.
  const std::vector<Entry> &byCta();
  /// All CTAs together, ascending: disjoint and not adjacent. Forgets the CTAs.
  std::vector<Range> takeUnion();

private:
  void compact();

  std::vector<Entry> entries_;
  std::size_t limit_ = 1u << 21;
};

} // namespace cupr::analysis

#endif
