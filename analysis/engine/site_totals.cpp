#include "site_totals.h"

#include "analysis/engine/family_walk.h"
#include "analysis/engine/like_last.h"
#include "kept_work.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tbb/parallel_for.h>
#include <unordered_set>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerRecord = 30, kStepsPerRequest = 100;
/// Blocks that are looked at in one go: there is something to do for all processors, and families stay whole.
constexpr std::size_t kFewestBlocks = 16, kMostBlocks = 4096;

} // namespace

void SiteTotal::add(const SiteTotal &other, std::uint64_t times) {
  records += other.records * times;
  accesses += other.accesses * times;
  bytes += other.bytes * times;
  made.add(other.made, times);
}

/// Sums of the records of one launch.
class SiteTotals::Look {
public:
  Look(std::size_t sites, Figures figures) : figures_(figures), places_(sites) {}

  std::uint64_t stepsPerRecord() const {
    return figures_ == Figures::Requests ? kStepsPerRequest : kStepsPerRecord;
  }
  void add(const Record &record) {
    Site &site = siteOf(record);
    site.sum.add(countOf(record), 1);
    if (counts(record))
      site.sum.made.add(site.like.of(record.access, [&] { return madeBy(record); }));
  }
  /// A record of the first of some blocks that are alike; those of the others are `shift` bytes further on, from block to block.
  void addAlike(Record &record, std::int64_t shift) {
    Site &site = siteOf(record);
    site.ofFamily.add(countOf(record), 1);
    if (!counts(record))
      return;
    // What a request makes of its sectors is a matter of where in a sector it begins.
    const std::uint64_t period =
        kSectorBytes / std::gcd(static_cast<std::uint64_t>(shift), std::uint64_t{kSectorBytes});
    for (std::uint64_t place = 0; place < period; ++place) {
      const RequestFigures &made = site.like.of(record.access, [&] { return madeBy(record); });
      if (period == 1)
        return site.ofFamily.made.add(made);
      for (std::uint64_t like = place; like < kSectorBytes; like += period)
        site.byPlace[like].add(made);
      for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1)
        record.access.address[std::countr_zero(left)] += static_cast<std::uint64_t>(shift);
    }
  }
  /// All records of so many blocks that are alike have been added.
  void endAlike(std::uint64_t blocks) {
    for (Site &site : sites_) {
      site.sum.add(std::exchange(site.ofFamily, {}), blocks);
      for (std::uint64_t place = 0; place < kSectorBytes; ++place)
        site.sum.made.add(std::exchange(site.byPlace[place], {}),
                          blocks / kSectorBytes + (place < blocks % kSectorBytes));
    }
  }
  void addTo(std::map<std::uint32_t, SiteTotal> &totals) const {
    for (const Site &site : sites_)
      totals[site.number].add(site.sum, 1);
  }

private:
  struct Site {
    std::uint32_t number;
    SiteTotal sum{}, ofFamily{};
    /// Of blocks that are alike, what those make whose number among them, modulo 32, is the index.
    std::array<RequestFigures, kSectorBytes> byPlace{};
    LikeLast<RequestFigures> like{};
  };
  Site &siteOf(const Record &record) {
    std::uint32_t &place = places_[record.access.site];
    if (place == 0) {
      sites_.push_back({record.access.site});
      place = static_cast<std::uint32_t>(sites_.size());
    }
    return sites_[place - 1];
  }
  bool counts(const Record &record) const {
    return figures_ == Figures::Requests && abi::spaceOf(record.site->space) == abi::MemorySpace::Global;
  }
  static SiteTotal countOf(const Record &record) {
    return {
        1, abi::activeLanes(record.access.laneMask), abi::recordBytes(record.access, record.site->bytes), {}};
  }
  RequestFigures madeBy(const Record &record) { return requestsOf(record, runsOf_.of(record)); }

  const Figures figures_;
  std::vector<std::uint32_t> places_; ///< in sites_, from 1, by number; 0: there is no record of it
  std::vector<Site> sites_;
  AccessRuns runsOf_;
};

void SiteTotals::count(std::span<const std::size_t> launches, Figures figures) {
  std::vector<Task> tasks;
  struct Found {
    const LaunchInfo *launch;
    std::map<std::uint32_t, SiteTotal> totals{};
  };
  std::vector<Found> found;
  std::unordered_set<const void *> keys;
  for (const std::size_t place : launches) {
    const LaunchInfo &launch = model_.launches()[place];
    const auto known = known_.find(keyOf(launch));
    if ((known != known_.end() && known->second.figures >= figures) || !keys.insert(keyOf(launch)).second)
      continue;
    found.push_back({&launch});
    const std::size_t all = launch.derivedRecords ? launch.derivedRecords->blocks() : launch.chunks.size();
    const std::size_t atOnce =
        launch.derivedRecords ? std::clamp<std::size_t>(all / 64, kFewestBlocks, kMostBlocks) : 1;
    for (std::size_t first = 0; first < all; first += atOnce)
      tasks.push_back({found.size() - 1, first, std::min(all, first + atOnce)});
  }
  std::mutex mutex; // of what is in `found`
  tbb::parallel_for(tbb::blocked_range(std::size_t{0}, tasks.size(), 4), [&](const auto &range) {
    for (std::size_t i = range.begin(); i != range.end();) {
      Found &of = found[tasks[i].launch];
      const trace::Module *const module = model_.moduleOf(*of.launch);
      Look look(module ? module->sites.size() : 0, figures);
      for (; i != range.end() && &found[tasks[i].launch] == &of; ++i)
        count(*of.launch, tasks[i], look);
      const std::scoped_lock lock(mutex);
      look.addTo(of.totals);
    }
  });
  for (const auto &[launch, totals] : found) {
    model_.limit().keep(totals.size() * sizeof(LaunchSiteTotals::value_type),
                        [] { return std::string("what its sites add up to"); });
    known_[keyOf(*launch)] = {figures, {totals.begin(), totals.end()}};
  }
}

void SiteTotals::count(const LaunchInfo &launch, const Task &task, Look &look) {
  if (launch.derivedRecords)
    return walkFamilies(
        model_, launch, launch.derivedRecords->slice(), task.first, task.end, wanted_, "its sites' totals",
        look.stepsPerRecord(), [&](Record &record, std::int64_t shift) { look.addAlike(record, shift); },
        [&](std::uint64_t blocks) { look.endAlike(blocks); });
  RecordStream records(model_, launch, wanted_, readers_.mine(), task.first);
  while (const Record *record = records.next()) {
    records.spend(look.stepsPerRecord());
    look.add(*record);
  }
}

void SiteTotals::countAnew(std::span<const std::size_t> launches, Figures figures) {
  const KeptWork kept(model_, fmt::format("site totals, records {}, figures {}, launches {}",
                                          static_cast<int>(wanted_), static_cast<int>(figures),
                                          fmt::join(launches, " ")));
  // Launches that are alike have one entry, which stands where the first of them does.
  const auto forEach = [&](const auto &visit) {
    std::unordered_set<const void *> seen;
    for (const std::size_t launch : launches)
      if (const void *const key = keyOf(model_.launches()[launch]); seen.insert(key).second)
        visit(key);
  };
  if (kept.read([&](std::FILE *file) {
        forEach([&](const void *key) {
          Known &known = known_[key];
          known.figures = figures;
          loadVector(file, known.totals);
        });
      }))
    return;
  known_.clear(); // of an entry that could not be read to its end
  count(launches, figures);
  kept.write(
      [&](std::FILE *file) { forEach([&](const void *key) { saveVector(file, known_.at(key).totals); }); });
}

} // namespace cupr::analysis
