/// Sets of GPUs, for many ways to cut the grids at once: under each cut, the GPUs that a byte is wanted by.
///
/// A byte that CTAs 3 and 90 read is wanted by GPUs 0 and 1 under one cut, and by GPU 3 alone under another.
/// There are many bytes and few such sets, since there are few GPUs: so a set is kept once, and bytes have its
/// number.
#ifndef CUPR_ANALYSIS_DEVICE_SETS_H
#define CUPR_ANALYSIS_DEVICE_SETS_H

#include "analysis/model/unnamed_file.h"
#include "placement.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cupr::analysis {

/// The cuts, and which bit stands for which GPU of which cut.
class Cuts {
public:
  Cuts(const Model &model, std::vector<Placement> placements);

  const Grids &grids() const { return grids_; }
  const std::vector<Placement> &placements() const { return placements_; }
  unsigned bits() const { return firstBits_.back(); }
  unsigned words() const { return (bits() + 63) / 64; }
  unsigned firstBit(std::size_t cut) const { return firstBits_[cut]; }

private:
  Grids grids_;
  std::vector<Placement> placements_;
  std::vector<unsigned> firstBits_; ///< by cut, and one more
};

/// The number of a set; 0: it is empty.
using DeviceSet = std::uint32_t;

/// Not for several threads at once.
class DeviceSets {
public:
  explicit DeviceSets(const Cuts &cuts);

  /// The GPU of a CTA, one under each cut.
  DeviceSet ofCta(LaunchIndex launch, std::uint32_t cta);
  DeviceSet unite(DeviceSet a, DeviceSet b);
  /// Calls `visitor(cut, GPU)` for those in `set` that are not in `without`.
  template <typename Visitor> void forEach(DeviceSet set, DeviceSet without, Visitor visitor) const {
    for (std::size_t cut = 0; cut < cuts_.placements().size(); ++cut)
      for (unsigned bit = cuts_.firstBit(cut); bit < cuts_.firstBit(cut + 1); ++bit)
        if (has(set, bit) && !has(without, bit))
          visitor(cut, bit - cuts_.firstBit(cut));
  }
  /// The lowest GPU of a set under a cut. It must have one.
  unsigned deviceOf(DeviceSet set, std::size_t cut) const {
    unsigned bit = cuts_.firstBit(cut);
    while (!has(set, bit))
      ++bit;
    return bit - cuts_.firstBit(cut);
  }

  /// Both are for the same cuts.
  void swap(DeviceSets &other) noexcept;
  std::size_t size() const { return words_.size() / width_; }
  /// The set with the bits of `set` in `of`, which is for the same cuts.
  DeviceSet taken(const DeviceSets &of, DeviceSet set) { return find(of.bitsOf(set)); }

  void save(std::FILE *file);
  void load(std::FILE *file);
  std::uint64_t bytes() const {
    return (words_.capacity() + 2 * kCached) * sizeof(std::uint64_t) + places_.capacity() * sizeof(DeviceSet);
  }

private:
  struct CachedUnion {
    DeviceSet a = 0, b = 0, result = 0;
  };
  struct CachedCta {
    const trace::Dim3 *grid = nullptr;
    std::uint32_t cta = 0;
    DeviceSet set = 0;
  };
  static constexpr std::size_t kCached = 1024;

  bool has(DeviceSet set, unsigned bit) const {
    return words_[std::size_t{set} * width_ + bit / 64] >> bit % 64 & 1;
  }
  std::span<const std::uint64_t> bitsOf(DeviceSet set) const {
    return {words_.data() + std::size_t{set} * width_, width_};
  }
  /// Made, if there is none.
  DeviceSet find(std::span<const std::uint64_t> bits);
  void grow();
  std::size_t placeOf(std::span<const std::uint64_t> bits) const;

  const Cuts &cuts_;
  const std::size_t width_;            ///< words of a set
  std::vector<std::uint64_t> words_;   ///< by set
  std::vector<DeviceSet> places_;      ///< a hash table with open addressing: a power of two
  std::vector<std::uint64_t> scratch_; ///< of one set
  std::array<CachedUnion, kCached> unions_{};
  std::array<CachedCta, kCached> ctas_{};
};

} // namespace cupr::analysis

#endif
