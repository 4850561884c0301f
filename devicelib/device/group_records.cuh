/// Records of the lanes that arrive together: what is regular about their addresses, space in the bin, and the writing.
///
/// Rules that keep it right in divergent code:
/// - the group is `__activemask()`, read once; every exchange names that mask;
/// - the lane is %laneid, never computed from threadIdx;
/// - lanes of a group wait together, and behind a wait use a mask that is opaque to the compiler;
/// - whoever writes a record ends by synchronising the group. Without that the leader, still
///   committing, falls behind, the next hook sees a smaller group, and
///   lanes of one warp may end up waiting for each other's page.
///
/// In an unnamed namespace, as all that hooks share: it must be inlined into each, and nothing else is linked into the user's module.
#ifndef CUPR_DEVICE_GROUP_RECORDS_CUH
#define CUPR_DEVICE_GROUP_RECORDS_CUH

#include "queue.cuh"

#include "devicelib/abi/box_record.h"

namespace cupr {
namespace device {
namespace {

__device__ inline u64 linearCta() {
  return blockIdx.x + static_cast<u64>(gridDim.x) * (blockIdx.y + static_cast<u64>(gridDim.y) * blockIdx.z);
}

__device__ inline u32 warpInBlock() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}

using abi::RecordForm;

/// What a group's record looks like; the same in all its lanes.
struct Layout {
  RecordForm form;
  u32 bytes, shape;
};
/// The bytes of a record of `count` lanes.
__device__ inline u32 recordBytes(RecordForm form, u32 count) {
  return abi::recordWords(form, count) * abi::kWordBytes;
}

/// The lanes that make a record together, as one of them sees them, and which of them tell what is regular
/// about their addresses: the same for all accesses that they make together.
struct Group {
  u32 active, lane, leader;
  u32 second; ///< the lowest but one; the leader, if it is alone
  /// Log2 of the width of the block's rows, and the lowest lane in the row behind the leader's. `next` is 0
  /// where the addresses can't be rows.
  u32 widthLog2 = 0, next = 0;

  __device__ explicit Group(u32 lanes) : active(lanes), lane(laneId()), leader(__ffs(lanes) - 1) {
    const u32 others = lanes & (lanes - 1);
    second = others ? __ffs(others) - 1 : leader;
    widthLog2 = abi::rowsWidthLog2(blockDim.x);
    next = abi::laneOfNextRow(lanes, leader, widthLog2);
  }
  __device__ bool isLeader() const { return lane == leader; }
  /// How many columns and rows a lane is from the leader, modulo 2^32.
  __device__ u32 columns(u32 of) const { return static_cast<u32>(abi::columnsFrom(leader, of, widthLog2)); }
  __device__ u32 rows(u32 of) const { return static_cast<u32>(abi::rowsFrom(leader, of, widthLog2)); }
};

/// The addresses of a group at one access. Their base is the leader's own.
struct Pattern {
  Layout layout;
  bool isCompact; ///< the layout says all; else it isn't known yet
};

/// Whether 31 of them fit in 32 bits.
__device__ inline bool isSmallStride(u32 stride) { return stride + (1u << 26) < 1u << 27; }

/// Nearly all groups are regular, and within 2 GiB: this is done in 32 bits as far as it goes.
///
/// Addresses may be any numbers, so sums and products are modulo 2^32. For rows that is exact where it counts: a stride
/// and a pitch that fit their fields, and the offsets that follow from them, are far below 2^31, and an offset that is
/// not itself is refused (isNear).
__device__ inline Pattern findPattern(u64 address, const Group &group) {
  Pattern pattern{{}, true};
  const long long distance =
      static_cast<long long>(address - __shfl_sync(group.active, address, group.leader));
  const u32 offset = static_cast<u32>(distance);
  const bool isNear = static_cast<int>(offset) == distance;
  if (group.next) {
    const u32 stride = __shfl_sync(group.active, offset, group.second);
    const u32 pitch = __shfl_sync(group.active, offset, group.next) - stride * group.columns(group.next);
    const bool mine = offset == stride * group.columns(group.lane) + pitch * group.rows(group.lane);
    if (__all_sync(group.active,
                   mine && isNear && abi::fitRows(static_cast<int>(stride), static_cast<int>(pitch)))) {
      const bool isAffine = pitch == stride << group.widthLog2;
      pattern.layout = {
          isAffine ? RecordForm::Affine : RecordForm::Rows, sizeof(abi::RecordHead),
          isAffine ? stride
                   : abi::packRows(group.widthLog2, static_cast<int>(stride), static_cast<int>(pitch))};
      return pattern;
    }
  }
  const int gap = static_cast<int>(group.second - group.leader),
            lanes = static_cast<int>(group.lane - group.leader);
  int stride = static_cast<int>(__shfl_sync(group.active, offset, group.second));
  if (gap > 1) // most groups have neighbours
    stride /= gap;
  pattern.layout = {RecordForm::Affine, sizeof(abi::RecordHead), static_cast<u32>(stride)};
  if (__all_sync(group.active, isNear && isSmallStride(static_cast<u32>(stride)) &&
                                   offset == static_cast<u32>(stride * lanes)))
    return pattern;
  // Far apart, the stride may still fit: the second lane is nearer than the others.
  pattern.isCompact = __all_sync(group.active, distance == static_cast<long long>(stride) * lanes);
  return pattern;
}

/// For what has no compact form: 32-bit offsets from the first address where they fit, else whole addresses.
__device__ inline Layout scatteredLayout(long long offset, const Group &group) {
  const u32 count = __popc(group.active);
  if (__all_sync(group.active, offset == static_cast<int>(offset)))
    return {RecordForm::Offset32, recordBytes(RecordForm::Offset32, count), 0};
  return {RecordForm::Raw, recordBytes(RecordForm::Raw, count), 0};
}

/// The head of a record whose page has this generation.
__device__ inline abi::RecordHead headOf(const Trace &trace, u32 site, u32 active, u64 base,
                                         const Layout &layout, u32 sm, u32 generation) {
  return abi::RecordHead{abi::packSite(site, layout.form),
                         active,
                         linearCta() | abi::launchTag(trace.launch),
                         base,
                         layout.shape,
                         abi::packWhere(warpInBlock(), sm, generation)};
}

/// What a group does that finds its bin full.
enum class Full { Waits, Drops };

/// Space for a record in the bin of the multiprocessor; or, where records are dropped, none.
///
/// Nothing here is a call, the waiting neither: a call in a kernel costs registers for all that lives across
/// it.
class Space {
public:
  /// `accesses`: of each lane, that are recorded there. Behind a wait the group's mask is another that says
  /// the same (queue.cuh, opaque).
  __device__ Space(Full full, const Trace &trace, Group &group, u32 bytes, u32 accesses = 1, u32 sm = smId())
      : trace_(trace), sm_(sm), bin_(trace, sm_ & trace.binMask), bytes_(bytes), position_(0) {
    if (full == Full::Drops) {
      const WarpLanes lanes(group.active);
      isDropped_ = !bin_.claimOrDrop(lanes, bytes, accesses * __popc(lanes.active), position_);
      return;
    }
    bool isReady = true;
    if (group.isLeader()) {
      position_ = bin_.claim(bytes);
      isReady = bin_.isReady(position_, bytes);
    }
    if (__builtin_expect(__all_sync(group.active, isReady), 1))
      return;
    const WarpLanes lanes(group.active);
    position_ = bin_.makeReady(lanes, position_, bytes);
    group.active = lanes.active;
  }

