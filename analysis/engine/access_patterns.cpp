/// Launches whose accesses are derived are looked at family by family, and those that are counted once, once. What a record makes of its
/// sectors is a matter of where in a sector it begins, so for the blocks of a family it repeats itself after 32 blocks at most.
#include "access_patterns.h"

#include "analysis/model/phases.h"
#include "analysis/model/shared_variables.h"
#include "analysis/output/progress.h"
#include "family_walk.h"
#include "hostlib/trace/derived_launch.h"
#include "like_last.h"
#include "program_places.h"
#include "record_walk.h"
#include "warp_places.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tbb/parallel_for.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::analysis {

PatternVolume &PatternVolume::operator+=(const PatternVolume &other) {
  made.add(other.made);
  banks.add(other.banks);
  warpAccesses += other.warpAccesses;
  threads += other.threads;
  oneAddress += other.oneAddress;
  sharedAddresses += other.sharedAddresses;
  return *this;
}

PatternVolume PatternVolume::times(std::uint64_t count) const {
  PatternVolume product;
  product.made.add(made, count);
  product.banks.add(banks, count);
  product.warpAccesses = warpAccesses * count;
  product.threads = threads * count;
  product.oneAddress = oneAddress * count;
  product.sharedAddresses = sharedAddresses * count;
  return product;
}

void Distances::add(std::int64_t value, std::uint64_t times) {
  all_ += times;
  for (std::size_t i = 0; i < size_; ++i)
    if (counts_[i].value == value) {
      counts_[i].times += times;
      return;
    }
  if (size_ < kMost && times != 0)
    counts_[size_++] = {value, times};
}

void Distances::add(const Distances &other, std::uint64_t times) {
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < other.size_; ++i) {
    add(other.counts_[i].value, other.counts_[i].times * times);
    counted += other.counts_[i].times;
  }
  all_ += (other.all_ - counted) * times;
}

std::optional<std::int64_t> Distances::most() const {
  for (std::size_t i = 0; i < size_; ++i)
    if (2 * counts_[i].times > all_)
      return counts_[i].value;
  return std::nullopt;
}

std::uint64_t Distances::timesOf(std::int64_t value) const {
  for (std::size_t i = 0; i < size_; ++i)
    if (counts_[i].value == value)
      return counts_[i].times;
  return 0;
}

PatternVolume SitePatterns::all() const {
  PatternVolume sum;
  for (const auto &[pattern, volume] : patterns)
    sum += volume;
  return sum;
}

namespace {

/// Patterns of one site that are kept apart; what comes behind them counts as scattered.
constexpr std::size_t kMostPatterns = 64;

PatternVolume &volumeOf(std::map<RequestPattern, PatternVolume> &patterns, const RequestPattern &pattern) {
  if (const auto found = patterns.find(pattern); found != patterns.end())
    return found->second;
  if (patterns.size() >= kMostPatterns)
    return patterns[{PatternKind::Scattered}];
  return patterns[pattern];
}

} // namespace

void SitePatterns::add(const SitePatterns &other, std::uint64_t times) {
  for (const auto &[pattern, volume] : other.patterns)
    volumeOf(patterns, pattern) += volume.times(times);
  next.add(other.next, times);
  shifts += other.shifts * times;
  across.add(other.across, times);
  along.add(other.along, times);
  block.add(other.block, times);
  warp.add(other.warp, times);
  met.add(other.met, times);
  at.add(other.at);
  if (first == UINT64_MAX)
    first = other.first;
  reach.add(other.reach);
  variables.insert(other.variables.begin(), other.variables.end());
}

