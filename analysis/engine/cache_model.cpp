#include "cache_model.h"

#include "analysis/model/records.h"
#include "analysis/output/progress.h"
#include "cached_multiprocessor.h"
#include "program_places.h"
#include "step_batches.h"
#include "sum_at.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tbb/parallel_for.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerRecord = 300;
/// What a slice of turns leaves for L2 is in memory.
constexpr std::uint32_t kTurnsAtOnce = 32;
constexpr std::size_t kParts = 8;

/// Memory is read 64 bytes at a time: with a sector comes its neighbour.
constexpr unsigned pairsOf(unsigned sectors) {
  constexpr unsigned kEven = 0b0101;
  const unsigned pairs = (sectors | sectors >> 1) & kEven;
  return pairs | pairs << 1;
}

/// The blocks of a launch with their records, in the order in which they began.
class LaunchBlocks {
public:
  LaunchBlocks(const Model &model, const LaunchInfo &launch) : model_(model), launch_(launch) {
    if (launch.derivedRecords)
      return;
    RecordStream records(model, launch, RecordsOf::GlobalMemory);
    std::unordered_map<std::uint64_t, std::size_t> places; // by CTA
    while (const Record *record = records.next()) {
      const auto [place, isNew] = places.try_emplace(record->access.cta, recorded_.size());
      if (isNew)
        recorded_.push_back({{record->access.cta, record->access.sm}, {}});
      const std::span<const trace::Word> words = records.wordsOfRecord();
      recorded_[place->second].words.insert(recorded_[place->second].words.end(), words.begin(), words.end());
      kept_ += words.size_bytes();
      if (++sinceKept_ % kRecordsAtOnce == 0)
        keep();
    }
    keep();
  }
  ~LaunchBlocks() { model_.limit().release(keptBefore_); }
  LaunchBlocks(const LaunchBlocks &) = delete;
  LaunchBlocks &operator=(const LaunchBlocks &) = delete;

  std::size_t count() const {
    return launch_.derivedRecords ? launch_.derivedRecords->blocks() : recorded_.size();
  }
  const BegunBlock &operator[](std::size_t place) const {
    return launch_.derivedRecords ? launch_.derivedRecords->block(place) : recorded_[place].block;
  }
  /// The records of a block, which is asked for once.
  std::vector<trace::Word> take(std::size_t place) {
    if (!launch_.derivedRecords)
      return std::move(recorded_[place].words);
    DerivedRecords::Families family(*launch_.derivedRecords, place, place + 1);
    std::vector<trace::Word> words, piece;
    for (family.begin(); family.next(piece, nullptr);)
      words.insert(words.end(), piece.begin(), piece.end());
    return words;
  }

private:
  struct Recorded {
    BegunBlock block;
    std::vector<trace::Word> words;
  };
  static constexpr std::uint64_t kRecordsAtOnce = 1u << 16;
  void keep() {
    model_.limit().keep(kept_ - keptBefore_, [&] { return launch_.kernel + ": its records by block"; });
    keptBefore_ = kept_;
  }

  const Model &model_;
  const LaunchInfo &launch_;
  std::vector<Recorded> recorded_;
  std::uint64_t kept_ = 0, keptBefore_ = 0, sinceKept_ = 0;
};

/// A part of L2, with what it made of the present launch.
struct CachePart {
  SectorCache cache{0};
  std::vector<CacheFigures> sites, allocations;
  std::optional<ReuseStack> lines; ///< none: it is not asked for
  ReuseSums reuse;
  std::uint64_t kept = 0; ///< bytes, for `lines`

  /// `moment`: a number of the turn and the multiprocessor.
  void take(const SectorAccess &access, std::uint64_t moment) {
    const SectorCache::Use use = cache.use(access.sectors.line);
    const std::uint8_t sectors = access.sectors.sectors;
    CacheFigures made;
    if (access.kind != SectorAccess::Kind::Read) {
      made.dirtied = static_cast<unsigned>(std::popcount(static_cast<unsigned>(sectors & ~use.before.dirty)));
      use.now.dirty |= sectors;
    }
    if (access.kind == SectorAccess::Kind::Write) {
      made.writes = access.sectors.count();
      use.now.readable |= access.sectors.complete;
      if (lines)
        lines->use(access.sectors.line).thing.parts |= access.sectors.complete;
    } else {
      const std::uint8_t arriving = use.before.moment == moment ? use.before.arriving : std::uint8_t{0};
      const auto fetched =
          static_cast<std::uint8_t>(pairsOf(sectors & ~use.before.readable) & ~use.before.readable);
      const auto hits = static_cast<unsigned>(
          std::popcount(static_cast<unsigned>(sectors & use.before.readable & ~arriving)));
      (access.kind == SectorAccess::Kind::Read ? made.reads : made.l2Atomics) = access.sectors.count();
      (access.kind == SectorAccess::Kind::Read ? made.readHits : made.l2AtomicHits) = hits;
      made.fetched = static_cast<unsigned>(std::popcount(fetched));
      use.now.readable |= fetched;
      use.now.arriving = static_cast<std::uint8_t>(arriving | fetched);
      use.now.moment = moment;
      if (lines)
        follow(access);
    }
    sumAt(sites, access.site) += made;
    sumAt(allocations, access.allocation) += made;
  }

