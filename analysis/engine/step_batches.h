/// What happens to memory, step by step, in batches of bounded size: the events of a trace as shards of
/// memory take them.
#ifndef CUPR_ANALYSIS_STEP_BATCHES_H
#define CUPR_ANALYSIS_STEP_BATCHES_H

#include "address_shard.h"
#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace cupr::analysis {

struct MemoryStep {
  /// Begin, Runs and End make a launch; HostReads, HostWrites and HandOn are rows of a copy or set, HostDone its
  /// end; Forget: memory is allocated or freed; HostAccess: code of the host loads or stores; Waited: the host has waited for all so far.
  enum Kind { Begin, Runs, End, HostReads, HostWrites, HandOn, HostDone, Forget, HostAccess, Waited };
  Kind kind;
  Act act = kNoAct;
  LaunchIndex launch = kHost;
  std::size_t chunk = 0; ///< Runs: index in StepBatch::chunks
  std::shared_ptr<const AllocationMap>
      allocations{}; ///< HostReads, HostWrites: null if there is none at its begin
  Range range{};
  std::uint64_t destination = 0; ///< HandOn: where the range goes
  bool isFetch = false;          ///< HostReads: the copy is to the host
  std::size_t access = 0;        ///< HostAccess: index among the host's
};

struct StepChunk {
  LaunchIndex launch;
  std::size_t chunk;    ///< of the launch
  std::uint64_t number; ///< among all chunks, from 1
  std::shared_ptr<const AllocationMap> allocations{};
  std::uint64_t firstRecord = 0; ///< those before it have been decoded
};

struct StepBatch {
  std::vector<MemoryStep> steps;
  std::vector<StepChunk> chunks;
};

/// All rows of copies that hand on who wrote their source: the pages that they connect.
std::vector<Move> movesOf(const Model &model, DeviceCopies copies);

/// Whether there are steps for what code of the host accesses.
enum class HostAccesses { LeftOut, Read };

/// Gives the same batches each time that one is made. A batch has at most `chunksPerBatch` chunks, and unpacks
/// to no more than so many that a writer makes.
class StepBatches {
public:
  StepBatches(const Model &model, const Ordering &ordering, DeviceCopies copies, std::size_t chunksPerBatch,
              HostAccesses accesses = HostAccesses::LeftOut)
      : model_(model), ordering_(ordering), copies_(copies), accesses_(accesses),
        chunksPerBatch_(chunksPerBatch) {}

  /// False: there are no more.
  bool next(StepBatch &batch);
  /// In front of the next act, but behind what code of the host has accessed before it, the step Waited comes.
  void hostHasWaited() { hasWaited_ = true; }
  /// Bytes of copies and sets so far.
  std::uint64_t writtenByHost() const { return writtenByHost_; }

private:
  void takeAccesses();
  bool putAccesses(std::uint64_t before);
  std::uint64_t orderOf(const Event &event) const;
  bool put(const LaunchEvent &event);
  bool put(const CopyEvent &event);
  bool put(const SetEvent &event);
  bool put(const AllocationEvent &event);
  bool put(const FreeEvent &event);
  bool handOn(const trace::Copy &copy);
  void row(MemoryStep::Kind kind, const Range &range, std::uint64_t rows, std::uint64_t destination = 0);
  bool hostRows(MemoryStep::Kind kind, std::uint64_t address, std::uint64_t rowBytes, std::uint64_t rows,
                std::uint64_t pitch);
  void forget(std::size_t allocation);
  const std::shared_ptr<const AllocationMap> &allocations();
  bool isLive(std::uint64_t address) const;
  bool hasRoom() const;

  static constexpr std::size_t kMostSteps = 1u << 15;
  const Model &model_;
  const Ordering &ordering_;
  const DeviceCopies copies_;
  const HostAccesses accesses_;
  std::vector<std::uint32_t> byOrder_; ///< accesses of the host that have not had their turn
  std::size_t accessesTaken_ = 0, nextAccess_ = 0;
  bool hasWaited_ = false;
  const std::size_t chunksPerBatch_;
  StepBatch *batch_ = nullptr;
  std::uint64_t batchWords_ = 0; ///< of its chunks
  std::size_t event_ = 0;
  std::size_t chunk_ = 0; ///< of the present launch
  std::uint64_t row_ = 0; ///< of the present copy or set
  bool areRead_ = false;  ///< all rows of the present copy are
  std::uint64_t chunkNumber_ = 0;
  std::uint64_t writtenByHost_ = 0;
  std::map<std::uint64_t, std::uint32_t> live_; ///< address -> allocation
  std::shared_ptr<const AllocationMap> map_;    ///< of live_; null: it has changed
};

} // namespace cupr::analysis

#endif
