/// What other chunks hold is handed to the rest as it is: it counts already.
#include "decoded_batch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cupr::analysis {

void DecodedBatch::restart(std::uint64_t time) {
  number_ = time << kPartBits;
  next_ = (time + 1) << kPartBits;
  isRest_ = false;
}

bool DecodedBatch::split(DecodedBatch &rest) {
  std::size_t cut = 0;
  while (cut < batch.chunks.size() && runs[cut].nextRecord == 0)
    ++cut;
  if (cut == batch.chunks.size())
    return false;
  rest.number_ = number_ + 1;
  rest.next_ = std::exchange(next_, rest.number_);
  rest.isRest_ = true;
  const auto end = std::ranges::find_if(batch.steps, [&](const MemoryStep &step) {
    return step.kind == MemoryStep::Runs && step.chunk == cut;
  });
  // The launch goes on, as where a launch is in two batches.
  const auto begin = std::find_if(std::reverse_iterator(end), batch.steps.rend(),
                                  [](const MemoryStep &step) { return step.kind == MemoryStep::Begin; });
  rest.batch.steps.assign(1, *begin);
  rest.batch.steps.insert(rest.batch.steps.end(), end, batch.steps.end());
  for (MemoryStep &step : rest.batch.steps)
    if (step.kind == MemoryStep::Runs)
      step.chunk -= cut;
  rest.batch.chunks.assign(batch.chunks.begin() + static_cast<std::ptrdiff_t>(cut), batch.chunks.end());
  rest.batch.chunks[0].firstRecord = runs[cut].nextRecord;
  for (std::size_t i = cut + 1; i < batch.chunks.size(); ++i)
    std::swap(rest.runs[i - cut], runs[i]);
  batch.steps.erase(end + 1, batch.steps.end());
  batch.chunks.resize(cut + 1);
  return true;
}

} // namespace cupr::analysis
