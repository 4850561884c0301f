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

  /// Pages around this one that are all written, or are all not.
  struct Stretch {
    Pages pages;
    bool areWritten = false;
  };
  Stretch at(std::uint64_t page) const {
    const auto next = std::ranges::lower_bound(written_, page, {}, &Pages::last);
    if (next != written_.end() && next->first <= page)
      return {*next, true};
    return {{next == written_.begin() ? 0 : next[-1].last + 1,
             next == written_.end() ? UINT64_MAX : next->first - 1},
            false};
  }

private:
  std::vector<Pages> written_{{0, UINT64_MAX}}; ///< ascending, apart from each other
};

} // namespace cupr::analysis

#endif
