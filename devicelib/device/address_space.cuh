/// Which memory a generic address is in, and the address that a record gives for it (abi/memory_space.h).
#ifndef CUPR_DEVICE_ADDRESS_SPACE_CUH
#define CUPR_DEVICE_ADDRESS_SPACE_CUH

#include "queue.cuh"

#include "devicelib/abi/cluster_address.h"
#include "devicelib/abi/memory_space.h"

/// Whether the code is for devices that have thread-block clusters. The hooks are compiled once, for all: the pass answers when it links
/// them (link_hooks.cpp), and what they then can't come to goes away.
extern "C" __device__ __attribute__((const)) bool __cupr_may_have_clusters();

namespace cupr {
namespace device {
namespace {

#define CUPR_IS_SPACE(space, address)                                                                        \
  ({                                                                                                         \
    u32 is;                                                                                                  \
    asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(address));      \
    is;                                                                                                      \
  })

/// Kernel parameters first: `isspacep.global` is true for those passed by
/// reference (seen on an H200).
__device__ inline bool isGlobal(const void *address) {
  return CUPR_IS_SPACE("global", address) && !CUPR_IS_SPACE("param", address);
}

constexpr u32 kNoSpace = ~0u;

/// The index of the space that a generic address is in. Global comes last, since that window may hold
/// those of parameters and constants.
__device__ inline u32 spaceIndex(const void *address) {
  if (CUPR_IS_SPACE("param", address))
    return kNoSpace;
  if (CUPR_IS_SPACE("shared", address))
    return static_cast<u32>(abi::MemorySpace::Shared);
  if (__cupr_may_have_clusters() && CUPR_IS_SPACE("shared::cluster", address))
    return static_cast<u32>(abi::MemorySpace::Shared);
  if (CUPR_IS_SPACE("local", address))
    return static_cast<u32>(abi::MemorySpace::Local);
  if (CUPR_IS_SPACE("const", address))
    return static_cast<u32>(abi::MemorySpace::Constant);
  return CUPR_IS_SPACE("global", address) ? static_cast<u32>(abi::MemorySpace::Global) : kNoSpace;
}

/// The same where blocks have clusters. An address in the window of the cluster has the rank of the block above 2^24, also that of
/// the own block, but not always then.
__device__ inline u64 addressInCluster(const void *address) {
  u64 result;
  if (CUPR_IS_SPACE("shared", address)) {
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(result) : "l"(address));
    return result & abi::kSharedWindowMask;
  }
  asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(result) : "l"(address));
  return abi::sharedOfRank(static_cast<u32>(result >> abi::kSharedRankShift),
                           result & abi::kSharedWindowMask);
}

/// Which block of its cluster the thread's is.
__device__ inline u32 clusterRank() {
  u32 rank = 0;
  if (__cupr_may_have_clusters())
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// The address that a record gives for a generic one (memory_space.h, cluster_address.h).
__device__ inline u64 recordedAddress(const void *address, u32 space) {
  u64 result = reinterpret_cast<u64>(address);
  if (space == static_cast<u32>(abi::MemorySpace::Shared)) {
    if (__cupr_may_have_clusters())
      return addressInCluster(address);
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(result) : "l"(address));
  }
  if (space == static_cast<u32>(abi::MemorySpace::Local))
    asm("cvta.to.local.u64 %0, %1;" : "=l"(result) : "l"(address));
  return result;
}

/// Decides which space of the set `spaces` a generic address is in, and moves `site` on to the one for it.
/// False: it is in none of them.
__device__ inline bool decideSpace(const void *address, u32 spaces, u32 &site, u32 &space) {
  space = spaceIndex(address);
  if (space == kNoSpace || !(spaces >> space & 1))
    return false;
  site += __popc(spaces & ((1u << space) - 1));
  return true;
}

} // namespace
} // namespace device
} // namespace cupr

#endif
