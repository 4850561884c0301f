/// Cells that split when they must.
#include "shadow.h"

#include <algorithm>

namespace cupr::analysis {

Shadow::Page *Shadow::find(std::uint64_t number, Missing missing) {
  if (number == lastNumber_ && (last_ || missing == Missing::Skip))
    return last_;
  lastNumber_ = number;
  if (missing == Missing::Make)
    return last_ = &pages_[number]; // references into an unordered_map stay valid
  const auto found = pages_.find(number);
  return last_ = found == pages_.end() ? nullptr : &found->second;
}

void Shadow::refine(Page &page, unsigned begin, unsigned end) {
  const auto needed = static_cast<unsigned>(__builtin_ctz(begin | end | kPageBytes));
  if (needed >= page.shift)
    return;
  auto cells = std::make_unique<Cell[]>(kPageBytes >> needed);
  const unsigned parts = 1u << (page.shift - needed);
  for (unsigned i = 0; i < kPageBytes >> page.shift; ++i)
    std::fill_n(cells.get() + std::size_t{i} * parts, parts, page.cells[i]);
  page.cells = std::move(cells);
  page.shift = needed;
}

void Shadow::assign(Page &page, unsigned begin, unsigned end, const Cell &cell) {
  if (begin == 0 && end == kPageBytes && page.shift != kPageShift)
    page = Page(); // one fate again
  refine(page, begin, end);
  std::fill(page.cells.get() + (begin >> page.shift), page.cells.get() + (end >> page.shift), cell);
}

void Shadow::clear(const Range &range) {
  const std::uint64_t firstWhole = (range.begin + kPageBytes - 1) >> kPageShift;
  const std::uint64_t endWhole = range.end >> kPageShift;
  const auto isWhole = [&](std::uint64_t number) { return number >= firstWhole && number < endWhole; };
  // Big ranges: go through what is there instead of what could be.
  if (endWhole > firstWhole && endWhole - firstWhole > pages_.size())
    std::erase_if(pages_, [&](const auto &entry) { return isWhole(entry.first); });
  else
    for (std::uint64_t number = firstWhole; number < endWhole; ++number)
      pages_.erase(number);
  lastNumber_ = UINT64_MAX;
  last_ = nullptr;
  const auto clearPart = [&](const Range &part) {
    forEachPage(part, Missing::Skip, [](std::uint64_t, Page &page, unsigned begin, unsigned end) {
      assign(page, begin, end, Cell{});
    });
  };
  const std::uint64_t headEnd = std::min(range.end, firstWhole << kPageShift);
  if (range.begin < headEnd)
    clearPart({range.begin, headEnd});
  const std::uint64_t tailBegin = std::max(headEnd, endWhole << kPageShift);
  if (tailBegin < range.end)
    clearPart({tailBegin, range.end});
}

} // namespace cupr::analysis
