/// One event after the other; a launch may be in several batches.
#include "act_script.h"

namespace cupr::analysis {

bool ActScript::next(ScriptBatch &batch) {
  batch.steps.clear();
  batch.chunks.clear();
  batch_ = &batch;
  while (event_ < model_.events().size() && batch.chunks.size() < chunksPerBatch_ &&
         batch.steps.size() < kMostSteps)
    if (std::visit([this](const auto &event) { return put(event); }, model_.events()[event_]))
      ++event_;
  return event_ < model_.events().size() || !batch.steps.empty();
}

/// Returns whether all of the launch is there.
bool ActScript::put(const LaunchEvent &event) {
  const LaunchInfo &info = model_.launches()[event.index];
  const ScriptStep step{ScriptStep::Begin, ordering_.actOf(event_), static_cast<LaunchIndex>(event.index)};
  if (info.chunks.empty())
    return true;
  const auto push = [&](ScriptStep::Kind kind) -> ScriptStep & {
    batch_->steps.push_back(step);
    batch_->steps.back().kind = kind;
    return batch_->steps.back();
  };
  // A shard may meet a launch in its middle, so each batch says where it stands.
  push(ScriptStep::Begin).allocations = allocations();
  while (chunk_ < info.chunks.size() && batch_->chunks.size() < chunksPerBatch_) {
    push(ScriptStep::Runs).chunk = batch_->chunks.size();
    batch_->chunks.push_back({step.launch, chunk_++, ++chunkNumber_, allocations()});
  }
  if (chunk_ < info.chunks.size())
    return false;
  push(ScriptStep::End);
  chunk_ = 0;
  return true;
}

bool ActScript::put(const CopyEvent &event) {
  const trace::Copy &copy = model_.copies()[event.index];
  hostRows(ScriptStep::HostReads, copy.source, copy.rowBytes, copy.rows, copy.sourcePitch);
  // Plain host memory is no concern of kernels; what was allocated through CUDA is.
  const bool toDevice =
      copy.kind == trace::CopyKind::HostToDevice || copy.kind == trace::CopyKind::DeviceToDevice;
  if (toDevice || isLive(copy.destination))
    hostRows(ScriptStep::HostWrites, copy.destination, copy.rowBytes, copy.rows, copy.destinationPitch);
  batch_->steps.push_back({ScriptStep::HostDone, ordering_.actOf(event_)});
  return true;
}

bool ActScript::put(const SetEvent &event) {
  const trace::Set &set = model_.sets()[event.index];
  hostRows(ScriptStep::HostWrites, set.destination, set.rowBytes, set.rows, set.pitch);
  batch_->steps.push_back({ScriptStep::HostDone, ordering_.actOf(event_)});
  return true;
}

bool ActScript::put(const AllocationEvent &event) {
  forget(event.index);
  live_[model_.allocations()[event.index].allocation.address] = static_cast<std::uint32_t>(event.index);
  return true;
}

bool ActScript::put(const FreeEvent &event) {
  forget(event.allocation);
  live_.erase(model_.allocations()[event.allocation].allocation.address);
  return true;
}

void ActScript::forget(std::size_t allocation) {
  const trace::Allocation &memory = model_.allocations()[allocation].allocation;
  ScriptStep step{ScriptStep::Forget};
  step.range = accessRange(memory.address, memory.bytes);
  batch_->steps.push_back(step);
  map_ = nullptr;
}

void ActScript::hostRows(ScriptStep::Kind kind, std::uint64_t address, std::uint64_t rowBytes,
                         std::uint64_t rows, std::uint64_t pitch) {
  const auto row = [&](const Range &range) {
    ScriptStep step{kind, ordering_.actOf(event_)};
    step.range = range;
    batch_->steps.push_back(step);
    writtenByHost_ += kind == ScriptStep::HostWrites ? range.bytes() : 0;
  };
  if (rowBytes == 0 || rows == 0)
    return;
  if (rows == 1 || pitch == 0 || pitch == rowBytes)
    return row(accessRange(address, rows > UINT64_MAX / rowBytes ? UINT64_MAX : rowBytes * rows));
  for (std::uint64_t i = 0; i < rows; ++i)
    row(accessRange(address + i * pitch, rowBytes));
}

bool ActScript::isLive(std::uint64_t address) {
  return allocations()->entryOf(address).index != allocations()->unknown();
}

const std::shared_ptr<const AllocationMap> &ActScript::allocations() {
  if (map_)
    return map_;
  std::vector<AllocationMap::Entry> entries;
  for (const auto &[address, index] : live_) {
    const Range range = accessRange(address, model_.allocations()[index].allocation.bytes);
    if (range.bytes() == 0)
      continue;
    // Of two that overlap, the later address has the bytes.
    if (!entries.empty() && entries.back().range.end > address)
      entries.back().range.end = address;
    entries.push_back({range, index});
  }
  map_ = std::make_shared<const AllocationMap>(std::move(entries),
                                               static_cast<std::uint32_t>(model_.allocations().size()));
  return map_;
}

} // namespace cupr::analysis