namespace {

/// Of a part of a launch.
struct SiteLook {
  SitePatterns patterns;
  AddressTally tally;
};
/// By site of the launch's module.
using LaunchPatterns = std::unordered_map<std::uint32_t, SiteLook>;

abi::MemorySpace spaceOf(const Record &record) { return abi::spaceOf(record.site->space); }
bool isLookedAt(const Record &record) {
  return spaceOf(record) == abi::MemorySpace::Global || spaceOf(record) == abi::MemorySpace::Shared ||
         spaceOf(record) == abi::MemorySpace::Local;
}

/// What one request makes, wherever in memory its sectors and banks are.
struct Request {
  RequestPattern pattern;
  PatternVolume volume;
};

Request requestOf(const Record &record, AccessRuns &runsOf, std::uint32_t blockWidth, BankWidth bankWidth) {
  const std::span<const AccessRun> runs = runsOf.of(record);
  Request request;
  if (spaceOf(record) == abi::MemorySpace::Shared) {
    request.volume.banks = bankFigures(record, bankWidth);
    request.pattern = patternOf(record, request.volume.banks, blockWidth);
  } else if (spaceOf(record) == abi::MemorySpace::Local) {
    request.volume.made = localRequestsOf(record);
    request.pattern.kind = request.volume.made.sectors > request.volume.made.leastSectors
                               ? PatternKind::Scattered
                               : PatternKind::Packed;
  } else {
    request.volume.made = requestsOf(record, runs);
    request.pattern = patternOf(record, runs, request.volume.made, blockWidth);
  }
  request.volume.warpAccesses = 1;
  request.volume.threads = abi::activeLanes(record.access.laneMask);
  std::uint64_t addresses = 0;
  for (const AccessRun &run : runs)
    addresses += run.elements;
  request.volume.sharedAddresses = request.volume.threads - std::min(request.volume.threads, addresses);
  request.volume.oneAddress = addresses == 1 && request.volume.threads > 1 ? request.volume.made.requests : 0;
  return request;
}

/// Looks at the records of a launch, some at a time.
class PatternLook {
public:
  /// `variables`: the launch's shared ones, by offset.
  PatternLook(const LaunchInfo &launch, std::span<const SharedVariable> variables, BankWidth bankWidth)
      : launch_(launch), variables_(variables), blockWidth_(launch.launch.block.x), bankWidth_(bankWidth),
        places_(launch.launch.block) {}

  void add(const Record &record) {
    Site &site = siteOf(record);
    const Request &request = site.like.of(record.access, [&] { return look(record); });
    volumeOf(site.sum.patterns, request.pattern) += request.volume;
    places_.move(record, site.sum);
    site.sum.reach.add(reachOf(record.access));
    tally(record, site, [&](std::uint64_t address, std::uint64_t threads, bool isFirstOfSector) {
      site.tally.add(address, threads, isFirstOfSector, record.access.cta, 1);
    });
    if (!variables_.empty() && spaceOf(record) == abi::MemorySpace::Shared)
      nameVariables(record.access, site);
  }

  /// A record of the first of some blocks that are alike; those of the others are `shift` bytes further on, from block to block.
  void addAlike(Record &record, std::int64_t shift) {
    Site &site = siteOf(record);
    if (!variables_.empty() && spaceOf(record) == abi::MemorySpace::Shared) {
      nameVariables(record.access, site);
      if (shift != 0)
        site.moving.push_back({record.access, shift});
    }
    std::optional<std::uint64_t> before;
    tally(record, site, [&](std::uint64_t address, std::uint64_t threads, bool) {
      site.meeting.push_back({address, threads, record.access.cta, shift, before});
      before = address;
    });
    // By where in a sector, or in a bank's word, requests begin, they differ.
    const std::uint64_t unit = spaceOf(record) == abi::MemorySpace::Shared
                                   ? static_cast<std::uint64_t>(BankWidth::Eight)
                                   : kSectorBytes;
    const std::uint64_t period = unit / std::gcd(static_cast<std::uint64_t>(shift), unit);
    if (places_.move(record, site.ofFamily))
      site.alikeBlocks.add(shift, 1);
    site.reaches[shift].add(reachOf(record.access));
    if (period == 1) {
      const Request &request = site.like.of(record.access, [&] { return look(record); });
      volumeOf(site.ofFamily.patterns, request.pattern) += request.volume;
      return;
    }
    site.places.resize(kSectorBytes);
    for (std::uint64_t place = 0; place < period; ++place) {
      const Request request = look(record);
      for (std::uint64_t like = place; like < kSectorBytes; like += period)
        volumeOf(site.places[like], request.pattern) += request.volume;
      move(record.access, shift);
    }
  }
  /// All records of so many blocks that are alike have been added.
  void endAlike(std::uint64_t blocks) {
    for (auto &[number, site] : sites_) {
      site.sum.add(std::exchange(site.ofFamily, {}), blocks);
      site.sum.block.add(std::exchange(site.alikeBlocks, {}), blocks - 1);
      for (std::uint64_t place = 0; place < site.places.size(); ++place)
        for (const auto &[pattern, volume] : site.places[place])
          volumeOf(site.sum.patterns, pattern) +=
              volume.times(blocks / kSectorBytes + (place < blocks % kSectorBytes));
      site.places.clear();
      for (const auto &[shift, reach] : std::exchange(site.reaches, {}))
        for (const std::uint64_t further :
             {std::uint64_t{0}, (blocks - 1) * static_cast<std::uint64_t>(shift)})
          site.sum.reach.add({reach.least + further, reach.most + further});
      for (const Meeting &of : std::exchange(site.meeting, {}))
        tallyAlike(of, blocks, site.tally);
      for (Moving &moving : std::exchange(site.moving, {}))
        for (std::uint64_t block = 1; block < blocks; ++block) {
          move(moving.access, moving.shift);
          steps_ += kStepsPerFurtherRequest;
          nameVariables(moving.access, site);
        }
    }
  }

