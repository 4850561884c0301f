/// Of blocks of a derived launch that do what another one does, each further on (block_family.h), the records that somebody wants: who
/// has seen the first one mostly needs few of the others.
#ifndef CUPR_ANALYSIS_REDUCED_BLOCKS_H
#define CUPR_ANALYSIS_REDUCED_BLOCKS_H

#include "hostlib/trace/chunk.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace cupr::analysis {

/// What is wanted of each of the others, as it is in the first.
struct ReducedBlock {
  std::vector<trace::Word> words;
  std::vector<std::int64_t> shifts; ///< of each record: what its addresses grow by from block to block
  std::uint64_t left = 0;           ///< accesses of a block's threads that are not wanted
};

/// Says what is wanted. It sees the records of the first block, piece by piece.
class RepeatFilter {
public:
  virtual ~RepeatFilter() = default;
  /// Of blocks that `others` more are like.
  virtual void begin(std::uint64_t others) = 0;
  /// `words` are its next records, `shifts` as in ReducedBlock; adds what is wanted to `kept`. False: all is wanted.
  virtual bool add(std::span<const trace::Word> words, std::span<const std::int64_t> shifts,
                   ReducedBlock &kept) = 0;
  /// When it has seen all; false: all is wanted after all.
  virtual bool end() = 0;
};

/// The same of blocks of one launch that are alike and come in several chunks. Several threads may ask.
class ReducedFamilies {
public:
  /// As many as DerivedRecords::spanning(). It keeps `mostWords` of them: of those for which there is no room, all is wanted.
  ReducedFamilies(std::size_t count, std::size_t mostWords)
      : each_(count), room_(static_cast<std::int64_t>(mostWords)) {}

  /// Null: all of their records are wanted. `reduce()`, which gives an optional ReducedBlock, is called once for each of them.
  template <typename Reduce> const ReducedBlock *of(std::size_t family, Reduce reduce) {
    Each &each = each_[family];
    std::call_once(each.once, [&] {
      // relaxed: nothing but the number is handed over. Once there is none left, nothing more is looked at.
      if (room_.load(std::memory_order_relaxed) <= 0)
        return;
      each.block = reduce();
      if (each.block)
        room_.fetch_sub(static_cast<std::int64_t>(each.block->words.size()), std::memory_order_relaxed);
    });
    return each.block ? &*each.block : nullptr;
  }

private:
  struct Each {
    std::once_flag once;
    std::optional<ReducedBlock> block;
  };
  std::vector<Each> each_;
  std::atomic<std::int64_t> room_; ///< words
};

} // namespace cupr::analysis

#endif