  /// The others have as many lines between two uses of one of this part's, as lines are dealt by a hash.
  void follow(const SectorAccess &access) {
    const auto [distance, line] = lines->use(access.sectors.line);
    const auto again =
        static_cast<unsigned>(std::popcount(static_cast<unsigned>(access.sectors.sectors & line.parts)));
    line.parts = static_cast<std::uint8_t>(line.parts | pairsOf(access.sectors.sectors));
    reuse.add(access.site, access.allocation, [&, distance = distance](CacheReuse &of) {
      of.l2.first += access.sectors.count() - again;
      if (again != 0)
        of.l2.addAgain(*distance * kParts, again);
    });
  }
};

class CacheModel {
public:
  CacheModel(const Model &model, const CacheGeometry &geometry, const CacheOptions &options)
      : model_(model), geometry_(geometry), options_(options), filter_(options.launches, model),
        kernels_(kernelsOf(model)), firstSites_(firstSitesOf(model)),
        knowsPlaces_(model.header().process.deviceKind != "cpu"), multiprocessors_(geometry.multiprocessors),
        toL2_(geometry.multiprocessors, std::vector<std::vector<SectorAccess>>(kParts)), parts_(kParts) {
    if (options.reuse) {
      for (CachedMultiprocessor &multiprocessor : multiprocessors_)
        multiprocessor.followReuse();
      for (CachePart &part : parts_)
        part.lines.emplace();
    }
    emptyL2();
  }
  ~CacheModel() {
    for (const CachePart &part : parts_)
      model_.limit().release(part.kept);
  }
  CacheModel(const CacheModel &) = delete;
  CacheModel &operator=(const CacheModel &) = delete;

  CacheUse run() {
    std::uint64_t records = 0;
    for (const LaunchInfo &launch : model_.launches())
      records += filter_.has(launch) ? launch.totals.records : 0;
    if (options_.progress)
      options_.progress->start(records);
    const Ordering ordering(model_);
    StepBatches batches(model_, ordering, DeviceCopies::Read, 64);
    StepBatch batch;
    LaunchIndex last = kHost;
    while (batches.next(batch))
      for (const MemoryStep &step : batch.steps)
        if (step.kind == MemoryStep::Begin && std::exchange(last, step.launch) != step.launch &&
            filter_.has(model_.launches()[step.launch]))
          add(step.launch, *step.allocations);
    if (options_.progress)
      options_.progress->finish();
    return std::move(use_);
  }

private:
  void emptyL2() {
    for (CachePart &part : parts_) {
      part.cache.clear(geometry_.l2Bytes / kParts);
      if (part.lines)
        part.lines->clear();
    }
  }

  void add(LaunchIndex index, const AllocationMap &allocations) {
    const LaunchInfo &launch = model_.launches()[index];
    LaunchBlocks blocks(model_, launch);
    if (options_.cold)
      emptyL2();
    std::vector<std::size_t> order(blocks.count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!knowsPlaces_)
      std::ranges::sort(order, {}, [&](std::size_t place) { return blocks[place].cta; });
    std::vector<std::vector<std::size_t>> dealt(multiprocessors_.size());
    for (const std::size_t place : order)
      dealt[(knowsPlaces_ ? blocks[place].sm : blocks[place].cta) % dealt.size()].push_back(place);
    for (std::size_t i = 0; i < dealt.size(); ++i)
      multiprocessors_[i].begin(std::move(dealt[i]), geometry_.residentBlocks(launch.launch),
                                geometry_.l1Bytes(launch.launch));
    const CachedMultiprocessor::Work work{*model_.moduleOf(launch), allocations, model_.limit(),
                                          [&](std::size_t place) { return blocks.take(place); }};
    std::uint64_t before = 0;
    std::uint32_t turn = kTurnsAtOnce;
    for (; !areDone(); turn += kTurnsAtOnce) {
      tbb::parallel_for(std::size_t{0}, multiprocessors_.size(),
                        [&](std::size_t i) { multiprocessors_[i].run(work, turn, toL2_[i]); });
      tbb::parallel_for(std::size_t{0}, kParts, [&](std::size_t part) { follow(part); });
      std::uint64_t records = 0;
      for (const CachedMultiprocessor &multiprocessor : multiprocessors_)
        records += multiprocessor.records();
      model_.limit().spend(kStepsPerRecord * (records - before),
                           [&] { return launch.kernel + ": following its caches"; });
      before = records;
      if (options_.progress)
        options_.progress->look(done_ + records);
    }
    done_ += launch.totals.records;
    turnsBefore_ += turn;
    sum(index);
  }

