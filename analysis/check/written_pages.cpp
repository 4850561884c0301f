#include "written_pages.h"

#include "analysis/engine/family_walk.h"
#include "analysis/engine/ranges.h"
#include "analysis/model/partial_slice.h"
#include "analysis/model/records.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <unordered_set>

namespace cupr::analysis {

namespace {

/// Above so many nothing is saved by knowing them.
constexpr std::size_t kMostPages = std::size_t{1} << 22;

class PageSet {
public:
  void add(const Range &range) {
    if (range.begin >= range.end)
      return;
    const std::uint64_t first = range.begin >> kCheckPageShift, last = (range.end - 1) >> kCheckPageShift;
    if (first == last && first == last_)
      return;
    for (std::uint64_t page = first; page <= last && !isFull(); ++page)
      pages_.insert(page);
    last_ = last;
  }
  /// More than it takes.
  void fill() { isFilled_ = true; }
  bool isFull() const { return isFilled_ || pages_.size() > kMostPages; }
  const std::unordered_set<std::uint64_t> &pages() const { return pages_; }

private:
  std::unordered_set<std::uint64_t> pages_;
  std::uint64_t last_ = UINT64_MAX;
  bool isFilled_ = false;
};
using PageSets = tbb::enumerable_thread_specific<PageSet>;

/// What a warp accesses: `add` gets ranges. Of lanes that lie no further apart than a page it is one, over those that are missing, too.
template <typename Add> void forRanges(const abi::WarpAccess &access, std::uint32_t bytes, Add add) {
  const auto first = static_cast<unsigned>(std::countr_zero(access.laneMask));
  if (access.form == abi::RecordForm::Affine && bytes != 0 &&
      std::abs(std::int64_t{access.stride}) <= kCheckPageBytes) {
    const auto last = static_cast<unsigned>(31 - std::countl_zero(access.laneMask));
    const auto [low, high] = std::minmax(access.address[first], access.address[last]);
    return add(Range{low, accessRange(high, bytes).end});
  }
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (const std::uint64_t count = abi::laneBytes(access, lane, bytes); count != 0)
      add(accessRange(access.address[lane], count));
  }
}

void addRecorded(const Model &model, const LaunchInfo &launch, ThreadReaders &readers, PageSets &sets) {
  constexpr std::uint64_t kStepsPerRecord = 100;
  tbb::parallel_for(std::size_t{0}, launch.chunks.size(), [&](std::size_t chunk) {
    RecordStream records(model, launch, RecordsOf::GlobalWrites, readers.mine(), chunk);
    PageSet &set = sets.local();
    while (const Record *record = records.next()) {
      records.spend(kStepsPerRecord);
      forRanges(record->access, record->site->bytes, [&](const Range &range) { set.add(range); });
    }
  });
}

/// Runs only what writes follow from, and of blocks that are alike one.
void addDerived(const Model &model, const LaunchInfo &launch, PageSets &sets) {
  constexpr std::uint64_t kStepsPerRecord = 60;
  constexpr std::size_t kBlocksAtOnce = 64, kMostHeld = std::size_t{1} << 20;
  struct Written {
    Range range;
    std::uint64_t shift;
  };
  const std::vector<trace::Site> &sites = model.moduleOf(launch)->sites;
  const trace::Slice part = partialSlice(launch.derivedRecords->slice(), [&](std::uint32_t site) {
    return isWanted(sites[site], RecordsOf::GlobalWrites);
  });
  const tbb::blocked_range<std::size_t> all(0, launch.derivedRecords->blocks(), kBlocksAtOnce);
  tbb::parallel_for(all, [&](const tbb::blocked_range<std::size_t> &blocks) {
    PageSet &set = sets.local();
    std::vector<Written> written;
    const auto hold = [&](const Record &record, std::int64_t shift) {
      forRanges(record.access, record.site->bytes, [&](const Range &range) {
        if (written.size() == kMostHeld)
          return set.fill();
        written.push_back({range, static_cast<std::uint64_t>(shift)});
      });
    };
    const auto addAlike = [&](std::uint64_t alike) {
      for (std::uint64_t block = 0; block < alike && !set.isFull(); ++block)
        for (const Written &each : written)
          set.add({each.range.begin + each.shift * block, each.range.end + each.shift * block});
      written.clear();
    };
    walkFamilies(model, launch, part, blocks.begin(), blocks.end(), RecordsOf::GlobalWrites,
                 "where it writes", kStepsPerRecord, hold, addAlike);
  });
}

} // namespace

WrittenPages::WrittenPages(const Model &model, const LaunchInfo &launch, ThreadReaders &readers) {
  PageSets sets;
  if (launch.derivedRecords)
    addDerived(model, launch, sets);
  else
    addRecorded(model, launch, readers, sets);
  if (std::ranges::any_of(sets, &PageSet::isFull))
    return;
  std::vector<std::uint64_t> pages;
  for (const PageSet &set : sets)
    pages.insert(pages.end(), set.pages().begin(), set.pages().end());
  std::ranges::sort(pages);
  written_.clear();
  for (const std::uint64_t page : pages)
    if (written_.empty() || page > written_.back().last + 1)
      written_.push_back({page, page});
    else
      written_.back().last = page;
}

} // namespace cupr::analysis
