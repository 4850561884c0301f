/// Sets of pages, as ranges of their numbers: the host writes whole buffers at a time.
#ifndef CUPR_ANALYSIS_PAGE_RANGES_H
#define CUPR_ANALYSIS_PAGE_RANGES_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace cupr::analysis {

/// From the first to the last one; none, as it is made.
struct Pages {
  std::uint64_t first = 1, last = 0;
  bool hold(std::uint64_t from, std::uint64_t to) const { return first <= from && to <= last; }
};

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
  bool has(std::uint64_t page) const { return around(page).hold(page, page); }
  /// All around this page that are in the set; none, if it is not.
  Pages around(std::uint64_t page) const {
    const auto next = ranges_.upper_bound(page);
    if (next == ranges_.begin() || page >= std::prev(next)->second)
      return {};
    return {std::prev(next)->first, std::prev(next)->second - 1};
  }

private:
  std::map<std::uint64_t, std::uint64_t>
      ranges_; ///< first page, and the one behind the last; apart from each other
};

} // namespace cupr::analysis

#endif
