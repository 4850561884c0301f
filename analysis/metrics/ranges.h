/// Byte ranges, and sets of them.
#ifndef CUPR_ANALYSIS_RANGES_H
#define CUPR_ANALYSIS_RANGES_H

#include "unnamed_file.h"

#include <algorithm>
#include <cstdint>
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

/// Ranges of many CTAs. Memory follows the number of distinct ranges, not of accesses.
class RangeSet {
public:
  struct Entry {
    std::uint32_t cta;
    Range range;
  };

  void add(std::uint32_t cta, const Range &range) {
    // The next record of a warp often continues the one before, or reads a neighbour of what others read.
    const std::size_t from = entries_.size() - std::min(entries_.size(), kRecent);
    for (std::size_t i = entries_.size(); i != from; --i) {
      Entry &entry = entries_[i - 1];
      if (entry.cta == cta && entry.range.begin <= range.end && range.begin <= entry.range.end) {
        entry.range = {std::min(entry.range.begin, range.begin), std::max(entry.range.end, range.end)};
        return;
      }
    }
    entries_.push_back({cta, range});
    if (entries_.size() >= limit_)
      compact();
  }

  /// Per CTA, ascending: disjoint and not adjacent.
  const std::vector<Entry> &byCta() {
    compact();
    return entries_;
  }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  void save(std::FILE *file) {
    compact();
    saveVector(file, entries_);
    entries_ = {};
  }
  void load(std::FILE *file) { loadVector(file, entries_); }
  /// Memory in use.
  std::uint64_t bytes() const { return entries_.capacity() * sizeof(Entry); }

private:
  void compact();

  static constexpr std::size_t kRecent = 4;
  static constexpr std::size_t kFirstLimit = 1u << 16;
  std::vector<Entry> entries_;
  std::size_t limit_ = kFirstLimit;
};

} // namespace cupr::analysis

#endif
