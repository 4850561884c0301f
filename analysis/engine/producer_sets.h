/// The CTAs that together produced a byte: an atomic's value comes from all of the launch that have added to it,
/// or compared with it, and from who stored it before them in the launch. Of what a store or an exchange has
/// written there is one, and no set.
///
/// While a launch goes on, sets grow by one CTA at a time, many bytes in the same way: so a set is the one
/// that it grew from and a CTA. When the launch ends, bytes with the same CTAs have the same set, and a set is
/// kept once. There can be as many sets as bytes, and as many CTAs in each as the launch has: what is too large
/// is given up, and then the last writer stands for all, as docs/analysis.md says.
#ifndef CUPR_ANALYSIS_PRODUCER_SETS_H
#define CUPR_ANALYSIS_PRODUCER_SETS_H

#include "key_hash.h"
#include "unnamed_file.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// The number of a set; 0: the last writer is the only one.
using ProducerSet = std::uint32_t;
inline constexpr ProducerSet kOneProducer = 0;

/// Of the present launch.
class GrowingSets {
public:
  /// Of more CTAs the last one stands for all.
  static constexpr std::uint32_t kMostProducers = 4096;
  static constexpr ProducerSet kTooMany = 1;

  /// `set` and `cta`. Where that was one producer, it was `before`. `steps` grows by what it took.
  ProducerSet with(ProducerSet set, std::uint32_t before, std::uint32_t cta, std::uint64_t &steps);
  /// In no order.
  void membersOf(ProducerSet set, std::vector<std::uint32_t> &ctas) const;
  void clear() { *this = {}; }
  void save(std::FILE *file);
  void load(std::FILE *file);
  std::uint64_t bytes() const {
    constexpr std::uint64_t kBytesPerEntry = 48; // of a hash table
    return nodes_.capacity() * sizeof(Node) + grown_.size() * kBytesPerEntry;
  }

private:
  struct Node {
    ProducerSet from = kOneProducer;
    std::uint32_t cta = 0, size = 0;
  };
  ProducerSet grow(ProducerSet set, std::uint32_t cta, std::uint64_t &steps);

  std::vector<Node> nodes_;                              ///< from number 2 on
  std::unordered_map<std::uint64_t, ProducerSet> grown_; ///< (set, CTA) -> with it
};

/// Of all launches: what bytes have now.
class ProducerSets {
public:
  /// How many CTAs all sets have together, about: beyond that, the last writers of new ones stand for all.
  static constexpr std::size_t kMostMembers = std::size_t{1} << 19;

  /// `ctas` ascending, at least two; `last`: the last writer. kOneProducer: there is no room.
  ProducerSet numberOf(std::uint32_t last, std::span<const std::uint32_t> ctas);
  std::span<const std::uint32_t> of(ProducerSet set) const {
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
