/// The zones of launches' chunks (analysis/model/chunk_zone.h).
///
/// A launch is read through when it is asked for first, by all processors, and what was found is kept: 40 bytes for each chunk, which
/// has 256 KiB of records. Launches whose records are alike (derived_records.h) are read once.
#ifndef CUPR_ANALYSIS_CHUNK_ZONES_H
#define CUPR_ANALYSIS_CHUNK_ZONES_H

#include "analysis/engine/thread_readers.h"
#include "analysis/model/chunk_zone.h"

#include <unordered_map>
#include <vector>

namespace cupr::analysis {

class ChunkZones {
public:
  explicit ChunkZones(const Model &model) : model_(model), readers_(model) {}
  /// By chunk of the launch. Throws BadTrace, trace::TooMuch.
  const std::vector<ChunkZone> &of(const LaunchInfo &launch);

private:
  ChunkZone zoneOf(const LaunchInfo &launch, std::size_t chunk);

  const Model &model_;
  ThreadReaders readers_;
  std::unordered_map<const void *, std::vector<ChunkZone>>
      zones_; ///< by what the records are alike by, or the launch
};

} // namespace cupr::analysis

#endif
