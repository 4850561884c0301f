/// Where the records of a chunk are: between which blocks and addresses, and at which sites. Whoever looks for a block, an address or a
/// site goes by the chunks that can't have it.
///
/// The file says nothing of that: a chunk is read through once, and what was found is kept.
#ifndef CUPR_ANALYSIS_CHUNK_ZONE_H
#define CUPR_ANALYSIS_CHUNK_ZONE_H

#include "records.h"

#include <algorithm>
#include <cstdint>

namespace cupr::analysis {

/// Numbers from `least` to `most`, as SQL has them: those from 2^63 on are negative.
struct Bounds {
  std::int64_t least = INT64_MIN, most = INT64_MAX;
  bool isAll() const { return least == INT64_MIN && most == INT64_MAX; }
  bool isOne() const { return least == most; }
  bool has(std::uint64_t number) const {
    const auto value = static_cast<std::int64_t>(number);
    return least <= value && value <= most;
  }
  bool meets(const Bounds &other) const { return std::max(least, other.least) <= std::min(most, other.most); }
  void extend(const Bounds &other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
  void extend(std::uint64_t number) {
    const auto value = static_cast<std::int64_t>(number);
    extend(Bounds{value, value});
  }
};

/// Has nothing, and meets nothing.
inline constexpr Bounds kNoBounds{INT64_MAX, INT64_MIN};

struct ChunkZone {
  Bounds cta = kNoBounds, address = kNoBounds;
  std::uint64_t sites = 0; ///< bit n: sites of the launch's module whose number is n modulo 64

  void add(const Record &record);
};

} // namespace cupr::analysis

#endif