  /// There is no space. The same in all lanes.
  __device__ bool isDropped() const { return isDropped_; }
  /// Where the space lies, in all lanes.
  __device__ unsigned char *shared(const Group &group) { return bin_.address(position(group)); }
  /// Of its page, in all lanes.
  __device__ u32 generation(const Group &group) const {
    return static_cast<u32>(bin_.generation(position(group)));
  }
  /// In the bin, in all lanes.
  __device__ u64 position(const Group &group) const {
    return __shfl_sync(group.active, position_, group.leader);
  }
  // What follows is the leader's.
  __device__ unsigned char *words() const { return bin_.address(position_); }
  __device__ void writeHead(u32 site, u32 active, u64 base, const Layout &layout) const {
    abi::store(GpuMemory(), words(),
               headOf(trace_, site, active, base, layout, sm_, static_cast<u32>(bin_.generation(position_))));
  }
  __device__ void commit() { bin_.commit(position_, bytes_); }

private:
  const Trace &trace_;
  u32 sm_;
  BinWriter bin_;
  u32 bytes_;
  u64 position_;
  bool isDropped_ = false;
};

/// Writes the address of a lane, which is number `rank` of its group, where a record has no compact form.
__device__ inline void storeAddress(unsigned char *addresses, RecordForm form, u32 rank, u64 address,
                                    long long offset) {
  if (form == RecordForm::Offset32)
    reinterpret_cast<u32 *>(addresses)[rank] = static_cast<u32>(offset);
  else
    reinterpret_cast<u64 *>(addresses)[rank] = address;
}

/// One access of the group.
template <Full full> __device__ inline void record(const Trace &trace, u32 site, u64 address, u32 active) {
  Group group(active);
  Pattern pattern = findPattern(address, group);
  long long offset = 0;
  if (!pattern.isCompact) {
    offset = static_cast<long long>(address - __shfl_sync(active, address, group.leader));
    pattern.layout = scatteredLayout(offset, group);
  }
  Space space(full, trace, group, pattern.layout.bytes);
  if (space.isDropped())
    return;
  if (!pattern.isCompact) {
    unsigned char *const addresses = space.shared(group) + sizeof(abi::RecordHead);
    const u32 rank = __popc(active & ((1u << group.lane) - 1));
    storeAddress(addresses, pattern.layout.form, rank, address, offset);
    __syncwarp(group.active); // the leader commits what the lanes have written
  }
  if (group.isLeader()) {
    space.writeHead(site, active, address, pattern.layout);
    space.commit();
  }
  __syncwarp(group.active);
}

/// Several accesses of the group, one after the other: one reservation, one commit, and where all are compact
/// one head. Waits where the bin is full.
template <u32 count>
__device__ __attribute__((always_inline)) inline void
recordTogether(const Trace &trace, const u32 (&sites)[count], const u64 (&addresses)[count], u32 active) {
  Group group(active);
  u32 shapes[count], rows = 0; // a bit for each access whose form is Rows
  bool areCompact = true;
#pragma unroll
  for (u32 i = 0; i < count; ++i) {
    const Pattern pattern = findPattern(addresses[i], group);
    shapes[i] = pattern.layout.shape;
    rows |= (pattern.layout.form == RecordForm::Rows ? 1u : 0u) << i;
    areCompact &= pattern.isCompact;
  }
  if (!areCompact) {
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      u32 site = sites[0];
      u64 address = addresses[0];
#pragma unroll
      for (u32 k = 1; k < count; ++k) { // a choice: an index would put them in local memory
        site = i == k ? sites[k] : site;
        address = i == k ? addresses[k] : address;
      }
      record<Full::Waits>(trace, site, address, opaque(active));
    }
    return;
  }
  Space space(Full::Waits, trace, group, sizeof(abi::RecordHead) + (count - 1) * abi::kWordBytes, count);
  if (group.isLeader()) {
    space.writeHead(sites[0], active, addresses[0],
                    {rows & 1 ? RecordForm::Rows : RecordForm::Affine, 0, shapes[0]});
    unsigned char *const follows = space.words() + sizeof(abi::RecordHead);
#pragma unroll
    for (u32 i = 1; i < count; ++i)
      abi::store(GpuMemory(), follows + (i - 1) * abi::kWordBytes,
                 abi::followRecord(sites[i], rows >> i & 1, shapes[i], addresses[i]));
    space.commit();
  }
  __syncwarp(group.active);
}
template <>
__device__ __attribute__((always_inline)) inline void
recordTogether<1>(const Trace &trace, const u32 (&sites)[1], const u64 (&addresses)[1], u32 active) {
  record<Full::Waits>(trace, sites[0], addresses[0], active);
}

/// A lane's part of a range's record, `rank` lanes behind its head.
__device__ inline void storeRange(unsigned char *record, u32 rank, u64 address, u64 bytes) {
  GpuMemory().storeWord(record + sizeof(abi::RecordHead) + abi::kWordBytes * rank, static_cast<u32>(address),
                        static_cast<u32>(address >> 32), static_cast<u32>(bytes),
                        static_cast<u32>(bytes >> 32));
}

/// The bytes of each lane beside its address: 16 bytes per lane. `bytes` is not 0. Each site's lanes by
/// themselves.
__device__ __noinline__ void recordRange(const Trace &trace, u32 site, u64 address, u64 bytes) {
  Group group(__match_any_sync(__activemask(), site));
  const u32 active = group.active;
  const u64 base = __shfl_sync(active, address, group.leader);
  const u32 rank = __popc(active & ((1u << group.lane) - 1));
  Space space(trace.special & argument::kTraceDrops ? Full::Drops : Full::Waits, trace, group,
              recordBytes(RecordForm::Range, __popc(active)));
  if (space.isDropped())
    return;
  storeRange(space.shared(group), rank, address, bytes);
  __syncwarp(group.active); // the leader commits what the lanes have written
  if (group.isLeader()) {
    space.writeHead(site, active, base, {RecordForm::Range, 0, 0});
    space.commit();
  }
  __syncwarp(group.active);
}

/// A copy by a tensor map: each lane leaves a record of its own. Mostly one lane starts it for all.
__device__ __noinline__ void recordBox(const Trace &trace, u32 site, const void *map,
                                       const u32 (&coordinates)[abi::kTensorRank], u32 offsets, u32 blocks,
                                       u64 shared) {
  u64 key = 0;
  for (u32 i = 0; i < abi::kTensorMapWords; ++i)
    key = abi::tensorMapKey(key, static_cast<const u64 *>(map)[i]);
  Group group(1u << laneId());
  Space space(trace.special & argument::kTraceDrops ? Full::Drops : Full::Waits, trace, group,
              abi::kBoxWords * abi::kWordBytes);
  if (space.isDropped())
    return;
  space.writeHead(site, group.active, key, {RecordForm::Box, 0, offsets});
  unsigned char *const words = space.words() + sizeof(abi::RecordHead);
  GpuMemory().storeWord(words, coordinates[0] ^ abi::kCoordinateTurn, coordinates[1] ^ abi::kCoordinateTurn,
                        coordinates[2] ^ abi::kCoordinateTurn, coordinates[3] ^ abi::kCoordinateTurn);
  GpuMemory().storeWord(words + abi::kWordBytes, coordinates[4] ^ abi::kCoordinateTurn, blocks,
                        static_cast<u32>(shared), static_cast<u32>(shared >> 32));
  space.commit();
  __syncwarp(group.active);
}

} // namespace
} // namespace device
} // namespace cupr

#endif
