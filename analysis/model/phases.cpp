/// One pass over a launch's records, which are packed again by phase.
#include "phases.h"

#include "phase_records.h"
#include "records.h"

#include <algorithm>
#include <unordered_map>

namespace cupr::analysis {

namespace {

/// Gathers the records of one launch by phase.
class Splitter {
public:
  Splitter(const Model &model, const LaunchInfo &whole, PhaseRecords &file)
      : model_(model), whole_(whole), file_(file) {}

  std::optional<std::vector<LaunchInfo>> run() {
    RecordStream records(model_, whole_, RecordsOf::Everything);
    std::unordered_map<std::uint64_t, std::uint32_t> arrivals; // by CTA
    while (const Record *record = records.next()) {
      const auto [arrived, isNew] = arrivals.try_emplace(record->access.cta, 0u);
      if (isNew)
        keep(kBytesPerCta);
      records.spend(kStepsPerRecord);
      std::uint32_t &phase = arrived->second;
      if (!isGridBarrier(*record->site))
        add(*record, records.wordsOfRecord(), phase);
      else if (abi::operationClass(record->site->operation) == abi::OperationClass::Atomic)
        add(*record, records.wordsOfRecord(), phase++);
      else
        add(*record, records.wordsOfRecord(), phase == 0 ? 0 : phase - 1);
    }
    if (std::ranges::any_of(arrivals,
                            [&](const auto &arrived) { return arrived.second != arrivals.begin()->second; }))
      return std::nullopt;
    return finished();
  }

private:
  struct Phase {
    LaunchInfo info;
    // Not packed yet:
    std::vector<trace::Word> words;
    std::uint32_t records = 0;
  };

  void keep(std::uint64_t bytes) {
    model_.limit().keep(bytes, [&] { return whole_.kernel + ": the phases between its barriers"; });
  }

  void add(const Record &record, std::span<const trace::Word> words, std::uint32_t number) {
    while (number >= phases_.size()) {
      keep(kBytesPerPhase + whole_.kernel.size() + whole_.launch.kernel.size() +
           whole_.launch.mangled.size());
      phases_.emplace_back().info.launch = whole_.launch;
    }
    Phase &phase = phases_[number];
    trace::LaunchTotals &totals = phase.info.totals;
    totals.counts.in(abi::spaceOf(record.site->space))
        .add(abi::operationClass(record.site->operation), abi::activeLanes(record.access.laneMask),
             abi::recordBytes(record.access, record.site->bytes));
    ++totals.records;
    totals.words += words.size();
    phase.words.insert(phase.words.end(), words.begin(), words.end());
    ++phase.records;
    waiting_ += words.size();
    if (phase.words.size() > trace::kChunkWords)
      pack(phase);
    if (waiting_ > kMostWaiting)
      std::ranges::for_each(phases_, [this](Phase &each) { pack(each); });
  }

  void pack(Phase &phase) {
    const trace::Dim3 &grid = whole_.launch.grid;
    if (phase.words.empty())
      return;
    phase.info.chunks.push_back(file_.add(phase.words, phase.records, grid.y * grid.z > 1 ? grid.x : 0));
    phase.info.chunkWords.push_back(static_cast<std::uint32_t>(phase.words.size()));
    keep(sizeof(std::uint64_t) + sizeof(std::uint32_t));
    waiting_ -= phase.words.size();
    phase.words = {};
    phase.records = 0;
  }

  /// Each has its part of the time that the launch took, by records.
  std::optional<std::vector<LaunchInfo>> finished() {
    if (phases_.size() < 2)
      return std::nullopt;
    std::uint64_t all = 0, before = 0;
    for (Phase &phase : phases_) {
      pack(phase);
      all += phase.info.totals.records;
    }
    const trace::LaunchEnd &end = whole_.totals.end;
    const auto time = [&](std::uint64_t records) {
      return end.began + static_cast<std::uint64_t>(static_cast<unsigned __int128>(end.ended - end.began) *
                                                    records / all);
    };
    std::vector<LaunchInfo> result;
    for (Phase &phase : phases_) {
      LaunchInfo &info = phase.info;
      info.kernel = whole_.kernel;
      info.number = whole_.number;
      info.phase = static_cast<std::uint32_t>(result.size());
      info.ended = true;
      info.totals.chunks = info.chunks.size();
      info.totals.end = end;
      info.totals.end.siteCounts = std::nullopt; // of the whole
      info.totals.end.recordWords = info.totals.words;
      info.totals.end.waits = info.phase == 0 ? end.waits : 0;
      info.totals.end.evictedPages = info.phase == 0 ? end.evictedPages : 0;
      if (whole_.deviceTime()) {
        info.totals.end.began = time(before);
        info.totals.end.ended = time(before + info.totals.records);
      }
      before += info.totals.records;
      result.push_back(std::move(info));
    }
    return result;
  }

  static constexpr std::uint64_t kStepsPerRecord = 100, kBytesPerCta = 40, kBytesPerPhase = 2048;
  static constexpr std::uint64_t kMostWaiting = std::uint64_t{1} << 22; ///< words: 64 MiB
  const Model &model_;
  const LaunchInfo &whole_;
  PhaseRecords &file_;
  std::vector<Phase> phases_;
  std::uint64_t waiting_ = 0; ///< words that are not packed yet
};

} // namespace

bool Phases::hasBarrier(const LaunchInfo &launch) const {
  const trace::Module *module = model_.moduleOf(launch);
  return module && std::ranges::any_of(module->sites, isGridBarrier);
}

std::optional<std::vector<LaunchInfo>> Phases::of(const LaunchInfo &launch) {
  if (!launch.complete() || launch.chunks.empty() || !hasBarrier(launch))
    return std::nullopt;
  if (!records_)
    records_ = std::make_shared<PhaseRecords>();
  auto phases = Splitter(model_, launch, *records_).run();
  if (phases)
    for (LaunchInfo &phase : *phases)
      phase.phaseRecords = records_;
  return phases;
}

void Phases::finish() {
  if (records_)
    records_->finish();
}

} // namespace cupr::analysis
