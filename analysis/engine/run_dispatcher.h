/// From the records of a chunk to the runs of every shard, and the figures that need nothing but the records.
#ifndef CUPR_ANALYSIS_RUN_DISPATCHER_H
#define CUPR_ANALYSIS_RUN_DISPATCHER_H

#include "access_shapes.h"
#include "address_shard.h"
#include "communication.h"
#include "requests.h"
#include "step_batches.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// The runs of a chunk, or of a part of one, by shard; within one, in the order of the records.
struct ChunkRuns {
  std::vector<ShardRun> runs;
  std::array<std::uint32_t, kShards + 1> begins{};
  std::vector<EntityVolume> ctas, sms;
  std::uint64_t records = 0;
  std::uint64_t nextRecord = 0; ///< of the chunk: where its next part begins; 0: there is none
  std::span<const ShardRun> of(unsigned shard) const {
    return {runs.data() + begins[shard], runs.data() + begins[shard + 1]};
  }
};

/// For one thread. Its figures are sums over all chunks that it was given.
class RunDispatcher {
public:
  /// `firstSites`: by module, the number of its first site. Throws BadTrace if the file can't be opened
  /// again. `accesses`: is told of reads that reach over the end of a page; null: nobody asks.
  RunDispatcher(const Model &model, const std::vector<std::uint32_t> &firstSites, AccessShapes &shapes,
                const PageDeal &deal, CommunicatedAccesses *accesses = nullptr);

  /// Goes on until there are `mostRuns`, or a few more.
  void dispatch(const StepChunk &chunk, std::size_t mostRuns, ChunkRuns &result);

  struct SiteFigures {
    trace::Counts counts;
    RequestFigures made;
  };
  /// Each as long as the highest index that was met.
  const std::vector<SiteFigures> &sites() const { return sites_; }
  const std::vector<trace::Counts> &allocations() const { return allocations_; }
  const std::vector<std::uint64_t> &bytesByShape() const { return bytesByShape_; } ///< by threads

private:
  void add(const Record &record, LaunchIndex launch, std::uint32_t site, std::uint64_t access,
           const AllocationMap &allocations);
  void countByAllocation(const AccessRun &run, abi::OperationClass operation,
                         const AllocationMap &allocations);
  void cut(const AccessRun &run, ShardRun parts, std::uint64_t access);
  void tellCutReads();
  void noteCutReads(CommunicatedRead read, std::uint32_t elements, std::uint64_t access);
  void spread(ShardRun part, const Range &range);
  void push(const ShardRun &run);
  void sortByShard(ChunkRuns &result);

  const Model &model_;
  const std::vector<std::uint32_t> &firstSites_;
  std::unique_ptr<trace::Reader> reader_;
  ShapeCache shapes_;
  const PageDeal &deal_;
  CommunicatedAccesses *const accesses_;
  AccessRuns runsOf_;
  std::vector<SiteFigures> sites_;
  std::vector<trace::Counts> allocations_;
  std::vector<std::uint64_t> bytesByShape_;

  // The present chunk.
  std::uint64_t parts_ = 0; ///< steps for accesses of several requests, and wide ones, not yet spent
  std::vector<ShardRun> runs_;
  std::vector<CutRead> cutReads_;
  std::array<std::uint32_t, kShards> counts_{};
  std::unordered_map<std::uint32_t, EntityVolume> ctas_;
  std::array<EntityVolume, 1u << abi::kSmBits> sms_{};
  AllocationMap::Entry lastAllocation_{};
  EntityVolume *lastCta_ = nullptr;
};

} // namespace cupr::analysis

#endif
