#include "chunk_zones.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerZonedRecord = 40;

} // namespace

const std::vector<ChunkZone> &ChunkZones::of(const LaunchInfo &launch) {
  const void *const key = launch.derivedRecords ? launch.derivedRecords->likeness() : &launch;
  if (const auto found = zones_.find(key); found != zones_.end())
    return found->second;
  model_.limit().keep(launch.chunks.size() * sizeof(ChunkZone),
                      [&] { return launch.kernel + ": where its chunks lie"; });
  std::vector<ChunkZone> zones(launch.chunks.size());
  tbb::parallel_for(std::size_t{0}, zones.size(),
                    [&](std::size_t chunk) { zones[chunk] = zoneOf(launch, chunk); });
  return zones_.emplace(key, std::move(zones)).first->second;
}

ChunkZone ChunkZones::zoneOf(const LaunchInfo &launch, std::size_t chunk) {
  ChunkZone zone;
  RecordStream records(model_, launch, RecordsOf::Everything, readers_.mine(), chunk);
  while (const Record *record = records.next()) {
    records.spend(kStepsPerZonedRecord);
    zone.add(*record);
  }
  return zone;
}

} // namespace cupr::analysis
