/// Whose shared memory an access is to, and where in it.
#ifndef CUPR_ANALYSIS_SHARED_PLACE_H
#define CUPR_ANALYSIS_SHARED_PLACE_H

#include "hostlib/trace/clusters.h"

#include <cstdint>
#include <optional>

namespace cupr::analysis {

struct SharedPlace {
  bool isOther = false;               ///< of another block than the accessing one
  std::uint32_t rank = 0;             ///< of that block in the cluster
  std::uint64_t offset = 0;           ///< in the window
  std::optional<std::uint64_t> owner; ///< the block whose it is; none: the cluster has no such rank
};

/// Of an access that this block of the launch makes.
inline SharedPlace sharedPlaceOf(const trace::Launch &launch, std::uint64_t block, std::uint64_t address) {
  const trace::Clusters clusters(launch);
  if (!clusters.areThere() || !abi::isOfOtherBlock(address))
    return {false, clusters.areThere() ? clusters.rankOf(block) : 0, address, block};
  return {true, abi::rankOfShared(address), abi::offsetOfShared(address), clusters.ownerOf(block, address)};
}

} // namespace cupr::analysis

#endif