  /// Of the model's limit, for what was looked at since.
  std::uint64_t takeSteps() { return std::exchange(steps_, 0); }

  LaunchPatterns take() {
    LaunchPatterns result;
    for (auto &[number, site] : sites_)
      result.emplace(number, SiteLook{std::move(site.sum), std::move(site.tally)});
    sites_.clear();
    return result;
  }

private:
  /// An access of shared memory that is elsewhere in each of some blocks that are alike.
  struct Moving {
    abi::WarpAccess access;
    std::int64_t shift;
  };
  /// An address of a request by the first of some blocks that are alike; those of the others are `shift` bytes further on.
  struct Meeting {
    std::uint64_t address, threads, cta;
    std::int64_t shift;
    std::optional<std::uint64_t> before; ///< the next lower address of the request
    /// So many bytes further on: where sectors begin is another matter there.
    bool isFirstOfSector(std::uint64_t further) const {
      return !before || (address + further) / kSectorBytes != (*before + further) / kSectorBytes;
    }
  };
  static void move(abi::WarpAccess &access, std::int64_t shift) {
    for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
      access.address[std::countr_zero(left)] += static_cast<std::uint64_t>(shift);
  }
  struct Site {
    SitePatterns sum, ofFamily;
    AddressTally tally;
    std::vector<Moving> moving;
    std::vector<Meeting> meeting;
    Distances alikeBlocks; ///< from block to block of those that are alike
    /// Of the first of some blocks that are alike, by how much further on those of the next are.
    std::map<std::int64_t, Reach> reaches;
    /// Of blocks that are alike, the requests of those whose number among them, modulo 32, is the index.
    std::vector<std::map<RequestPattern, PatternVolume>> places;
    LikeLast<Request> like;
    const SharedVariable *variable = nullptr; ///< that was found last
  };
  static Reach reachOf(const abi::WarpAccess &access) {
    Reach reach;
    reach.add(access.address[std::countr_zero(access.laneMask)]);
    reach.add(access.address[abi::kLanes - 1 - std::countl_zero(access.laneMask)]);
    return reach;
  }
  void nameVariables(const abi::WarpAccess &access, Site &site) {
    for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
      const std::uint64_t address = access.address[std::countr_zero(left)];
      if (site.variable && address - site.variable->offset < site.variable->bytesIn(launch_))
        continue;
      if (const SharedVariable *const found = holderOf(variables_, launch_, address)) {
        site.variable = found;
        site.sum.variables.insert(found->name);
      }
    }
  }
  /// Calls `visit` as AddressTally::forEachAddress does, if the request is one of those that are told apart.
  template <typename Visit> void tally(const Record &record, const Site &site, Visit visit) {
    if (site.tally.isMany() || spaceOf(record) != abi::MemorySpace::Global)
      return;
    const abi::WarpAccess &access = record.access;
    if (abi::operationClass(record.site->operation) == abi::OperationClass::Atomic)
      AddressTally::forEachAddress(runsOf_.of(record), visit);
    else if (AddressTally::hasOneAddress(access))
      visit(access.address[std::countr_zero(access.laneMask)],
            std::uint64_t{abi::activeLanes(access.laneMask)}, true);
  }
  void tallyAlike(const Meeting &of, std::uint64_t blocks, AddressTally &tally) {
    if (of.shift == 0)
      return tally.add(of.address, of.threads, of.isFirstOfSector(0), of.cta, blocks);
    // More blocks have more addresses than it takes.
    const std::uint64_t enough = std::min<std::uint64_t>(blocks, AddressTally::kMost + 1);
    for (std::uint64_t block = 0; block < enough && !tally.isMany(); ++block) {
      const std::uint64_t further = block * static_cast<std::uint64_t>(of.shift);
      tally.add(of.address + further, of.threads, of.isFirstOfSector(further), of.cta + block, 1);
      steps_ += kStepsPerFurtherMeeting;
    }
  }
  Request look(const Record &record) {
    Request request = requestOf(record, runsOf_, blockWidth_, bankWidth_);
    const std::uint64_t made = request.volume.banks.requests;
    steps_ += kStepsPerFurtherRequest * (made - std::min<std::uint64_t>(made, 1));
    return request;
  }
  Site &siteOf(const Record &record) {
    if (!last_ || lastNumber_ != record.access.site) {
      last_ = &sites_[record.access.site];
      lastNumber_ = record.access.site;
    }
    return *last_;
  }

