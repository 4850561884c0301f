#include "latency_samples.h"

#include "analysis/engine/bank_wavefronts.h"
#include "analysis/engine/record_walk.h"
#include "analysis/engine/requests.h"
#include "analysis/model/access_times.h"
#include "analysis/output/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerSampledRecord = 150, kStepsPerLane = 2;

void setWidth(LatencySample &to, const Record &record, AccessRuns &runs) {
  switch (latencyWidthOf(*record.site)) {
  case LatencyWidth::None:
    return;
  case LatencyWidth::Sectors: {
    const RequestFigures made = requestsOf(record, runs.of(record));
    to.width = static_cast<std::uint32_t>(made.sectors);
    to.leastWidth = static_cast<std::uint32_t>(made.leastSectors);
    return;
  }
  case LatencyWidth::Wavefronts: {
    const BankFigures made = bankFigures(record, BankWidth::Four);
    to.width = static_cast<std::uint32_t>(made.wavefronts);
    to.leastWidth = static_cast<std::uint32_t>(made.idealWavefronts);
    return;
  }
  }
}

bool isTimed(const LaunchInfo &launch) { return launch.launch.timed != abi::LatencyScheme::None; }

} // namespace

bool isAnyTimed(const Model &model, const LaunchSelection &selection) {
  const LaunchFilter filter(selection, model);
  return std::ranges::any_of(model.launches(),
                             [&](const LaunchInfo &launch) { return isTimed(launch) && filter.has(launch); });
}

LatencyWidth latencyWidthOf(const trace::Site &site) {
  switch (abi::spaceOf(site.space)) {
  case abi::MemorySpace::Global:
    return LatencyWidth::Sectors;
  case abi::MemorySpace::Shared:
    return LatencyWidth::Wavefronts;
  default:
    return LatencyWidth::None;
  }
}

LatencySamples::LatencySamples(const Model &model, const LatencySelection &selection)
    : model_(model), launches_(selection.launches, model), records_(selection.records, model) {
  bool areTimed = false;
  for (const LaunchInfo &launch : model.launches()) {
    areTimed |= isTimed(launch);
    count_ += has(launch) && launch.phase == 0;
  }
  if (count_ == 0)
    throw std::runtime_error(
        areTimed ? "no launch that is selected is timed; 'cupranalyze info --json' says which are"
                 : "no launch of the trace is timed: build the program with 'cupr++ --latency', and run it "
                   "with 'cupr-run --latency' (CUPR_LATENCY=on)");
}

void LatencySamples::forEachChunk(const Take &take, Progress *progress) const {
  std::uint64_t records = 0, done = 0;
  for (const LaunchInfo &launch : model_.launches())
    records += has(launch) ? launch.totals.records : 0;
  if (progress)
    progress->start(records);
  RecordWalk(model_).walk([&](LaunchIndex launch) { return has(model_.launches()[launch]); },
                          [&](RecordStream &stream, const AllocationMap &) {
                            LatencySamplesOfChunk found;
                            AccessRuns runs;
                            stream.readValues();
                            while (const Record *record = stream.next()) {
                              ++found.records;
                              const abi::WarpAccess &access = record->access;
                              if (!isAccess(*record->site) || !records_.has(stream.launch(), *record))
                                continue;
                              const unsigned threads = abi::activeLanes(access.laneMask);
                              stream.spend(kStepsPerSampledRecord + kStepsPerLane * threads);
                              const std::optional<AccessTimes> times = accessTimes(*record);
                              if (!times) {
                                ++found.untimed;
                                continue;
                              }
                              LatencySample sample{.cta = access.cta,
                                                   .start = times->start,
                                                   .duration = times->duration,
                                                   .site = access.site,
                                                   .sm = access.sm,
                                                   .warp = static_cast<std::uint16_t>(access.warp),
                                                   .threads = static_cast<std::uint8_t>(threads)};
                              setWidth(sample, *record, runs);
                              found.samples.push_back(sample);
                            }
                            return found;
                          },
                          [&](LaunchIndex launch, const LatencySamplesOfChunk &found) {
                            take(model_.launches()[launch], launch, found);
                            done += found.records;
                            if (progress)
                              progress->look(done);
                          });
  if (progress)
    progress->finish();
}

} // namespace cupr::analysis
