/// The largest go first, so that few have to.
#include "resident_shards.h"

#include <algorithm>

namespace cupr::analysis {

ResidentShards::ResidentShards(const ShardContext &context, ShardRange shards, std::uint64_t memory)
    : memory_(memory) {
  for (unsigned i = shards.first; i < shards.end; ++i)
    waiting_.push_back({std::make_unique<AddressShard>(context, i), 0, nullptr, 0});
}

bool ResidentShards::take() {
  std::uint64_t bytes = 0;
  while (!waiting_.empty() && (resident_.empty() || bytes + waiting_.back().bytes <= memory_ / 4)) {
    Resident &next = waiting_.back();
    bytes += next.bytes;
    if (next.file)
      next.shard->load(next.file.get());
    next.file = nullptr;
    resident_.push_back(std::move(next));
    waiting_.pop_back();
  }
  return !resident_.empty();
}

std::uint64_t ResidentShards::firstBatch() const {
  std::uint64_t first = UINT64_MAX;
  for (const Resident &resident : resident_)
    first = std::min(first, resident.batch);
  return first;
}

void ResidentShards::putAside() {
  std::uint64_t bytes = 0;
  for (Resident &resident : resident_)
    bytes += resident.bytes = resident.shard->bytes();
  while (bytes > memory_ / 2 && resident_.size() > 1) {
    const auto largest =
        std::max_element(resident_.begin(), resident_.end(),
                         [](const Resident &a, const Resident &b) { return a.bytes < b.bytes; });
    bytes -= largest->bytes;
    largest->file = unnamedFile();
    largest->shard->save(largest->file.get());
    waiting_.push_back(std::move(*largest));
    resident_.erase(largest);
  }
}

} // namespace cupr::analysis
