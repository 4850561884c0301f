/// Goes through the records of a trace, many chunks at a time, for results that are sums over chunks.
#ifndef CUPR_ANALYSIS_RECORD_WALK_H
#define CUPR_ANALYSIS_RECORD_WALK_H

#include "analysis/model/records.h"
#include "step_batches.h"
#include "thread_readers.h"

#include <cstddef>
#include <tbb/parallel_for.h>
#include <vector>

namespace cupr::analysis {

class RecordWalk {
public:
  explicit RecordWalk(const Model &model) : model_(model), ordering_(model), readers_(model) {}

  /// `wants(LaunchIndex)`: whether a launch's records are needed. `work(RecordStream &, const AllocationMap
  /// &)` goes through one chunk, on any thread, and gives a result; `take(LaunchIndex, Result &)` gets the
  /// results on the calling thread, in the order of the trace. Memory: the results of kBatch chunks. Throws
  /// BadTrace.
  template <typename Wants, typename Work, typename Take> void walk(Wants wants, Work work, Take take) {
    using Result = decltype(work(std::declval<RecordStream &>(), std::declval<const AllocationMap &>()));
    StepBatches batches(model_, ordering_, DeviceCopies::Read, kBatch);
    StepBatch batch;
    while (batches.next(batch)) {
      std::erase_if(batch.chunks, [&](const StepChunk &chunk) { return !wants(chunk.launch); });
      std::vector<Result> results(batch.chunks.size());
      tbb::parallel_for(std::size_t{0}, batch.chunks.size(), [&](std::size_t i) {
        const StepChunk &chunk = batch.chunks[i];
        RecordStream records(model_, model_.launches()[chunk.launch], RecordsOf::AllMemory, readers_.mine(),
                             chunk.chunk);
        results[i] = work(records, *chunk.allocations);
      });
      for (std::size_t i = 0; i < results.size(); ++i)
        take(batch.chunks[i].launch, results[i]);
    }
  }

private:
  static constexpr std::size_t kBatch = 64;

  const Model &model_;
  const Ordering ordering_;
  ThreadReaders readers_;
};

} // namespace cupr::analysis

#endif