  bool areDone() const {
    return std::ranges::all_of(multiprocessors_, [](const auto &each) { return each.isDone(); });
  }

  /// What came from all multiprocessors for a part of L2, turn by turn.
  void follow(std::size_t part) {
    std::vector<std::size_t> at(toL2_.size());
    for (;;) {
      std::uint32_t turn = UINT32_MAX;
      for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i] < toL2_[i][part].size())
          turn = std::min(turn, toL2_[i][part][at[i]].turn);
      if (turn == UINT32_MAX)
        break;
      for (std::size_t i = 0; i < at.size(); ++i)
        for (const std::vector<SectorAccess> &from = toL2_[i][part];
             at[i] < from.size() && from[at[i]].turn == turn; ++at[i])
          parts_[part].take(from[at[i]], (turnsBefore_ + turn) * at.size() + i);
    }
    for (std::vector<std::vector<SectorAccess>> &from : toL2_)
      from[part].clear();
    if (const auto &lines = parts_[part].lines)
      if (const std::uint64_t bytes = lines->size() * ReuseStack::kBytesEach; bytes > parts_[part].kept)
        model_.limit().keep(bytes - std::exchange(parts_[part].kept, bytes),
                            [] { return "the lines that L2 was asked for"; });
  }

  void sum(LaunchIndex index) {
    const std::uint32_t first = firstSites_[static_cast<std::size_t>(model_.launches()[index].launch.module)];
    const auto add = [&](const std::vector<CacheFigures> &sites,
                         const std::vector<CacheFigures> &allocations) {
      for (std::uint32_t site = 0; site < sites.size(); ++site)
        if (sites[site] != CacheFigures{})
          use_.sites[{kernels_[index], first + site}] += sites[site];
      for (std::uint32_t of = 0; of < allocations.size(); ++of)
        if (allocations[of] != CacheFigures{})
          use_.allocations[of] += allocations[of];
    };
    const auto addReuse = [&](const ReuseSums &sums) {
      for (std::uint32_t site = 0; site < sums.sites.size(); ++site)
        if (sums.sites[site] != CacheReuse{})
          use_.siteReuse[{kernels_[index], first + site}] += sums.sites[site];
      for (std::uint32_t of = 0; of < sums.allocations.size(); ++of)
        if (sums.allocations[of] != CacheReuse{})
          use_.allocationReuse[of] += sums.allocations[of];
    };
    for (const CachedMultiprocessor &multiprocessor : multiprocessors_) {
      add(multiprocessor.sites(), multiprocessor.allocations());
      if (const ReuseSums *sums = multiprocessor.reuse())
        addReuse(*sums);
    }
    for (CachePart &part : parts_) {
      add(part.sites, part.allocations);
      addReuse(part.reuse);
      part.reuse.clear();
      part.sites.clear();
      part.allocations.clear();
    }
  }

  const Model &model_;
  const CacheGeometry &geometry_;
  const CacheOptions &options_;
  const LaunchFilter filter_;
  const std::vector<LaunchIndex> kernels_;
  const std::vector<std::uint32_t> firstSites_;
  const bool knowsPlaces_; ///< on which multiprocessor blocks ran
  std::vector<CachedMultiprocessor> multiprocessors_;
  std::vector<std::vector<std::vector<SectorAccess>>> toL2_; ///< by multiprocessor, for each part
  std::vector<CachePart> parts_;
  std::uint64_t done_ = 0, turnsBefore_ = 1; ///< records, turns, of the launches before
  CacheUse use_;
};

} // namespace

CacheUse cacheUse(const Model &model, const CacheGeometry &geometry, const CacheOptions &options) {
  return CacheModel(model, geometry, options).run();
}

} // namespace cupr::analysis