  const LaunchInfo &launch_;
  const std::span<const SharedVariable> variables_;
  const std::uint32_t blockWidth_;
  const BankWidth bankWidth_;
  AccessRuns runsOf_;
  WarpPlaces places_;
  std::unordered_map<std::uint32_t, Site> sites_;
  Site *last_ = nullptr;
  std::uint32_t lastNumber_ = 0;
  static constexpr std::uint64_t kStepsPerFurtherRequest = 200, kStepsPerFurtherMeeting = 40;
  std::uint64_t steps_ = 0;
};

/// A part of the blocks of a launch whose accesses are derived.
struct BlockRange {
  LaunchIndex launch;
  std::size_t first, end;
};

class PatternSums {
public:
  PatternSums(const Model &model, const PatternOptions &options)
      : model_(model), filter_(options.launches, model), ofRecords_(options.records, model),
        takesAllRecords_(options.records.isAll()), bankWidth_(options.bankWidth), progress_(options.progress),
        kernels_(kernelsOf(model)), firstSites_(firstSitesOf(model)), sharedVariables_(model) {}

  std::map<KernelSite, SitePatterns> run() {
    std::uint64_t records = 0;
    for (const LaunchInfo &launch : model_.launches())
      records += filter_.has(launch) ? launch.totals.records : 0;
    if (progress_)
      progress_->start(records);
    findVariables();
    walkRecorded();
    while (!open_.empty())
      finish(open_.begin(), 1);
    walkDerived();
    if (progress_)
      progress_->finish();
    return std::move(sums_);
  }

private:
  /// Of all launches, before several threads ask for them.
  void findVariables() {
    variables_.resize(model_.launches().size());
    for (LaunchIndex launch = 0; launch < variables_.size(); ++launch)
      if (const LaunchInfo &info = model_.launches()[launch]; filter_.has(info))
        variables_[launch] = sharedVariables_.of(info);
  }

  std::span<const SharedVariable> variablesOf(const LaunchInfo &launch) const {
    return variables_[static_cast<std::size_t>(&launch - model_.launches().data())];
  }

  void walkRecorded() {
    RecordWalk(model_).walk(
        [&](LaunchIndex launch) {
          const LaunchInfo &info = model_.launches()[launch];
          return !isDerivedByFamily(info) && filter_.has(info);
        },
        [&](RecordStream &stream, const AllocationMap &) {
          ChunkPatterns result;
          const Record *record = stream.next();
          if (!record)
            return result;
          const LaunchInfo &info = stream.launch();
          PatternLook look(info, variablesOf(info), bankWidth_);
          for (; record; record = stream.next()) {
            ++result.records;
            if (isLookedAt(*record) && !isGridBarrier(*record->site) &&
                ofRecords_.has(stream.launch(), *record)) {
              look.add(*record);
              stream.spend(kStepsPerRecord + look.takeSteps());
            }
          }
          result.patterns = look.take();
          return result;
        },
        [&](LaunchIndex launch, ChunkPatterns &found) {
          add(launch, found.patterns, 1);
          Open &open = open_[launch];
          open.records += found.records;
          // A launch is at its end when all of its records were seen. Of those that are not all there nobody can tell, so they are
          // only waited for while there are few.
          if (open.records == model_.launches()[launch].totals.records)
            finish(open_.find(launch), 1);
          else if (open_.size() > kMostOpen)
            finish(open_.begin(), 1);
          done(found.records);
        });
  }

