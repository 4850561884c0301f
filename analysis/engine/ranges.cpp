/// Sorting and merging.
#include "ranges.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cupr::analysis {

namespace {

/// Stable, by the bits of `key(entry)` in which any two differ: a pass for every 11 of them.
template <typename Key>
void sortBy(std::vector<RangeSet::Entry> &entries, std::vector<RangeSet::Entry> &sorted, Key key) {
  constexpr unsigned kBits = 11;
  std::uint64_t differing = 0;
  for (const RangeSet::Entry &entry : entries)
    differing |= key(entry) ^ key(entries.front());
  for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += kBits) {
    const auto digit = [&](std::uint64_t bits) { return bits >> shift & ((1u << kBits) - 1); };
    if (digit(differing) == 0)
      continue;
    std::array<std::size_t, 1u << kBits> next{};
    for (const RangeSet::Entry &entry : entries)
      ++next[digit(key(entry))];
    std::size_t sum = 0;
    for (std::size_t &at : next)
      at = std::exchange(sum, sum + at);
    sorted.resize(entries.size());
    for (const RangeSet::Entry &entry : entries)
      sorted[next[digit(key(entry))]++] = entry;
    entries.swap(sorted);
  }
}

/// By CTA, then by begin. Scattered accesses make an entry each, and comparing many is dearer than passes.
void sortEntries(std::vector<RangeSet::Entry> &entries) {
  constexpr std::size_t kFew = 1024;
  if (entries.size() < kFew) {
    std::sort(entries.begin(), entries.end(), [](const RangeSet::Entry &a, const RangeSet::Entry &b) {
      return a.cta != b.cta ? a.cta < b.cta : a.begin < b.begin;
    });
    return;
  }
  std::vector<RangeSet::Entry> sorted;
  sortBy(entries, sorted, [](const RangeSet::Entry &entry) { return entry.begin; });
  sortBy(entries, sorted, [](const RangeSet::Entry &entry) { return std::uint64_t{entry.cta}; });
}

} // namespace

void RangeSet::compact() {
  sortEntries(entries_);
  std::size_t kept = 0;
  for (const Entry &entry : entries_)
    if (kept == 0 || !entries_[kept - 1].join(entry))
      entries_[kept++] = entry;
  entries_.resize(kept);
  limit_ = std::max(kFirstLimit, 2 * kept); // sorting must pay off
}

} // namespace cupr::analysis
