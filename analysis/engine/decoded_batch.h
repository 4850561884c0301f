/// A batch of steps with what its chunks hold.
#ifndef CUPR_ANALYSIS_DECODED_BATCH_H
#define CUPR_ANALYSIS_DECODED_BATCH_H

#include "run_dispatcher.h"
#include "step_batches.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

/// A chunk of wide or scattered accesses makes more runs than there is room for: then the batch ends in the
/// middle of that chunk, and the rest of it is a batch of its own.
class DecodedBatch {
public:
  explicit DecodedBatch(std::size_t chunks) : runs(chunks) {}

  StepBatch batch;
  std::vector<ChunkRuns> runs; ///< of its chunks
  /// Ascends from batch to batch, in the same way each time that the trace is read.
  std::uint64_t number() const { return number_; }
  std::uint64_t next() const { return next_; } ///< the number of the one behind it
  /// How many chunks, from the first, have no runs yet.
  std::size_t missing() const { return isRest_ ? 1 : batch.chunks.size(); }

  /// It has been filled again, for the time `time`, from 0.
  void restart(std::uint64_t time);
  /// Whether the batch with this number comes before that of this time.
  static bool isBefore(std::uint64_t time, std::uint64_t number) { return time < number >> kPartBits; }
  /// When all chunks have runs: puts what can't be followed yet into `rest`. False: there is nothing.
  bool split(DecodedBatch &rest);

private:
  static constexpr unsigned kPartBits = 32;
  std::uint64_t number_ = 0, next_ = 0;
  bool isRest_ = false;
};

} // namespace cupr::analysis

#endif
