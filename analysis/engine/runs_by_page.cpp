/// Runs are counted by page, and then go to their places.
#include "runs_by_page.h"

#include <algorithm>
#include <bit>

namespace cupr::analysis {

namespace {

/// Whether most runs are of one element, by a few of each part. What coalesced warps touch comes in a good
/// order.
bool areScattered(RunsByPage::Parts parts) {
  constexpr std::size_t kLookedAt = 32;
  std::size_t looked = 0, single = 0;
  for (const std::span<const ShardRun> part : parts)
    for (std::size_t i = 0; i < part.size(); i += part.size() / kLookedAt + 1) {
      ++looked;
      single += part[i].elements == 1;
    }
  return 2 * single > looked;
}

} // namespace

/// False: it can't be done, or isn't worth it.
bool RunsByPage::sort(Parts parts, std::size_t runs) {
  if (!areScattered(parts))
    return false;
  const std::size_t mostPages = runs / kRunsPerPage;
  pages_.clear();
  pageOfRun_.clear();
  pageOfRun_.reserve(runs);
  places_.assign(std::bit_ceil(2 * mostPages + 2), 0);
  for (const std::span<const ShardRun> part : parts)
    for (const ShardRun &run : part) {
      // What many CTAs produce together is kept as far as there is room: so it depends on the order. And a
      // run of several pages stands behind the runs before it in each of them.
      if (run.operation == abi::OperationClass::Atomic || run.elementBytes > kPageBytes)
        return false;
      const std::uint32_t page = pageOf(run.begin >> kPageShift);
      if (pages_.size() > mostPages)
        return false;
      ++pages_[page].runs;
      pageOfRun_.push_back(page);
    }
  if (pages_.size() < 2)
    return false;
  std::uint32_t sum = 0;
  for (Page &page : pages_) {
    page.next = sum;
    sum += page.runs;
  }
  sorted_.resize(runs);
  const std::uint32_t *page = pageOfRun_.data();
  for (const std::span<const ShardRun> part : parts)
    for (const ShardRun &run : part)
      sorted_[pages_[*page++].next++] = run;
  return true;
}

std::uint32_t RunsByPage::pageOf(std::uint64_t number) {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = (number * 0x9e3779b97f4a7c15u >> 32) & mask;
  while (places_[place] != 0 && pages_[places_[place] - 1].number != number)
    place = (place + 1) & mask;
  if (places_[place] == 0) {
    pages_.push_back({number, 0, 0});
    places_[place] = static_cast<std::uint32_t>(pages_.size());
  }
  return places_[place] - 1;
}

} // namespace cupr::analysis
