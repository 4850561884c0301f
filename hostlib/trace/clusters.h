/// The clusters of a launch: which blocks see each other's shared memory.
#ifndef CUPR_TRACE_CLUSTERS_H
#define CUPR_TRACE_CLUSTERS_H

#include "devicelib/abi/cluster_address.h"
#include "events.h"

#include <cstdint>
#include <optional>

namespace cupr::trace {

/// Whether a grid can be made of clusters of this size.
inline bool areClusters(const Dim3 &grid, const Dim3 &cluster) {
  return cluster.x != 0 && cluster.y != 0 && cluster.z != 0 && cluster.x <= abi::kMaxClusterBlocks &&
         cluster.y <= abi::kMaxClusterBlocks && cluster.z <= abi::kMaxClusterBlocks &&
         cluster.x * cluster.y * cluster.z <= abi::kMaxClusterBlocks && grid.x % cluster.x == 0 &&
         grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

/// What the launch says of them, if they can be: a launch with others fails.
inline void setClusters(const Dim3 &cluster, Launch &launch) {
  if (!areClusters(launch.grid, cluster))
    return;
  launch.clusterX = cluster.x;
  launch.clusterY = cluster.y;
  launch.clusterZ = cluster.z;
}

class Clusters {
public:
  explicit Clusters(const Launch &launch)
      : grid_(launch.grid), size_{launch.clusterX, launch.clusterY, launch.clusterZ} {}

  bool areKnown() const { return size_.x != 0; }
  /// Of each; 1 where there are none, or it is not known.
  std::uint32_t blocks() const { return areKnown() ? size_.x * size_.y * size_.z : 1; }
  bool areThere() const { return blocks() > 1; }

  /// The block's place in its cluster, by its linear number.
  std::uint32_t rankOf(std::uint64_t block) const {
    const Dim3 at = placeOf(block);
    return at.x % size_.x + size_.x * (at.y % size_.y + size_.y * (at.z % size_.z));
  }
  /// The number of the cluster that the block is in.
  std::uint64_t clusterOf(std::uint64_t block) const {
    const Dim3 at = placeOf(block);
    return at.x / size_.x + std::uint64_t{grid_.x / size_.x} *
                                (at.y / size_.y + std::uint64_t{grid_.y / size_.y} * (at.z / size_.z));
  }
  bool areTogether(std::uint64_t one, std::uint64_t other) const {
    return areThere() && clusterOf(one) == clusterOf(other);
  }
  /// The block of this rank in the cluster of another one; none: the cluster has no such rank.
  std::optional<std::uint64_t> blockOf(std::uint64_t other, std::uint32_t rank) const {
    if (rank >= blocks())
      return std::nullopt;
    const Dim3 at = placeOf(other);
    const std::uint64_t x = at.x / size_.x * size_.x + rank % size_.x,
                        y = at.y / size_.y * size_.y + rank / size_.x % size_.y,
                        z = at.z / size_.z * size_.z + rank / size_.x / size_.y;
    return (z * grid_.y + y) * grid_.x + x;
  }
  /// Whose shared memory an access of a block is to. None: nobody's.
  std::optional<std::uint64_t> ownerOf(std::uint64_t block, std::uint64_t address) const {
    return areThere() && abi::isOfOtherBlock(address) ? blockOf(block, abi::rankOfShared(address)) : block;
  }

private:
  Dim3 placeOf(std::uint64_t block) const {
    return {static_cast<std::uint32_t>(block % grid_.x),
            static_cast<std::uint32_t>(block / grid_.x % grid_.y),
            static_cast<std::uint32_t>(block / grid_.x / grid_.y)};
  }

  Dim3 grid_, size_;
};

} // namespace cupr::trace

#endif
