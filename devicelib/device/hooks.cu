/// The producer: the hooks that instrumented code calls in front of each access
/// (abi/hooks.def), compiled to bitcode and linked into the user's module.
///
/// The lanes that arrive together form one record (abi/record.h). Rules that keep it
/// right in divergent code:
/// - the group is `__activemask()`, read once; every exchange names that mask;
/// - the lane is %laneid, never computed from threadIdx;
/// - the hook ends by synchronising the group. Without that the leader, still
///   committing, falls behind, the next hook sees a smaller group, and
///   lanes of one warp may end up waiting for each other's page.
#include "queue.cuh"

#include "devicelib/abi/memory_space.h"

namespace cupr {
namespace device {
namespace {

__device__ inline u64 linearCta() {
  return blockIdx.x + static_cast<u64>(gridDim.x) * (blockIdx.y + static_cast<u64>(gridDim.y) * blockIdx.z);
}

__device__ inline u32 warpInBlock() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}

/// What a group's record looks like; the same in all its lanes.
struct Layout {
  u32 form, bytes, shape;
};

/// For lanes whose addresses are not affine: rows of a two-dimensional block, or 32-bit offsets from the
/// first where they fit, else whole addresses.
__device__ inline Layout scatteredLayout(u64 address, u64 base, u32 active, u32 lane, u32 leader) {
  const long long offset = static_cast<long long>(address - base);
  const u32 widthLog2 = abi::rowsWidthLog2(blockDim.x);
  if (widthLog2) {
    // As findRows of abi/record.h: the leader needs a neighbour in its row, and somebody in the next.
    const u32 width = 1u << widthLog2, end = (leader & ~(width - 1)) + width;
    const u32 below = end < 32 ? active >> end : 0;
    if (leader + 1 < end && (active >> (leader + 1) & 1) && (below & ((1u << width) - 1))) {
      const u32 next = end + __ffs(below) - 1;
      const long long stride = __shfl_sync(active, offset, leader + 1);
      const long long pitch =
          __shfl_sync(active, offset, next) -
          stride * (static_cast<int>(next - end) - static_cast<int>(leader & (width - 1)));
      const u32 shape = abi::packRows(widthLog2, stride, pitch);
      const bool mine = offset == abi::rowsOffset(shape, lane, leader);
      if (__all_sync(active, mine && abi::fitRows(stride, pitch)))
        return {static_cast<u32>(abi::RecordForm::Rows), sizeof(abi::RecordHead), shape};
    }
  }
  const u32 count = __popc(active);
  if (__all_sync(active, offset == static_cast<int>(offset)))
    return {static_cast<u32>(abi::RecordForm::Offset32), (2 + (count + 3) / 4) * abi::kWordBytes, 0};
  return {static_cast<u32>(abi::RecordForm::Raw), (2 + (count + 1) / 2) * abi::kWordBytes, 0};
}

constexpr GpuMemory memory;

__device__ inline void record(const Trace &trace, u32 site, u64 address, u32 active) {
  const u32 lane = laneId();
  const u32 leader = __ffs(active) - 1;
  const u64 base = __shfl_sync(active, address, leader);
  const u32 others = active & (active - 1);
  const u32 second = others ? __ffs(others) - 1 : leader;
  const long long distance = static_cast<long long>(__shfl_sync(active, address, second) - base);
  const int gap = static_cast<int>(second - leader);
  // Most groups have neighbours; the division is for those that have not.
  long long stride = distance;
  if (gap > 1)
    stride = distance == static_cast<int>(distance) ? static_cast<int>(distance) / gap : distance / gap;
  const bool mine = static_cast<long long>(address - base) == stride * static_cast<int>(lane - leader);
  Layout layout{static_cast<u32>(abi::RecordForm::Affine), sizeof(abi::RecordHead), static_cast<u32>(stride)};
  if (!__all_sync(active, mine && stride == static_cast<int>(stride)))
    layout = scatteredLayout(address, base, active, lane, leader);
  const u32 sm = smId();
  const u32 binIndex = sm & trace.binMask;
  BinWriter bin(trace, binIndex);
  u64 position = reserve(bin, trace, binIndex, layout.bytes, active, lane == leader);
  if (layout.bytes > sizeof(abi::RecordHead)) {
    position = __shfl_sync(active, position, leader);
    unsigned char *const addresses = bin.address(position) + sizeof(abi::RecordHead);
    const u32 rank = __popc(active & ((1u << lane) - 1));
    if (layout.form == static_cast<u32>(abi::RecordForm::Offset32))
      reinterpret_cast<u32 *>(addresses)[rank] = static_cast<u32>(address - base);
    else
      reinterpret_cast<u64 *>(addresses)[rank] = address;
    __syncwarp(active); // the leader commits what the lanes have written
  }
  if (lane == leader) {
    unsigned char *const out = bin.address(position);
    const u64 cta = linearCta() | abi::launchTag(trace.launch);
    memory.storeWord(out, site | (layout.form << abi::kSiteBits), active, static_cast<u32>(cta),
                     static_cast<u32>(cta >> 32));
    memory.storeWord(out + abi::kWordBytes, static_cast<u32>(base), static_cast<u32>(base >> 32),
                     layout.shape,
                     warpInBlock() | ((sm & 2047u) << abi::kWarpBits) |
                         (static_cast<u32>(bin.generation(position)) << 16));
    bin.commit(position, layout.bytes);
  }
  __syncwarp(active);
}

__device__ __noinline__ bool isSelected(const Trace &trace) {
  const u64 cta = linearCta();
  return cta >= trace.ctaFirst && cta < trace.ctaEnd && cta % trace.ctaPeriod == 0;
}

/// The bytes of each lane beside its address: 16 bytes per lane. `bytes` is not 0.
__device__ __noinline__ void recordRange(const Trace &trace, u32 site, u64 address, u64 bytes, u32 active) {
  const u32 lane = laneId();
  const u32 leader = __ffs(active) - 1;
  const u64 base = __shfl_sync(active, address, leader);
  const u32 rank = __popc(active & ((1u << lane) - 1));
  const u32 size = (2 + __popc(active)) * abi::kWordBytes;
  const u32 sm = smId();
  const u32 binIndex = sm & trace.binMask;
  BinWriter bin(trace, binIndex);
  const u64 position =
      __shfl_sync(active, reserve(bin, trace, binIndex, size, active, lane == leader), leader);
  unsigned char *const out = bin.address(position);
  memory.storeWord(out + sizeof(abi::RecordHead) + abi::kWordBytes * rank, static_cast<u32>(address),
                   static_cast<u32>(address >> 32), static_cast<u32>(bytes), static_cast<u32>(bytes >> 32));
  __syncwarp(active); // the leader commits what the lanes have written
  if (lane == leader) {
    const u64 cta = linearCta() | abi::launchTag(trace.launch);
    memory.storeWord(out, site | (static_cast<u32>(abi::RecordForm::Range) << abi::kSiteBits), active,
                     static_cast<u32>(cta), static_cast<u32>(cta >> 32));
    memory.storeWord(out + abi::kWordBytes, static_cast<u32>(base), static_cast<u32>(base >> 32), 0u,
                     warpInBlock() | ((sm & 2047u) << abi::kWarpBits) |
                         (static_cast<u32>(bin.generation(position)) << 16));
    bin.commit(position, size);
  }
  __syncwarp(active);
}

__device__ __noinline__ void recordOutOfLine(const Trace &trace, u32 site, u64 address, u32 active) {
  record(trace, site, address, active);
}

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
  if (CUPR_IS_SPACE("local", address))
    return static_cast<u32>(abi::MemorySpace::Local);
  if (CUPR_IS_SPACE("const", address))
    return static_cast<u32>(abi::MemorySpace::Constant);
  return CUPR_IS_SPACE("global", address) ? static_cast<u32>(abi::MemorySpace::Global) : kNoSpace;
}

/// The address that a record gives for a generic one (memory_space.h).
__device__ inline u64 recordedAddress(const void *address, u32 space) {
  u64 result = reinterpret_cast<u64>(address);
  if (space == static_cast<u32>(abi::MemorySpace::Shared))
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(result) : "l"(address));
  else if (space == static_cast<u32>(abi::MemorySpace::Local))
    asm("cvta.to.local.u64 %0, %1;" : "=l"(result) : "l"(address));
  return result;
}

