/// Sets of pages, as ranges of their numbers: the host writes whole buffers at a time.
#ifndef CUPR_ANALYSIS_PAGE_RANGES_H
#define CUPR_ANALYSIS_PAGE_RANGES_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace cupr::analysis {

class PageRanges {
public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end)
      return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != ranges_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, begin, end);
  }
  void remove(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end)
      return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second > begin)
      --next;
    while (next != ranges_.end() && next->first < end) {
      const auto [first, last] = *next;
      next = ranges_.erase(next);
      if (first < begin)
        ranges_.emplace(first, begin);
      if (last > end)
        ranges_.emplace(end, last);
    }
  }
  bool has(std::uint64_t page) const {
    const auto next = ranges_.upper_bound(page);
    return next != ranges_.begin() && page < std::prev(next)->second;
  }

private:
  std::map<std::uint64_t, std::uint64_t>
      ranges_; ///< first page, and the one behind the last; apart from each other
};

} // namespace cupr::analysis

#endif
