/// Blocks of a derived launch that do what another one does, some bytes further on: what of them the check must follow.
///
/// The problem: of most launches nearly all blocks are alike, and the first of them says what they do inside of themselves: which
/// threads a barrier keeps apart, what they read of their own. What is left is how they meet others. Those meet nobody where
/// they read what the launch does not write to. So of such blocks only writes are followed, and reads near them; what orders
/// their threads is left out, too, if what they do in one place moves on as a whole: then it stands to each other as in the first.
///
/// Blocks that are further apart, of another row of the grid or so, do the same inside as well, though nothing says so beforehand. So of the first
/// of each family there is a hash: of all its records in their order, with addresses of shared memory as they are, and of global
/// memory as they lie to each other where that matters.
///
/// Whoever finds a fault in the launch looks at all of it once more, so that the counts are what they are.
#ifndef CUPR_ANALYSIS_REPEATED_BLOCKS_H
#define CUPR_ANALYSIS_REPEATED_BLOCKS_H

#include "memory_lifetimes.h"
#include "settled_pages.h"
#include "site_traits.h"

#include "analysis/engine/allocation_map.h"
#include "analysis/model/records.h"

#include <cstdint>
#include <vector>

namespace cupr::analysis {

class RepeatedBlocks final : public RepeatFilter {
public:
  /// Of a launch whose blocks are alike inside. All outlive it.
  RepeatedBlocks(const ModuleTraits &module, const AllocationMap &allocations,
                 const MemoryLifetimes &lifetimes, std::uint64_t launchOrder, SettledPages settled)
      : module_(module), allocations_(allocations), lifetimes_(lifetimes), launchOrder_(launchOrder),
        settled_(settled) {}

  void begin(std::uint64_t others) override;
  bool add(std::span<const trace::Word> words, std::span<const std::int64_t> shifts,
           ReducedBlock &kept) override;
  bool end(ReducedBlock &kept) override;

private:
  /// What moves on by as many bytes from block to block.
  struct Moving {
    std::int64_t shift;
    Range range;         ///< of all blocks
    std::uint64_t first; ///< where the first record of the first one begins
  };
  /// Where it begins, as far as that matters inside of the block.
  std::uint64_t move(std::int64_t shift, const Range &range, std::uint64_t base);
  void say(std::span<const trace::Word> record, const abi::RecordHead &head, std::uint64_t base,
           std::int64_t shift);

  const ModuleTraits &module_;
  const AllocationMap &allocations_;
  const MemoryLifetimes &lifetimes_;
  const std::uint64_t launchOrder_;
  SettledPages settled_;
  AllocationMap::Entry allocation_{}; ///< that was looked up last
  std::vector<Moving> moving_;        ///< of what is kept
  std::vector<std::uint64_t> said_;   ///< what is to be hashed, behind what was
  std::uint64_t others_ = 0;
};

} // namespace cupr::analysis

#endif
