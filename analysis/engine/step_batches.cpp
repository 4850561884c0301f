/// One event after the other; a launch may be in several batches.
#include "step_batches.h"

#include <algorithm>
#include <utility>

namespace cupr::analysis {

namespace {

bool handsOn(const trace::Copy &copy, DeviceCopies copies) {
  return copies == DeviceCopies::HandOn && copy.kind == trace::CopyKind::DeviceToDevice &&
         copy.rowBytes != 0 && copy.rows != 0;
}

bool isOneRow(std::uint64_t rowBytes, std::uint64_t rows, std::uint64_t pitch) {
  return rows == 1 || pitch == 0 || pitch == rowBytes;
}
bool isOneRow(const trace::Copy &copy) {
  return isOneRow(copy.rowBytes, copy.rows, copy.sourcePitch) &&
         isOneRow(copy.rowBytes, copy.rows, copy.destinationPitch);
}
std::uint64_t bytesOf(std::uint64_t rowBytes, std::uint64_t rows) {
  return rows > UINT64_MAX / rowBytes ? UINT64_MAX : rowBytes * rows;
}

/// Row `row` of a copy, or all of one whose rows lie one behind the other.
Move moveOf(const trace::Copy &copy, std::uint64_t row) {
  if (isOneRow(copy))
    return {accessRange(copy.source, bytesOf(copy.rowBytes, copy.rows)), copy.destination};
  const auto startOf = [&](std::uint64_t address, std::uint64_t pitch) {
    return address + row * (pitch == 0 ? copy.rowBytes : pitch);
  };
  return {accessRange(startOf(copy.source, copy.sourcePitch), copy.rowBytes),
          startOf(copy.destination, copy.destinationPitch)};
}

} // namespace

std::vector<Move> movesOf(const Model &model, DeviceCopies copies) {
  constexpr std::uint64_t kStepsPerRow = 1000;
  std::vector<Move> moves;
  for (const trace::Copy &copy : model.copies())
    if (handsOn(copy, copies)) {
      const std::uint64_t rows = isOneRow(copy) ? 1 : copy.rows;
      for (std::uint64_t row = 0; row < rows; ++row) {
        model.limit().spend(kStepsPerRow, [&] { return "a copy of " + std::to_string(rows) + " rows"; });
        model.limit().keep(sizeof(Move), [] { return std::string("rows of copies on the device"); });
        if (const Move move = moveOf(copy, row); moves.empty() || moves.back() != move)
          moves.push_back(move);
      }
    }
  return moves;
}

bool StepBatches::next(StepBatch &batch) {
  batch.steps.clear();
  batch.chunks.clear();
  batch_ = &batch;
  batchWords_ = 0;
  takeAccesses();
  const auto hasSteps = [&] { return hasRoom() && batch.steps.size() < kMostSteps; };
  while (event_ < model_.events().size() && hasSteps() && putAccesses(orderOf(model_.events()[event_]))) {
    if (std::exchange(hasWaited_, false))
      batch.steps.push_back({MemoryStep::Waited});
    if (std::visit([this](const auto &event) { return put(event); }, model_.events()[event_]))
      ++event_;
  }
  if (event_ == model_.events().size() && hasSteps())
    putAccesses(UINT64_MAX);
  return event_ < model_.events().size() || !batch.steps.empty();
}

/// Those that the model has got since, by the act behind which they were made.
void StepBatches::takeAccesses() {
  const std::vector<trace::HostAccess> &all = model_.host().accesses;
  if (accesses_ == HostAccesses::LeftOut || accessesTaken_ == all.size())
    return;
  byOrder_.erase(byOrder_.begin(),
                 byOrder_.begin() + static_cast<std::ptrdiff_t>(std::exchange(nextAccess_, 0)));
  for (; accessesTaken_ < all.size(); ++accessesTaken_)
    byOrder_.push_back(static_cast<std::uint32_t>(accessesTaken_));
  std::ranges::sort(byOrder_, {}, [&](std::uint32_t i) { return std::pair(all[i].after, i); });
}

/// Those that were made before the act of this order. Returns whether all are there.
bool StepBatches::putAccesses(std::uint64_t before) {
  constexpr std::uint64_t kStepsPerAccess = 5000; // as of a copy's row
  const std::vector<trace::HostAccess> &all = model_.host().accesses;
  for (; nextAccess_ < byOrder_.size() && all[byOrder_[nextAccess_]].after < before; ++nextAccess_) {
    if (batch_->steps.size() >= kMostSteps)
      return false;
    const trace::HostAccess &access = all[byOrder_[nextAccess_]];
    const Range range = accessRange(access.address, (access.elements - 1) * access.stride + access.bytes);
    model_.limit().spend(kStepsPerAccess, [] { return std::string("what code of the host accesses"); });
    if (!isLive(range.begin))
      continue;
    MemoryStep step{MemoryStep::HostAccess};
    step.range = range;
    step.access = byOrder_[nextAccess_];
    batch_->steps.push_back(step);
  }
  return true;
}

std::uint64_t StepBatches::orderOf(const Event &event) const {
  struct Order {
    const Model &model;
    std::uint64_t operator()(const LaunchEvent &event) const {
      return model.launches()[event.index].launch.order;
    }
    std::uint64_t operator()(const AllocationEvent &event) const {
      return model.allocations()[event.index].allocation.order;
    }
    std::uint64_t operator()(const FreeEvent &event) const {
      return model.allocations()[event.allocation].freedOrder;
    }
    std::uint64_t operator()(const CopyEvent &event) const { return model.copies()[event.index].order; }
    std::uint64_t operator()(const SetEvent &event) const { return model.sets()[event.index].order; }
  };
  return std::visit(Order{model_}, event);
}

bool StepBatches::hasRoom() const {
  return batch_->chunks.size() < chunksPerBatch_ && batchWords_ < chunksPerBatch_ * trace::kChunkWords;
}

/// Returns whether all of the launch is there.
bool StepBatches::put(const LaunchEvent &event) {
  const LaunchInfo &info = model_.launches()[event.index];
  const MemoryStep step{MemoryStep::Begin, ordering_.actOf(event_), static_cast<LaunchIndex>(event.index)};
  if (info.chunks.empty())
    return true;
  const auto push = [&](MemoryStep::Kind kind) -> MemoryStep & {
    batch_->steps.push_back(step);
    batch_->steps.back().kind = kind;
    return batch_->steps.back();
  };
  // A shard may meet a launch in its middle, so each batch says where it stands.
  push(MemoryStep::Begin).allocations = allocations();
  while (chunk_ < info.chunks.size() && hasRoom()) {
    batchWords_ += info.chunkWords[chunk_];
    push(MemoryStep::Runs).chunk = batch_->chunks.size();
    batch_->chunks.push_back({step.launch, chunk_++, ++chunkNumber_, allocations()});
  }
  if (chunk_ < info.chunks.size())
    return false;
  push(MemoryStep::End);
  chunk_ = 0;
  return true;
}

bool StepBatches::put(const CopyEvent &event) {
  const trace::Copy &copy = model_.copies()[event.index];
  if (handsOn(copy, copies_))
    return handOn(copy);
  if (!areRead_ && !hostRows(MemoryStep::HostReads, copy.source, copy.rowBytes, copy.rows, copy.sourcePitch))
    return false;
  areRead_ = true;
  // Plain host memory is no concern of kernels; what was allocated through CUDA is.
  const bool toDevice =
      copy.kind == trace::CopyKind::HostToDevice || copy.kind == trace::CopyKind::DeviceToDevice;
  if ((toDevice || isLive(copy.destination)) &&
      !hostRows(MemoryStep::HostWrites, copy.destination, copy.rowBytes, copy.rows, copy.destinationPitch))
    return false;
  areRead_ = false;
  batch_->steps.push_back({MemoryStep::HostDone, ordering_.actOf(event_)});
  return true;
}

/// Returns whether all rows are there.
bool StepBatches::handOn(const trace::Copy &copy) {
  const std::uint64_t rows = isOneRow(copy) ? 1 : copy.rows;
  for (; row_ < rows && batch_->steps.size() < kMostSteps; ++row_) {
    const Move move = moveOf(copy, row_);
    row(MemoryStep::HandOn, move.source, copy.rows, move.destination);
  }
  if (row_ < rows)
    return false;
  row_ = 0;
  batch_->steps.push_back({MemoryStep::HostDone, ordering_.actOf(event_)});
  return true;
}

bool StepBatches::put(const SetEvent &event) {
  const trace::Set &set = model_.sets()[event.index];
  if (!hostRows(MemoryStep::HostWrites, set.destination, set.rowBytes, set.rows, set.pitch))
    return false;
  batch_->steps.push_back({MemoryStep::HostDone, ordering_.actOf(event_)});
  return true;
}

bool StepBatches::put(const AllocationEvent &event) {
  const trace::Allocation &memory = model_.allocations()[event.index].allocation;
  if (!memory.isAddressed())
    return true;
  forget(event.index);
  if (memory.bytes == 0)
    live_.erase(memory.address);
  else
    live_[memory.address] = static_cast<std::uint32_t>(event.index);
  return true;
}

bool StepBatches::put(const FreeEvent &event) {
  const trace::Allocation &memory = model_.allocations()[event.allocation].allocation;
  if (!memory.isAddressed())
    return true;
  forget(event.allocation);
  live_.erase(memory.address);
  return true;
}

void StepBatches::forget(std::size_t allocation) {
  const trace::Allocation &memory = model_.allocations()[allocation].allocation;
  MemoryStep step{MemoryStep::Forget};
  step.range = accessRange(memory.address, memory.bytes);
  batch_->steps.push_back(step);
  map_ = nullptr;
}

/// Goes on where it stopped. Returns whether all rows are there: there may be more than a batch has room for.
bool StepBatches::hostRows(MemoryStep::Kind kind, std::uint64_t address, std::uint64_t rowBytes,
                           std::uint64_t rows, std::uint64_t pitch) {
  if (rowBytes == 0 || rows == 0)
    return true;
  if (isOneRow(rowBytes, rows, pitch)) {
    row(kind, accessRange(address, bytesOf(rowBytes, rows)), rows);
    return true;
  }
  for (; row_ < rows && batch_->steps.size() < kMostSteps; ++row_)
    row(kind, accessRange(address + row_ * pitch, rowBytes), rows);
  if (row_ < rows)
    return false;
  row_ = 0;
  return true;
}

/// One of so many. `range` is read by HostReads and HandOn, and written by HostWrites.
void StepBatches::row(MemoryStep::Kind kind, const Range &range, std::uint64_t rows,
                      std::uint64_t destination) {
  constexpr std::uint64_t kStepsPerRow = 5000, kStepsPerPage = 150; // all shards see each row
  const std::uint64_t written = kind == MemoryStep::HostReads ? 0 : range.bytes();
  model_.limit().spend(kStepsPerRow + kStepsPerPage * (written >> kPageShift), [&] {
    return "a copy or set of " + std::to_string(rows) + " rows, " + std::to_string(range.bytes()) +
           " bytes at a time";
  });
  MemoryStep step{kind, ordering_.actOf(event_)};
  step.range = range;
  step.destination = destination;
  if (const auto *copy = std::get_if<CopyEvent>(&model_.events()[event_]);
      copy && kind == MemoryStep::HostReads)
    step.isFetch = model_.copies()[copy->index].kind == trace::CopyKind::DeviceToHost;
  if (kind == MemoryStep::HandOn || isLive(range.begin))
    step.allocations = allocations();
  batch_->steps.push_back(step);
  writtenByHost_ += written;
}

/// Allocations without bytes are not in live_; of two that overlap, the later address has the bytes.
bool StepBatches::isLive(std::uint64_t address) const {
  const auto next = live_.upper_bound(address);
  return next != live_.begin() &&
         address - std::prev(next)->first < model_.allocations()[std::prev(next)->second].allocation.bytes;
}

const std::shared_ptr<const AllocationMap> &StepBatches::allocations() {
  if (map_)
    return map_;
  model_.limit().spend(20 * live_.size(), [] { return std::string("looking up its allocations"); });
  std::vector<AllocationMap::Entry> entries;
  entries.reserve(live_.size());
  for (const auto &[address, index] : live_) {
    const Range range = accessRange(address, model_.allocations()[index].allocation.bytes);
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
