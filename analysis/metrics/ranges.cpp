/// Sorting and merging.
#include "ranges.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cupr::analysis {

namespace {

/// Stable, by CTA: a pass for every 11 bits of the highest number. Scattered accesses make an entry each, and
/// comparing them all is dearer.
void sortByCta(std::vector<RangeSet::Entry> &entries) {
  constexpr unsigned kBits = 11;
  std::uint32_t highest = 0;
  for (const RangeSet::Entry &entry : entries)
    highest |= entry.cta;
  std::vector<RangeSet::Entry> sorted(highest == 0 ? 0 : entries.size());
  for (unsigned shift = 0; shift < 32 && highest >> shift != 0; shift += kBits) {
    const auto digit = [&](const RangeSet::Entry &entry) { return entry.cta >> shift & ((1u << kBits) - 1); };
    std::array<std::size_t, 1u << kBits> next{};
    for (const RangeSet::Entry &entry : entries)
      ++next[digit(entry)];
    std::size_t sum = 0;
    for (std::size_t &at : next)
      at = std::exchange(sum, sum + at);
    for (const RangeSet::Entry &entry : entries)
      sorted[next[digit(entry)]++] = entry;
    entries.swap(sorted);
  }
}

} // namespace

void RangeSet::compact() {
  sortByCta(entries_);
  std::size_t kept = 0;
  for (auto first = entries_.begin(), next = first; first != entries_.end(); first = next) {
    next = std::find_if(first, entries_.end(), [&](const Entry &entry) { return entry.cta != first->cta; });
    std::sort(first, next, [](const Entry &a, const Entry &b) { return a.range.begin < b.range.begin; });
    Entry *last = nullptr; // of the CTA
    for (auto entry = first; entry != next; ++entry) {
      if (last && entry->range.begin <= last->range.end)
        last->range.end = std::max(last->range.end, entry->range.end);
      else
        *(last = &entries_[kept++]) = *entry;
    }
  }
  entries_.resize(kept);
  limit_ = std::max(kFirstLimit, 2 * kept); // sorting must pay off
}

} // namespace cupr::analysis
