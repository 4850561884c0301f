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

/// What records of a launch must keep, whose module has these sites.
class RecordRules {
public:
  RecordRules(const Launch &launch, std::span<const Site> sites);
  /// The rule that a record breaks; null: none.
  const char *broken(const abi::WarpAccess &access) const;

private:
  std::span<const Site> sites_;
  unsigned __int128 ctas_, threads_;
};

/// Counts the records in `words`, and takes their values from `values`: those of `chunk` unpacked. `sites` are those of the launch's
/// module. Returns the rule that a record breaks, or the chunk; empty: none, and `totals` are what the chunk
/// holds. Unless it is null, the accesses of the records up to there are added to `bySite`.
std::string recount(const Chunk &chunk, std::span<const Word> words, std::span<const Word> values,
                    const Launch &launch, std::span<const Site> sites, RecordTotals &totals,
                    SiteAccesses *bySite = nullptr);

} // namespace cupr::trace

#endif
