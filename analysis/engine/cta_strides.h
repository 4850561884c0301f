/// Strides of communication, CTA by CTA: of what each CTA of a launch read of earlier launches, and of what it
/// wrote and later ones read (Rieber 2017, section 6.2.5).
#ifndef CUPR_ANALYSIS_CTA_STRIDES_H
#define CUPR_ANALYSIS_CTA_STRIDES_H

#include "access_shapes.h"
#include "communication.h"
#include "key_hash.h"
#include "sum_table.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

/// What one shard finds. Summed by shape first: a CTA's runs have few.
class CtaStrides {
public:
  explicit CtaStrides(const AccessShapes &shapes) : shapes_(shapes) {}

  void read(LaunchIndex launch, std::uint32_t cta, std::uint32_t shape, const ShapeFlow &flow) {
    sums_.add({launch, cta, shape, false, flow});
  }
  void written(LaunchIndex launch, std::uint32_t cta, std::uint32_t shape, const ShapeFlow &flow) {
    sums_.add({launch, cta, shape, true, flow});
  }
  /// About how many sums there are.
  std::size_t size() const { return sums_.size(); }
  /// Adds all to `to`, and forgets it.
  void moveTo(std::vector<CtaStride> &to);

private:
  struct Sum {
    LaunchIndex launch = kHost; ///< kHost: none
    std::uint32_t cta = 0, shape = 0;
    bool writes = false;
    ShapeFlow flow;

    bool isNone() const { return launch == kHost; }
    bool sameKey(const Sum &other) const {
      return launch == other.launch && cta == other.cta && shape == other.shape && writes == other.writes;
    }
    std::uint64_t hash() const { return keyHash(pairOf(launch, cta), pairOf(writes, shape)); }
    void add(const Sum &more) { flow += more.flow; }
  };

  const AccessShapes &shapes_;
  SumTable<Sum> sums_;
};

} // namespace cupr::analysis

#endif