/// Calls `record(group)` once for each site that lanes of the warp are at, with the lanes that are. Lanes
/// with `wanted` false only come along.
template <typename Record> __device__ inline void forEachSite(bool wanted, u32 site, Record record) {
  const u32 active = __activemask();
  for (u32 left = __ballot_sync(active, wanted); left;) {
    const u32 first = __shfl_sync(active, site, __ffs(left) - 1);
    const u32 group = __ballot_sync(active, wanted && site == first);
    if (wanted && site == first)
      record(group);
    __syncwarp(active);
    left &= ~group;
  }
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

extern "C" __device__ __attribute__((always_inline)) bool __cupr_recording_v1(const cupr::Trace *trace) {
  return trace->launch && (trace->ctaPeriod == 0 || cupr::device::isSelected(*trace));
}

extern "C" __device__ __attribute__((always_inline)) void
__cupr_access_v1(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (recording)
    cupr::device::record(*trace, site, reinterpret_cast<cupr::device::u64>(address), __activemask());
}

extern "C" __device__ __attribute__((always_inline)) void
__cupr_access_generic_v1(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (recording && cupr::device::isGlobal(address))
    cupr::device::record(*trace, site, reinterpret_cast<cupr::device::u64>(address), __activemask());
}

extern "C" __device__ __attribute__((always_inline)) void
__cupr_access_in_v1(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                    unsigned spaces) {
  if (recording)
    cupr::device::recordOutOfLine(*trace, site, cupr::device::recordedAddress(address, __ffs(spaces) - 1),
                                  __activemask());
}

// The same as functions, which modules with many accesses call (pass/link_hooks.h). Lanes that come from
// different places run through a function together: then what is active is not the lanes of one site.

extern "C" __device__ __attribute__((noinline)) void
__cupr_called_access_v1(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (!recording)
    return;
  cupr::device::forEachSite(true, site, [&](unsigned group) {
    cupr::device::record(*trace, site, reinterpret_cast<cupr::device::u64>(address), group);
  });
}

extern "C" __device__ __attribute__((noinline)) void __cupr_called_access_generic_v1(const cupr::Trace *trace,
                                                                                     unsigned site,
                                                                                     const void *address,
                                                                                     bool recording) {
  if (!recording)
    return;
  cupr::device::forEachSite(cupr::device::isGlobal(address), site, [&](unsigned group) {
    cupr::device::recordOutOfLine(*trace, site, reinterpret_cast<cupr::device::u64>(address), group);
  });
}

extern "C" __device__ __attribute__((noinline)) void
__cupr_called_access_in_v1(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                           unsigned spaces) {
  if (!recording)
    return;
  cupr::device::forEachSite(true, site, [&](unsigned group) {
    cupr::device::recordOutOfLine(*trace, site, cupr::device::recordedAddress(address, __ffs(spaces) - 1),
                                  group);
  });
}

extern "C" __device__ __attribute__((noinline)) void __cupr_access_among_v1(const cupr::Trace *trace,
                                                                            unsigned site,
                                                                            const void *address,
                                                                            bool recording, unsigned spaces) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space);
  cupr::device::forEachSite(wanted, site, [&](unsigned group) {
    cupr::device::recordOutOfLine(*trace, site, cupr::device::recordedAddress(address, space), group);
  });
}

extern "C" __device__ __attribute__((noinline)) void __cupr_range_in_v1(const cupr::Trace *trace,
                                                                        unsigned site, const void *address,
                                                                        bool recording, unsigned spaces,
                                                                        unsigned long long bytes) {
  if (!recording)
    return;
  const unsigned space = __ffs(spaces) - 1;
  cupr::device::forEachSite(bytes != 0, site, [&](unsigned group) {
    cupr::device::recordRange(*trace, site, cupr::device::recordedAddress(address, space), bytes, group);
  });
}

extern "C" __device__ __attribute__((noinline)) void __cupr_range_among_v1(const cupr::Trace *trace,
                                                                           unsigned site, const void *address,
                                                                           bool recording, unsigned spaces,
                                                                           unsigned long long bytes) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space) && bytes != 0;
  cupr::device::forEachSite(wanted, site, [&](unsigned group) {
    cupr::device::recordRange(*trace, site, cupr::device::recordedAddress(address, space), bytes, group);
  });
}
