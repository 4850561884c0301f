/// Which pages of global memory a launch writes to: accesses of others can't race.
#ifndef CUPR_ANALYSIS_WRITTEN_PAGES_H
#define CUPR_ANALYSIS_WRITTEN_PAGES_H

#include "memory_page.h"
#include "page_ranges.h"

#include "analysis/engine/thread_readers.h"
#include "analysis/model/model.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

class WrittenPages {
public:
  /// All pages, of whatever number.
  WrittenPages() = default;
  /// Those of the launch: its records are read, by many threads. Throws BadTrace, trace::TooMuch.
  WrittenPages(const Model &model, const LaunchInfo &launch, ThreadReaders &readers);

  bool has(std::uint64_t page) const { return areAll_ || std::ranges::binary_search(pages_, page); }

  /// All around this page that are not written; none, if it is.
  Pages gapAt(std::uint64_t page) const {
    if (areAll_)
      return {};
    const auto next = std::ranges::lower_bound(pages_, page);
    if (next != pages_.end() && *next == page)
      return {};
    return {next == pages_.begin() ? 0 : next[-1] + 1, next == pages_.end() ? UINT64_MAX : *next - 1};
  }

private:
  bool areAll_ = true;
  std::vector<std::uint64_t> pages_; ///< ascending
};

} // namespace cupr::analysis

#endif
