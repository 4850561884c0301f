/// What happens to memory, in batches whose records are taken apart: what the check follows next.
///
/// A batch is decoded while others follow the one before it. So what decoding reads is its own, or stays as it is meanwhile: what the
/// host has written is noted between two batches only.
#ifndef CUPR_ANALYSIS_DECODED_BATCHES_H
#define CUPR_ANALYSIS_DECODED_BATCHES_H

#include "chunk_decoder.h"
#include "failed_kernels.h"
#include "memory_shard.h"

#include "analysis/engine/step_batches.h"
#include "analysis/engine/thread_readers.h"
#include "analysis/model/shared_variables.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tbb/enumerable_thread_specific.h>
#include <vector>

namespace cupr::analysis {

/// Whether it looks at all that blocks of derived launches do that do the same as one before. If that one has no fault, they have none; if
/// it has, theirs must be counted.
enum class Repeated { Followed, Left };

class DecodedBatches {
public:
  struct Batch {
    StepBatch batch;
    std::vector<CheckedChunk> chunks; ///< of the first of these, those that the batch has
  };

  /// All outlive it. Of blocks that are followed in part it keeps so many bytes for each launch.
  DecodedBatches(const Model &model, const Ordering &ordering, const MemoryLifetimes &lifetimes,
                 const FailedKernels &failed, const std::vector<LaunchIndex> &kernels,
                 const std::vector<const ModuleTraits *> &modules, std::size_t chunksPerBatch,
                 Repeated repeated, std::uint64_t mostReducedBytes);

  /// Takes the next batch; false: there is none. What it forgets, all of it may count on.
  bool next(StepBatch &batch);
  /// Of a batch that was taken: this launch begins. Before the batch is decoded.
  void begin(const CheckedLaunch &launch);
  /// Takes the records of a batch apart. Others may follow the one before it meanwhile.
  void decode(Batch &batch);
  /// Between two: what it writes, the next ones may count on.
  void noteWrites(const StepBatch &batch);
  /// All of the launch was decoded.
  void end(LaunchIndex launch) { launches_.erase(launch); }
  void hostHasWaited() { batches_.hostHasWaited(); }
  /// Adds what is wrong with addresses by themselves.
  void takeFaults(FaultList &faults);

private:
  /// What taking a launch's records apart needs.
  struct Launch {
    ChunkContext context;
    bool reduces = false;                  ///< of blocks that are alike, not all is followed
    bool leavesPast = false;               ///< acts that come later, or the host, may meet what it does
    std::optional<WrittenPages> written{}; ///< once it has begun to be decoded, and so the next
    std::optional<ReducedFamilies> reduced{};
  };
  ChunkContext contextOf(const CheckedLaunch &launch);
  void prepare(const LaunchInfo &info, Launch &launch);
  ReducedFamilies reduce(const StepChunk &chunk, const ChunkContext &context);
  void noteFirstWrites(const StepBatch &batch);
  void noteHostWrites(const MemoryStep &step);

  const Model &model_;
  const MemoryLifetimes &lifetimes_;
  const FailedKernels &failed_;
  const Repeated repeated_;
  const std::uint64_t mostReducedBytes_;
  StepBatches batches_;
  ThreadReaders readers_;
  SharedVariables variables_;
  std::map<LaunchIndex, Launch> launches_; ///< that have begun and not ended
  PageRanges hostWritten_;                 ///< whole pages that copies and sets have written
  tbb::enumerable_thread_specific<ChunkDecoder> decoders_;
};

} // namespace cupr::analysis

#endif