  void walkDerived() {
    // Launches whose records are the same, but for where blocks ran, are looked at once.
    std::map<std::pair<LaunchIndex, const void *>, std::size_t> places; // kernel, likeness
    std::vector<std::pair<LaunchIndex, std::uint64_t>> launches;        // the first, how many
    for (LaunchIndex launch = 0; launch < model_.launches().size(); ++launch)
      if (const LaunchInfo &info = model_.launches()[launch]; isDerivedByFamily(info) && filter_.has(info)) {
        const auto [place, isNew] =
            places.try_emplace({kernels_[launch], info.derivedRecords->likeness()}, launches.size());
        if (isNew)
          launches.emplace_back(launch, 0);
        ++launches[place->second].second;
      }
    for (const auto &[launch, times] : launches) {
      const LaunchInfo &info = model_.launches()[launch];
      const std::size_t blocks = info.derivedRecords->blocks();
      // The same for any number of processors, so that the result is.
      const std::size_t atOnce = std::clamp<std::size_t>(blocks / 64, 16, 4096);
      for (std::size_t from = 0; from < blocks; from += kRanges * atOnce) {
        const std::size_t ranges = std::min(kRanges, (blocks - from + atOnce - 1) / atOnce);
        std::vector<LaunchPatterns> found(ranges);
        tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t i) {
          const std::size_t first = from + i * atOnce;
          found[i] = lookAt(info, first, std::min(blocks, first + atOnce));
        });
        for (const LaunchPatterns &patterns : found)
          add(launch, patterns, times);
      }
      if (const auto open = open_.find(launch); open != open_.end())
        finish(open, times);
      done(info.totals.records * times);
    }
  }

  LaunchPatterns lookAt(const LaunchInfo &info, std::size_t first, std::size_t end) const {
    PatternLook look(info, variablesOf(info), bankWidth_);
    walkFamilies(
        model_, info, info.derivedRecords->slice(), first, end, RecordsOf::AllMemory, "its patterns",
        kStepsPerRecord,
        [&](Record &record, std::int64_t shift) {
          if (isLookedAt(record))
            look.addAlike(record, shift);
        },
        [&](std::uint64_t blocks) {
          look.endAlike(blocks);
          model_.limit().spend(look.takeSteps(), [&] { return info.kernel + ": its banks"; });
        });
    return look.take();
  }

  void add(LaunchIndex launch, const LaunchPatterns &patterns, std::uint64_t times) {
    for (const auto &[site, found] : patterns) {
      sumOf(launch, site).add(found.patterns, times);
      open_[launch].tallies[site].add(found.tally);
    }
  }

  SitePatterns &sumOf(LaunchIndex launch, std::uint32_t site) {
    const std::uint32_t first =
        firstSites_[static_cast<std::size_t>(model_.launches()[launch].launch.module)];
    return sums_[{kernels_[launch], first + site}];
  }

  /// A launch some of whose records were seen.
  struct Open {
    std::uint64_t records = 0;
    std::unordered_map<std::uint32_t, AddressTally> tallies; ///< by site of its module
  };
  void finish(std::map<LaunchIndex, Open>::iterator open, std::uint64_t times) {
    const std::uint64_t blocks = trace::blocksOf(model_.launches()[open->first].launch.grid);
    for (const auto &[site, tally] : open->second.tallies) {
      SitePatterns &sum = sumOf(open->first, site);
      sum.met.add(tally.sum(blocks, sum.at), times);
    }
    open_.erase(open);
  }

  /// Blocks that are alike are looked at once, unless single ones, or single places, were asked for.
  bool isDerivedByFamily(const LaunchInfo &launch) const { return launch.derivedRecords && takesAllRecords_; }

  void done(std::uint64_t records) {
    if (progress_)
      progress_->look(done_ += records);
  }

  static constexpr std::uint64_t kStepsPerRecord = 100;
  static constexpr std::size_t kRanges = 256, kMostOpen = 64;
  struct ChunkPatterns {
    LaunchPatterns patterns;
    std::uint64_t records = 0;
  };

  const Model &model_;
  const LaunchFilter filter_;
  const RecordFilter ofRecords_;
  const bool takesAllRecords_;
  const BankWidth bankWidth_;
  Progress *const progress_;
  const std::vector<LaunchIndex> kernels_;
  const std::vector<std::uint32_t> firstSites_;
  SharedVariables sharedVariables_;
  std::vector<std::span<const SharedVariable>> variables_; ///< by launch
  std::uint64_t done_ = 0;
  std::map<LaunchIndex, Open> open_;
  std::map<KernelSite, SitePatterns> sums_;
};

} // namespace

std::map<KernelSite, SitePatterns> accessPatterns(const Model &model, const PatternOptions &options) {
  return PatternSums(model, options).run();
}

} // namespace cupr::analysis
