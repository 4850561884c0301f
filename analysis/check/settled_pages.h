/// Where a launch may read without that anything can come of it: nobody writes there while it runs, and all was written before. Mostly
/// of tables and inputs.
#ifndef CUPR_ANALYSIS_SETTLED_PAGES_H
#define CUPR_ANALYSIS_SETTLED_PAGES_H

#include "memory_page.h"
#include "page_ranges.h"
#include "written_pages.h"

#include "analysis/engine/ranges.h"

namespace cupr::analysis {

class SettledPages {
public:
  /// `written`: by the launch; `hostWritten`: whole pages that copies and sets have written before. Both outlive it.
  SettledPages(const WrittenPages &written, const PageRanges &hostWritten)
      : written_(written), hostWritten_(hostWritten) {}

  /// Of bytes that are at least one. `isChecked`: what nobody has written would be a fault.
  bool hold(const Range &range, bool isChecked) {
    const std::uint64_t first = range.begin >> kCheckPageShift, last = (range.end - 1) >> kCheckPageShift;
    if (!around_.pages.hold(first, first))
      around_ = written_.at(first);
    if (around_.areWritten || !around_.pages.hold(first, last))
      return false;
    if (isChecked && !held_.hold(first, first))
      held_ = hostWritten_.around(first);
    return !isChecked || held_.hold(first, last);
  }

private:
  const WrittenPages &written_;
  const PageRanges &hostWritten_;
  // Around what was looked up last.
  WrittenPages::Stretch around_;
  Pages held_;
};

} // namespace cupr::analysis

#endif
