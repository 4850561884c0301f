/// What flows between an entity of the present act and one of another.
#ifndef CUPR_ANALYSIS_FLOW_H
#define CUPR_ANALYSIS_FLOW_H

#include "analysis/model/ordering.h"
#include "dependence.h"
#include "key_hash.h"

#include <cstdint>

namespace cupr::analysis {

/// For SumTable and RecentSums.
struct Flow {
  DependenceClass dependence;
  Act first = kNoAct; ///< kNoAct: none
  std::uint32_t firstCta = 0;
  std::uint32_t cta = 0; ///< of the present act
  std::uint64_t bytes = 0, operations = 0;

  bool isNone() const { return first == kNoAct; }
  bool sameKey(const Flow &other) const {
    return first == other.first && firstCta == other.firstCta && cta == other.cta &&
           dependence == other.dependence;
  }
  std::uint64_t hash() const {
    return keyHash(pairOf(firstCta, cta), static_cast<std::uint64_t>(first) << 8 | dependence.number());
  }
  void add(const Flow &more) {
    bytes += more.bytes;
    operations += more.operations;
  }
};

} // namespace cupr::analysis

#endif
