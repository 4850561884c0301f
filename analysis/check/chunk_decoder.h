/// Takes the records of a chunk apart for the check: steps in their order, which part of memory each is about, and what is wrong
/// with an address by itself.
#ifndef CUPR_ANALYSIS_CHUNK_DECODER_H
#define CUPR_ANALYSIS_CHUNK_DECODER_H

#include "check_shards.h"
#include "fault_list.h"
#include "memory_lifetimes.h"
#include "order_parts.h"
#include "settled_pages.h"
#include "site_traits.h"
#include "warp_step.h"
#include "written_pages.h"

#include "analysis/engine/allocation_map.h"
#include "analysis/model/records.h"
#include "hostlib/trace/clusters.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// What a step does in one page, or in the shared memory of its block, by the number of the first page there.
struct StepPiece {
  std::uint64_t page;
  std::uint32_t step;
  std::uint32_t lanes;
};

struct CheckedChunk {
  ChunkSteps steps;
  std::vector<StepPiece> pieces;                        ///< by shard, and in the order of the steps
  std::array<std::uint32_t, kCheckShards + 1> begins{}; ///< of each shard's pieces
  /// Which steps are of blocks of each part of the launch, in their order; none if nothing is known of its order. Without those of blocks
  /// that are followed in part (RepeatedBlocks).
  std::vector<std::uint32_t> ordered;
  std::array<std::uint32_t, kOrderParts + 1> orderBegins{};
  std::uint64_t accesses = 0; ///< of threads
  std::uint64_t reduced = 0;  ///< blocks that are followed in part
  std::uint64_t left = 0;     ///< other accesses, of these
};

/// What is the same for all chunks of a launch.
struct ChunkContext {
  LaunchIndex launch = kHost;
  Act act = kNoAct;
  const ModuleTraits *module = nullptr;
  const AllocationMap *allocations = nullptr;
  /// Where shared variables lie; none known: 0 and UINT64_MAX.
  std::uint64_t sharedBegin = 0, sharedEnd = UINT64_MAX;
  trace::Clusters clusters{trace::Launch{}}; ///< whose shared memory accesses may be to
  std::uint64_t systemEnd = 0;               ///< so many bytes in front of them are the system's
  bool hasFailed = false;                    ///< the kernel ended with an error
  bool hasFailedByAddress = false;           ///< at an address that is nobody's
  const ReducedFamilies *reduced = nullptr;  ///< if blocks that are alike are followed in part
  const WrittenPages *written = nullptr;     ///< by the launch
  const PageRanges *hostWritten = nullptr;   ///< whole pages that copies and sets have written before
};

class ChunkDecoder {
public:
  /// All outlive it.
  ChunkDecoder(const Model &model, const MemoryLifetimes &lifetimes, const std::vector<LaunchIndex> &kernels,
               const std::vector<const ModuleTraits *> &modules)
      : model_(model), lifetimes_(lifetimes), faults_(kernels, modules) {}

  /// Throws BadTrace, trace::TooMuch.
  void decode(RecordStream &records, const ChunkContext &context, CheckedChunk &chunk);
  FaultList &faults() { return faults_; }

private:
  struct Placed {
    std::uint8_t shard;
    StepPiece piece;
  };
  void add(const Record &record, bool isReduced, const ChunkContext &context, CheckedChunk &chunk);
  void checkMasks(const ChunkContext &context, const CheckedChunk &chunk, const WarpStep &step);
  void checkAddresses(const ChunkContext &context, CheckedChunk &chunk, WarpStep &step,
                      const SiteTraits &site);
  void checkGlobal(const ChunkContext &context, const WarpStep &step, unsigned lane, const Range &range,
                   bool isNearOthers);
  void checkShared(const ChunkContext &context, const WarpStep &step, unsigned lane, const Range &range);
  static bool isOfNobody(const ChunkContext &context, std::uint64_t address, std::uint64_t bytes);
  void placeShared(const ChunkContext &context, const ChunkSteps &chunk, const WarpStep &step,
                   std::uint32_t number);
  bool isNothingToFollow(const WarpStep &step, const SiteTraits &site);
  void place(const ChunkContext &context, CheckedChunk &chunk, const WarpStep &step, const SiteTraits &site);
  std::uint32_t lanesInShared(const ChunkContext &context, const ChunkSteps &chunk,
                              const WarpStep &step) const;
  void putGlobal(const ChunkContext &context, std::uint64_t page, const WarpStep &step, std::uint32_t number,
                 std::uint32_t lanes);
  void put(std::uint64_t page, std::uint32_t step, std::uint32_t lanes);
  void tell(FaultRule rule, const ChunkContext &context, const WarpStep &step, unsigned lane,
            const Range &range, std::optional<std::uint32_t> allocation);

  const Model &model_;
  const MemoryLifetimes &lifetimes_;
  FaultList faults_;
  std::vector<Placed> placed_;
  std::vector<std::uint32_t> toOrder_; ///< steps
  // Of the present chunk.
  AllocationMap::Entry lastAllocation_{};
  Range span_;                          ///< from the first to the last byte of the step's lanes
  std::optional<SettledPages> settled_; ///< there
  WrittenPages::Stretch around_;        ///< the page that was looked up last
};

} // namespace cupr::analysis

#endif
