/// Runs are counted by page, and then go to their places.
#include "runs_by_page.h"

#include <algorithm>
#include <bit>
#include <utility>

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
  std::uint64_t crossed = 0; // the bits in which first and last bytes of runs differ
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
      pageOfRun_.push_back(page);
      crossed |= run.begin ^ (run.range().end - 1);
    }
  // Parts of pages are powers of two which no run reaches over: as small as blocks of a shadow, if there are runs for all of them.
  unsigned shift = std::clamp(static_cast<unsigned>(std::bit_width(crossed)), kBlockShift, kPageShift);
  while (shift != kPageShift && pages_.size() << (kPageShift - shift) > runs)
    ++shift;
  if (pages_.size() << (kPageShift - shift) < 2)
    return false;
  const auto placeOf = [&](const ShardRun &run, std::uint32_t page) {
    return page << (kPageShift - shift) | static_cast<std::uint32_t>(run.begin % kPageBytes >> shift);
  };
  next_.assign(pages_.size() << (kPageShift - shift), 0);
  const std::uint32_t *page = pageOfRun_.data();
  for (const std::span<const ShardRun> part : parts)
    for (const ShardRun &run : part)
      ++next_[placeOf(run, *page++)];
  std::uint32_t sum = 0;
  for (std::uint32_t &next : next_)
    next = std::exchange(sum, sum + next);
  sorted_.resize(runs);
  page = pageOfRun_.data();
  for (const std::span<const ShardRun> part : parts)
    for (const ShardRun &run : part)
      sorted_[next_[placeOf(run, *page++)]++] = run;
  return true;
}

std::uint32_t RunsByPage::pageOf(std::uint64_t number) {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = (number * 0x9e3779b97f4a7c15u >> 32) & mask;
  while (places_[place] != 0 && pages_[places_[place] - 1] != number)
    place = (place + 1) & mask;
  if (places_[place] == 0) {
    pages_.push_back(number);
    places_[place] = static_cast<std::uint32_t>(pages_.size());
  }
  return places_[place] - 1;
}

} // namespace cupr::analysis
