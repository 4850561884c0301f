/// Which shards are in memory.
///
/// Where shards need more memory than they may have, the largest are put aside, on disk, as they are between
/// two batches. When the others are done, the trace is read once more for them, from where they stopped. So
/// the trace is decoded about as often as all shards together are larger than the memory.
#ifndef CUPR_ANALYSIS_RESIDENT_SHARDS_H
#define CUPR_ANALYSIS_RESIDENT_SHARDS_H

#include "analysis/model/unnamed_file.h"
#include "shared_decoding.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cupr::analysis {

class ResidentShards {
public:
  /// A shard with where it stands.
  struct Resident {
    std::unique_ptr<AddressShard> shard;
    std::uint64_t batch; ///< that comes next
    UnnamedFile file;    ///< what it knows, while it is put aside; null: nothing yet
    std::uint64_t bytes; ///< of it
  };

  /// `memory`: for all of the analysis; half of it is for shards.
  ResidentShards(const ShardContext &context, ShardRange shards, std::uint64_t memory);

  /// Those in memory. Not to be called while shards are taken or put aside.
  std::vector<Resident> &all() { return resident_; }
  /// At the start of a pass over the trace: as many as there is room for. False: all are done.
  bool take();
  /// The batch that comes next for the one that is farthest behind; UINT64_MAX: none is in memory.
  std::uint64_t firstBatch() const;
  /// Between two batches: makes room.
  void putAside();
  /// At the end of a pass: those in memory are done.
  void drop() { resident_.clear(); }

private:
  const std::uint64_t memory_;
  std::vector<Resident> waiting_, resident_;
};

} // namespace cupr::analysis

#endif
