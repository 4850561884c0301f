/// Of blocks of a derived launch that do what another one does, each further on (block_family.h), the records that somebody wants: who
/// has seen the first one mostly needs few of the others.
#ifndef CUPR_ANALYSIS_REDUCED_BLOCKS_H
#define CUPR_ANALYSIS_REDUCED_BLOCKS_H

#include "hostlib/trace/chunk.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// What is wanted of each of the others, as it is in the first.
struct ReducedBlock {
  std::vector<trace::Word> words;
  std::vector<std::int64_t> shifts; ///< of each record: what its addresses grow by from block to block
  std::uint64_t left = 0;           ///< accesses of a block's threads that are not wanted
  /// A hash: where it is the same, the first blocks of two families do the same inside.
  std::array<std::uint64_t, 2> inside{};
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
  /// When it has seen all: says in `kept` what the block does inside. False: all is wanted after all.
  virtual bool end(ReducedBlock &kept) = 0;
};

/// The same of all families of a launch whose blocks come in several chunks, by number.
class ReducedFamilies {
public:
  /// Empty: all of a family's records are wanted.
  explicit ReducedFamilies(std::vector<std::optional<ReducedBlock>> each) : each_(std::move(each)) {
    std::set<std::array<std::uint64_t, 2>> seen;
    repeats_.reserve(each_.size());
    for (const std::optional<ReducedBlock> &block : each_)
      repeats_.push_back(block && !seen.insert(block->inside).second);
  }

  /// Null: all of their records are wanted.
  const ReducedBlock *of(std::size_t family) const { return each_[family] ? &*each_[family] : nullptr; }
  /// Whether not even the first block's are, since that of an earlier family does the same inside.
  bool repeats(std::size_t family) const { return repeats_[family]; }

private:
  std::vector<std::optional<ReducedBlock>> each_;
  std::vector<bool> repeats_;
};

} // namespace cupr::analysis

#endif
