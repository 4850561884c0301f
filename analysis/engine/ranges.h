/// Byte ranges, and sets of them.
#ifndef CUPR_ANALYSIS_RANGES_H
#define CUPR_ANALYSIS_RANGES_H

#include "analysis/model/unnamed_file.h"

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

/// Ranges of many CTAs, of less than 4 GiB each, also where they become one. Memory follows the number of
/// distinct ranges, not of accesses.
class RangeSet {
public:
  struct Entry {
    std::uint64_t begin;
    std::uint32_t cta;
    std::uint32_t bytes;
    Range range() const { return {begin, begin + bytes}; }

    /// Takes in another one that overlaps it, or is adjacent. False: it isn't.
    bool join(const Entry &other) {
      const std::uint64_t first = std::min(begin, other.begin);
      const std::uint64_t end = std::max(begin + bytes, other.begin + other.bytes);
      if (cta != other.cta || end - first > std::uint64_t{bytes} + other.bytes)
        return false;
      begin = first;
      bytes = static_cast<std::uint32_t>(end - first);
      return true;
    }
  };

  void add(std::uint32_t cta, const Range &range) {
    const Entry added{range.begin, cta, static_cast<std::uint32_t>(range.bytes())};
    // The next record of a warp often continues the one before, or reads a neighbour of what others read.
    const std::size_t from = entries_.size() - std::min(entries_.size(), kRecent);
    for (std::size_t i = entries_.size(); i != from; --i)
      if (entries_[i - 1].join(added))
        return;
    entries_.push_back(added);
    if (entries_.size() >= limit_)
      compact();
  }

  /// Ascending by CTA, then by address, and disjoint.
  const std::vector<Entry> &byCta() {
    compact();
    return entries_;
  }
  void clear() { entries_.clear(); }
  void save(std::FILE *file) {
    compact();
    saveVector(file, entries_);
    entries_ = std::vector<Entry>(); // gives its memory back
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
