/// The CTAs that together produced a byte: an atomic's value comes from all of the launch that have added to it,
/// or compared with it, and from who stored it before them in the launch. Of what a store or an exchange has
/// written there is one, and no set.
///
/// While a launch goes on, bytes with one set are those that the same atomics have met, and a set grows in place
/// as long as that is so. When it ends, bytes with the same CTAs have the same set, and a set is kept once.
/// There can be as many sets as bytes, and as many CTAs in each as the launch has: what is too large is given
/// up, and then the last writer stands for all, as docs/analysis.md says.
#ifndef CUPR_ANALYSIS_PRODUCER_SETS_H
#define CUPR_ANALYSIS_PRODUCER_SETS_H

#include "analysis/model/unnamed_file.h"
#include "key_hash.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// The number of a set; 0: the last writer is the only one.
using ProducerSet = std::uint32_t;
inline constexpr ProducerSet kOneProducer = 0;

/// How many CTAs all sets of a shard have together, about, growing ones and others apart.
inline constexpr std::size_t kMostMembers = std::size_t{1} << 19;

/// Of the present launch.
class GrowingSets {
public:
  /// Of more CTAs the last one stands for all.
  static constexpr std::size_t kMostProducers = 4096;
  static constexpr ProducerSet kTooMany = 1;

  /// `set` and `cta`, for `bytes` of those with `set`. Where that was one producer, it was `before`. `steps`
  /// grows by what it took.
  ProducerSet with(ProducerSet set, std::uint64_t bytes, std::uint32_t before, std::uint32_t cta,
                   std::uint64_t &steps);
  /// Whether `cta` changes nothing.
  bool has(ProducerSet set, std::uint32_t cta) const {
    if (set <= kTooMany)
      return set == kTooMany;
    const Set &grown = sets_[set - kFirst];
    if (cta < kLow && !grown.low.empty())
      return grown.low[cta / 64] >> cta % 64 & 1;
    return std::ranges::binary_search(grown.ctas, cta);
  }
  /// `bytes` have it no longer.
  void leave(ProducerSet set, std::uint64_t bytes);
  /// Ascending; none of kTooMany.
  std::span<const std::uint32_t> of(ProducerSet set) const {
    return set > kTooMany ? std::span<const std::uint32_t>(sets_[set - kFirst].ctas)
                          : std::span<const std::uint32_t>();
  }
  void clear() { *this = {}; }
  void save(std::FILE *file);
  void load(std::FILE *file);
  std::uint64_t bytes() const {
    return sets_.capacity() * sizeof(Set) + 3 * members_ * sizeof(std::uint32_t);
  }

private:
  static constexpr ProducerSet kFirst = kTooMany + 1;
  static constexpr std::uint32_t kLow = 4096;
  struct Set {
    std::uint64_t bytes = 0; ///< that have it
    std::vector<std::uint32_t> ctas;
    std::vector<std::uint64_t> low; ///< those below kLow, as bits; of large sets
    void mark();
  };
  ProducerSet add(std::uint64_t bytes, std::vector<std::uint32_t> ctas);

  std::vector<Set> sets_;
  std::size_t members_ = 0;
};

/// Of all launches: what bytes have now.
class ProducerSets {
public:
  /// `ctas` ascending, at least two; `last`: the last writer. kOneProducer: there is no room.
  ProducerSet numberOf(std::uint32_t last, std::span<const std::uint32_t> ctas);
  std::span<const std::uint32_t> of(ProducerSet set) const {
    assert(set != kOneProducer && set < begins_.size());
    return {members_.data() + begins_[set - 1] + 1, members_.data() + begins_[set]};
  }
  const std::uint32_t &lastOf(ProducerSet set) const { return members_[begins_[set - 1]]; }
  std::size_t members() const { return members_.size(); }
  void save(std::FILE *file);
  void load(std::FILE *file);
  std::uint64_t bytes() const {
    return members_.capacity() * sizeof(std::uint32_t) + begins_.capacity() * (sizeof(std::size_t) + 40);
  }

private:
  std::vector<std::uint32_t> members_; ///< of each set: the last writer, and then all
  std::vector<std::size_t> begins_{0};
  std::unordered_multimap<std::uint64_t, ProducerSet> byHash_;
};

} // namespace cupr::analysis

#endif
