/// Sorting and merging.
#include "ranges.h"
#include "radix_sort.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

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
  radixSort(entries, sorted, [](const RangeSet::Entry &entry) { return entry.begin; });
  radixSort(entries, sorted, [](const RangeSet::Entry &entry) { return std::uint64_t{entry.cta}; });
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
