/// How a record says whose shared memory an access is to.
///
/// The block's own has offsets in its window, below 2^24. For memory of another block of its cluster, 1 and that block's rank stand above the
/// offset in that one's window: 0x2000410 is offset 0x410 of the block of rank 1.
#ifndef CUPR_ABI_CLUSTER_ADDRESS_H
#define CUPR_ABI_CLUSTER_ADDRESS_H

#include <cstdint>

namespace cupr {
namespace abi {

/// Blocks that a cluster may have.
constexpr std::uint32_t kMaxClusterBlocks = 16;
constexpr unsigned kSharedRankShift = 24;
constexpr std::uint64_t kSharedWindowMask = (std::uint64_t(1) << kSharedRankShift) - 1;

constexpr std::uint64_t sharedOfRank(std::uint32_t rank, std::uint64_t offset) {
  return std::uint64_t(rank + 1) << kSharedRankShift | offset;
}
/// Also of a rank that the cluster does not have. What lies below the window is the own.
constexpr bool isOfOtherBlock(std::uint64_t address) {
  return address > kSharedWindowMask && address >> kSharedRankShift <= kMaxClusterBlocks + 1;
}
/// Of an address that is.
constexpr std::uint32_t rankOfShared(std::uint64_t address) {
  return static_cast<std::uint32_t>(address >> kSharedRankShift) - 1;
}
/// The offset in the window, whosesoever it is.
constexpr std::uint64_t offsetOfShared(std::uint64_t address) {
  return isOfOtherBlock(address) ? address & kSharedWindowMask : address;
}

} // namespace abi
} // namespace cupr

#endif
