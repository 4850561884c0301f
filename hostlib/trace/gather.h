/// Gathers the records of one launch until they make a chunk, and counts them.
///
/// Terms: a lane is a place of delivery (a bin of the queue, a worker thread of the CPU
/// device); the order of records is kept within a lane.
/// Gathered words are whole records without pads, with the generation bits and unused
/// address places set to 0, so that they depend on what the program did and not on when.
#ifndef CUPR_TRACE_GATHER_H
#define CUPR_TRACE_GATHER_H

#include "chunk.h"
#include "counts.h"
#include "module.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace cupr::trace {

/// What a module's records are counted with, by site.
struct SiteWeight {
  std::uint32_t bytes;
  abi::OperationClass operation;
  abi::MemorySpace space;
};
using SiteWeights = std::vector<SiteWeight>;

/// Words that are ready to be packed.
struct Batch {
  std::vector<Word> words;
  std::uint32_t records = 0;
  std::vector<LaneShare> shares; ///< in the order of the records
};

/// Threads: every member may be called from any thread. Throws std::bad_alloc only.
class Gather {
public:
  /// Writes a batch, which is not empty. Called with its lane locked: records of one lane
  /// come in their order.
  class Sink {
  public:
    virtual void batch(const Batch &batch) = 0;

  protected:
    ~Sink() = default;
  };

  /// `weights` may be null: then nothing but records and words is counted.
  /// `buffered` is shared by all launches: bytes that are gathered at the moment.
  Gather(std::shared_ptr<const SiteWeights> weights, std::atomic<std::uint64_t> &buffered)
      : weights_(std::move(weights)), buffered_(buffered) {}
  ~Gather();

  /// Takes `count` words of whole records. Full batches go to `sink`.
  void take(std::uint32_t lane, const Word *words, std::size_t count, Sink &sink);
  /// Gives everything that is left to `sink`, by ascending lane. Small rests share batches:
  /// a GPU spreads a launch over many lanes.
  void flush(Sink &sink);

  std::uint64_t words() const { return words_.load(std::memory_order_relaxed); }
  std::uint64_t records() const;
  SpaceCounts counts() const;
  /// Words that could not be taken for records, and records that name no site.
  std::uint64_t malformedWords() const { return malformedWords_.load(std::memory_order_relaxed); }
  std::uint64_t unknownSites() const { return unknownSites_.load(std::memory_order_relaxed); }

private:
  struct Lane {
    mutable std::mutex mutex;
    Batch batch;
    std::uint64_t records = 0;
    SpaceCounts counts;
  };

  Lane &lane(std::uint32_t number);
  void hand(std::uint32_t number, Lane &lane, Sink &sink);

  const std::shared_ptr<const SiteWeights> weights_;
  std::atomic<std::uint64_t> &buffered_;
  std::atomic<std::uint64_t> words_{0};
  std::atomic<std::uint64_t> malformedWords_{0};
  std::atomic<std::uint64_t> unknownSites_{0};
  mutable std::mutex lanesMutex_;
  std::map<std::uint32_t, std::unique_ptr<Lane>> lanes_;
};

} // namespace cupr::trace

#endif
