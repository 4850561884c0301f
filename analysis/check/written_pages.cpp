#include "written_pages.h"

#include "analysis/model/records.h"

#include <iterator>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <unordered_set>

namespace cupr::analysis {

namespace {

/// Above so many nothing is saved by knowing them.
constexpr std::size_t kMostPages = std::size_t{1} << 22;

class PageSet {
public:
  void add(std::uint64_t first, std::uint64_t last) {
    if (first == last && first == last_)
      return;
    for (std::uint64_t page = first; page <= last && pages_.size() <= kMostPages; ++page)
      pages_.insert(page);
    last_ = last;
  }
  const std::unordered_set<std::uint64_t> &pages() const { return pages_; }

private:
  std::unordered_set<std::uint64_t> pages_;
  std::uint64_t last_ = UINT64_MAX;
};

} // namespace

WrittenPages::WrittenPages(const Model &model, const LaunchInfo &launch, const ModuleTraits &module,
                           ThreadReaders &readers)
    : areAll_(false) {
  constexpr std::uint64_t kStepsPerRecord = 100;
  tbb::enumerable_thread_specific<PageSet> sets;
  tbb::parallel_for(std::size_t{0}, launch.chunks.size(), [&](std::size_t chunk) {
    RecordStream records(model, launch, RecordsOf::GlobalMemory, readers.mine(), chunk);
    PageSet &set = sets.local();
    while (const Record *record = records.next()) {
      records.spend(kStepsPerRecord);
      const abi::WarpAccess &access = record->access;
      if (!module.sites[access.site].writes)
        continue;
      for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const std::uint64_t bytes = abi::laneBytes(access, lane, record->site->bytes);
        if (bytes != 0)
          set.add(access.address[lane] >> kCheckPageShift,
                  (access.address[lane] + (bytes - 1)) >> kCheckPageShift);
      }
    }
  });
  for (const PageSet &set : sets) {
    pages_.insert(pages_.end(), set.pages().begin(), set.pages().end());
    areAll_ = areAll_ || set.pages().size() > kMostPages;
  }
  std::ranges::sort(pages_);
  const auto rest = std::ranges::unique(pages_);
  pages_.erase(rest.begin(), rest.end());
}

} // namespace cupr::analysis
