/// What the records of a chunk add up to, and whether they keep the rules of their launch.
#ifndef CUPR_TRACE_RECOUNT_H
#define CUPR_TRACE_RECOUNT_H

#include "chunk.h"
#include "counts.h"
#include "events.h"
#include "module.h"

#include <span>
#include <string>
#include <unordered_map>

namespace cupr::trace {

/// Sums over chunks.
struct RecordTotals {
  std::uint64_t records = 0;
  std::uint64_t words = 0;
  std::uint64_t blocks = 0; ///< records that say that a block began (abi::kSiteBlock), which are no accesses
  SpaceCounts counts;

  RecordTotals &operator+=(const RecordTotals &other) {
    records += other.records;
    words += other.words;
    blocks += other.blocks;
    counts += other.counts;
    return *this;
  }
};

/// Accesses of threads by site, where there are any.
using SiteAccesses = std::unordered_map<std::uint32_t, std::uint64_t>;

/// The rule that a record of this launch breaks, whose module has these sites; null: none.
const char *brokenRecordRule(const abi::WarpAccess &access, std::span<const Site> sites,
                             const Launch &launch);

/// Counts the records in `words`, and takes their values from `values`: those of `chunk` unpacked. `sites` are those of the launch's
/// module. Returns the rule that a record breaks, or the chunk; empty: none, and `totals` are what the chunk
/// holds. Unless it is null, the accesses of the records up to there are added to `bySite`.
std::string recount(const Chunk &chunk, std::span<const Word> words, std::span<const Word> values,
                    const Launch &launch, std::span<const Site> sites, RecordTotals &totals,
                    SiteAccesses *bySite = nullptr);

} // namespace cupr::trace

#endif
