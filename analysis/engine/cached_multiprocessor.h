/// A multiprocessor with its L1 cache: its blocks one after the other, as many at a time as fit, and their warps in turns.
///
/// In each turn every warp on the multiprocessor makes its next access. That is how a GPU works where warps are alike and wait for memory
/// equally long; barriers, and what warps compute in between, are not followed.
///
/// - Loads look up each sector. One that is on its way counts as there, as it does in the hardware's counters. What is not there is read
///   from L2.
/// - Stores go to L2 in any case. In a line that was loaded or stored before, in whichever sectors, they are hits, as the counters have it;
///   a sector whose bytes were all written can be read from then on.
/// - Atomics and volatile loads are L2's, and leave L1 as it is.
#ifndef CUPR_ANALYSIS_CACHED_MULTIPROCESSOR_H
#define CUPR_ANALYSIS_CACHED_MULTIPROCESSOR_H

#include "allocation_map.h"
#include "analysis/model/records.h"
#include "cache_figures.h"
#include "cache_reuse.h"
#include "hostlib/trace/work_limit.h"
#include "request_lines.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cupr::analysis {

/// The accesses of global memory of one block, by warp.
class BlockRecords {
public:
  /// `words`: records of any warps, those of each in its order; of all kinds of memory. `sites`: the module's.
  BlockRecords(std::vector<trace::Word> words, std::span<const trace::Site> sites);
  std::size_t count() const { return places_.size(); }
  std::size_t warps() const { return begins_.size() - 1; }
  /// Where the records of a warp stand in `words`, in its order.
  std::span<const std::uint32_t> of(std::size_t warp) const {
    return {places_.data() + begins_[warp], places_.data() + begins_[warp + 1]};
  }
  const std::vector<trace::Word> &words() const { return words_; }

private:
  std::vector<trace::Word> words_;
  std::vector<std::uint32_t> places_, begins_{0};
};

/// Some sectors of a line, on their way to L2.
struct SectorAccess {
  enum class Kind : std::uint8_t { Read, Write, Atomic };
  LineSectors sectors;
  std::uint32_t turn;
  std::uint32_t site; ///< of the module
  std::uint32_t allocation;
  Kind kind;
};

class CachedMultiprocessor {
public:
  /// What a launch is made of. `load(block)`: the words of a block's records.
  struct Work {
    const trace::Module &module;
    const AllocationMap &allocations;
    trace::WorkLimit &limit;
    std::function<std::vector<trace::Word>(std::size_t block)> load;
  };

  /// From now on reuse() is known.
  void followReuse() { reuse_.emplace(); }
  /// A launch begins: its blocks for this multiprocessor, in the order in which they begin. L1 is empty.
  void begin(std::vector<std::size_t> blocks, unsigned resident, std::uint64_t l1Bytes);
  /// Makes the turns up to `endTurn`. `parts`: what goes to each part of L2; each line has its part. What was put there before is no longer
  /// needed. Throws trace::TooMuch.
  void run(const Work &work, std::uint32_t endTurn, std::span<std::vector<SectorAccess>> parts);
  bool isDone() const { return next_ == blocks_.size() && running_.empty(); }
  /// Since the launch began, by site of the module, and by allocation; either may be shorter.
  const std::vector<CacheFigures> &sites() const { return sites_; }
  const std::vector<CacheFigures> &allocations() const { return allocations_; }
  /// Likewise; null: it is not followed.
  const ReuseSums *reuse() const { return reuse_ ? &reuse_->sums : nullptr; }
  std::uint64_t records() const { return records_; }

private:
  struct RunningBlock {
    BlockRecords records;
    std::vector<std::uint32_t> done; ///< by warp, how many of its records
    std::size_t left;                ///< records
  };
  void start(const Work &work);
  void allow(const Work &work, std::uint64_t bytes);
  void translate(std::span<const LineSectors> lines, std::uint32_t site);
  void access(const Work &work, const trace::Word *words, std::size_t size, std::uint32_t turn,
              std::span<std::vector<SectorAccess>> parts);

  std::vector<std::size_t> blocks_;
  std::size_t next_ = 0;
  unsigned resident_ = 1;
  std::uint32_t turn_ = 0;
  std::vector<RunningBlock> running_;
  SectorCache cache_{0};
  RequestLines lines_;
  Record record_;
  AllocationMap::Entry lastAllocation_{};
  std::vector<CacheFigures> sites_, allocations_;
  std::optional<MultiprocessorReuse> reuse_;
  std::vector<std::uint64_t> pages_; ///< of the request, without repetition
  std::uint64_t records_ = 0;
  std::uint64_t kept_ = 0; ///< bytes, for the lines of large accesses
};

} // namespace cupr::analysis

#endif
