/// The producer: the hooks that instrumented code calls in front of each access
/// (abi/hooks.def), compiled to bitcode and linked into the user's module.
///
/// The lanes that arrive together form one record (abi/record_head.h). Rules that keep it
/// right in divergent code:
/// - the group is `__activemask()`, read once; every exchange names that mask;
/// - the lane is %laneid, never computed from threadIdx;
/// - lanes of a group wait together, and behind a wait use a mask that is opaque to the compiler;
/// - the hook ends by synchronising the group. Without that the leader, still
///   committing, falls behind, the next hook sees a smaller group, and
///   lanes of one warp may end up waiting for each other's page.
///
/// Long, since it is one unit of bitcode: what hooks share must be inlined into each, and nothing else is linked into
/// the user's module.
#include "queue.cuh"

#include "devicelib/abi/begun_blocks.h"
#include "devicelib/abi/hooks.h"
#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/value_record.h"

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
  const bool isSmall = static_cast<u32>(stride) + (1u << 26) < 1u << 27; // 31 of them fit in 32 bits
  if (__all_sync(group.active, isNear && isSmall && offset == static_cast<u32>(stride * lanes)))
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
  __device__ Space(Full full, const Trace &trace, Group &group, u32 bytes, u32 accesses = 1)
      : trace_(trace), sm_(smId()), bin_(trace, sm_ & trace.binMask), bytes_(bytes), position_(0) {
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
  __device__ unsigned char *shared(const Group &group) {
    return bin_.address(__shfl_sync(group.active, position_, group.leader));
  }
  // What follows is the leader's.
  __device__ unsigned char *words() const { return bin_.address(position_); }
  __device__ void writeHead(u32 site, u32 active, u64 base, const Layout &layout) const {
    const u32 where = abi::packWhere(warpInBlock(), sm_, static_cast<u32>(bin_.generation(position_)));
    abi::store(GpuMemory(), words(),
               abi::RecordHead{abi::packSite(site, layout.form), active,
                               linearCta() | abi::launchTag(trace_.launch), base, layout.shape, where});
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
    if (pattern.layout.form == RecordForm::Offset32)
      reinterpret_cast<u32 *>(addresses)[rank] = static_cast<u32>(offset);
    else
      reinterpret_cast<u64 *>(addresses)[rank] = address;
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

__device__ __noinline__ bool isSelected(const Trace &trace) {
  const u64 cta = linearCta();
  return cta >= trace.ctaFirst && cta < trace.ctaEnd && cta % trace.ctaPeriod == 0;
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
  GpuMemory().storeWord(space.shared(group) + sizeof(abi::RecordHead) + abi::kWordBytes * rank,
                        static_cast<u32>(address), static_cast<u32>(address >> 32), static_cast<u32>(bytes),
                        static_cast<u32>(bytes >> 32));
  __syncwarp(group.active); // the leader commits what the lanes have written
  if (group.isLeader()) {
    space.writeHead(site, active, base, {RecordForm::Range, 0, 0});
    space.commit();
  }
  __syncwarp(group.active);
}

/// What a group's lanes have for one piece of a value: all alike but for a step, or not.
struct ValuePattern {
  u32 step;
  bool isAffine;
};
__device__ inline ValuePattern findValues(u64 value, u32 bytes, const Group &group) {
  const u32 spare = 64 - 8 * bytes;
  const u64 distance = value - __shfl_sync(group.active, value, group.leader);
  // As a signed number of the value's own size, so that steps back are short, too.
  long long step =
      static_cast<long long>(__shfl_sync(group.active, distance, group.second) << spare) >> spare;
  const int gap = static_cast<int>(group.second - group.leader);
  if (gap > 1)
    step /= gap;
  const u64 rest = (distance - static_cast<u64>(step) * (group.lane - group.leader)) << spare;
  return {static_cast<u32>(step),
          static_cast<bool>(__all_sync(group.active, step == static_cast<int>(step) && rest == 0))};
}

/// Writes the low `bytes` bytes of a value, at a multiple of as many.
__device__ inline void storeValue(unsigned char *at, u64 value, u32 bytes) {
  if (bytes == 4)
    *reinterpret_cast<u32 *>(at) = static_cast<u32>(value);
  else if (bytes == 8)
    *reinterpret_cast<u64 *>(at) = value;
  else
    for (u32 i = 0; i < bytes; ++i)
      at[i] = static_cast<unsigned char>(value >> (8 * i));
}

/// An access of the lanes that are at this site, and behind it the pieces of its values: one reservation.
template <u32 room>
__device__ __attribute__((always_inline)) inline void recordValues(const Trace &trace, u32 site, u64 address,
                                                                   const abi::HookValues &values,
                                                                   const u64 (&pieces)[room]) {
  Group group(__match_any_sync(__activemask(), site));
  const u32 active = group.active, count = __popc(active), rank = __popc(active & ((1u << group.lane) - 1));
  Pattern pattern = findPattern(address, group);
  const long long offset = static_cast<long long>(address - __shfl_sync(active, address, group.leader));
  if (!pattern.isCompact)
    pattern.layout = scatteredLayout(offset, group);
  const bool isRecorded = !(trace.special & argument::kTraceNoValues);
  const u32 perPart = abi::piecesOfPart(values.bytes), all = isRecorded ? perPart * values.parts : 0;
  u32 steps[room], affine = 0, bytes = pattern.layout.bytes; // a bit for each piece that is affine
#pragma unroll
  for (u32 i = 0; i < room; ++i) {
    steps[i] = 0;
    if (i >= all)
      continue;
    const u32 size = abi::bytesOfPiece(values.bytes, i % perPart);
    const ValuePattern found = findValues(pieces[i], size, group);
    steps[i] = found.step;
    affine |= static_cast<u32>(found.isAffine) << i;
    bytes += (found.isAffine ? 1u : abi::denseValueWords(size, count)) * abi::kWordBytes;
  }
  Space space(trace.special & argument::kTraceDrops ? Full::Drops : Full::Waits, trace, group, bytes);
  if (space.isDropped())
    return;
  unsigned char *at = space.shared(group) + pattern.layout.bytes;
  if (!pattern.isCompact) {
    unsigned char *const addresses = space.shared(group) + sizeof(abi::RecordHead);
    if (pattern.layout.form == RecordForm::Offset32)
      reinterpret_cast<u32 *>(addresses)[rank] = static_cast<u32>(offset);
    else
      reinterpret_cast<u64 *>(addresses)[rank] = address;
  }
#pragma unroll
  for (u32 i = 0; i < room; ++i) {
    if (i >= all)
      continue;
    const u32 size = abi::bytesOfPiece(values.bytes, i % perPart);
    const bool isAffine = affine >> i & 1;
    if (group.isLeader())
      abi::store(GpuMemory(), at,
                 isAffine ? abi::affineValue(size, static_cast<int>(steps[i]), abi::cutValue(pieces[i], size))
                          : abi::denseValue(size, count));
    if (!isAffine) {
      storeValue(at + abi::kWordBytes + rank * size, pieces[i], size);
      // What is left of the last word: less than a word, of which each lane clears some bytes.
      const u32 used = count * size, end = (used + abi::kWordBytes - 1) & ~(abi::kWordBytes - 1u);
      for (u32 byte = used + rank; byte < end; byte += count)
        at[abi::kWordBytes + byte] = 0;
    }
    at += (isAffine ? 1u : abi::denseValueWords(size, count)) * abi::kWordBytes;
  }
  __syncwarp(group.active); // the leader commits what the lanes have written
  if (group.isLeader()) {
    space.writeHead(site, active, address, pattern.layout);
    space.commit();
  }
  __syncwarp(group.active);
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

/// Decides which space of the set `spaces` a generic address is in, and moves `site` on to the one for it.
/// False: it is in none of them.
__device__ inline bool decideSpace(const void *address, u32 spaces, u32 &site, u32 &space) {
  space = spaceIndex(address);
  if (space == kNoSpace || !(spaces >> space & 1))
    return false;
  site += __popc(spaces & ((1u << space) - 1));
  return true;
}

/// Counts an access of each active lane at each of the sites (Trace::tally), by what is active now: that
/// the records agree with these counts says something about all that comes behind.
template <u32 count> __device__ inline void countHere(const Trace &trace, const u32 (&sites)[count]) {
  const u32 active = __activemask();
  if (laneId() == static_cast<u32>(__ffs(active) - 1)) {
#pragma unroll
    for (u32 i = 0; i < count; ++i)
      if (sites[i] < trace.tallyWords)
        atomicAdd(&trace.tally[sites[i]], static_cast<u64>(__popc(active)));
  }
  __syncwarp(active);
}

/// The same where active lanes may be at different sites, and those with `wanted` false make no access.
__device__ __noinline__ void countApart(const Trace &trace, bool wanted, u32 site) {
  const u32 active = __activemask();
  const u32 group = __match_any_sync(active, wanted ? site : ~0u);
  if (wanted && site < trace.tallyWords && laneId() == static_cast<u32>(__ffs(group) - 1))
    atomicAdd(&trace.tally[site], static_cast<u64>(__popc(group)));
  __syncwarp(active);
}
__device__ inline void countEach(const Trace &trace, bool wanted, u32 site) {
  if (trace.special & argument::kTraceCounts)
    countApart(trace, wanted, site);
}

/// Lanes that come from different places run through this together, and each place's go on by themselves.
template <Full full> __device__ __noinline__ void recordApart(const Trace &trace, u32 site, u64 address) {
  record<full>(trace, site, address, __match_any_sync(__activemask(), site));
}

/// What a hook does that is called: lanes that come from different places run through it together. Mostly
/// all come from one. Lanes with `wanted` false only come along.
template <u32 count>
__device__ __attribute__((always_inline)) inline void
recordCalled(const Trace &trace, bool wanted, const u32 (&sites)[count], const u64 (&addresses)[count]) {
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    countEach(trace, wanted, sites[i]);
  const bool drops = trace.special & argument::kTraceDrops;
  const u32 active = __activemask(), first = __ffs(active) - 1;
  bool isAlike = wanted && !drops;
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    isAlike &= __shfl_sync(active, sites[i], first) == sites[i];
  if (__all_sync(active, isAlike)) {
    recordTogether(trace, sites, addresses, active);
    return;
  }
  if (!wanted)
    return;
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    if (drops)
      recordApart<Full::Drops>(trace, sites[i], addresses[i]);
    else
      recordApart<Full::Waits>(trace, sites[i], addresses[i]);
}
__device__ __noinline__ void recordCalled(const Trace &trace, bool wanted, u32 site, u64 address) {
  recordCalled<1>(trace, wanted, {site}, {address});
}

/// What an inlined hook has no room for, in front of it: accesses are counted, and recorded by calls where
/// records may be dropped. True: they are recorded already.
template <u32 count>
__device__ __attribute__((always_inline)) inline bool
recordSpecially(const Trace &trace, const u32 (&sites)[count], const u64 (&addresses)[count]) {
  if (__builtin_expect(trace.special == 0, 1))
    return false;
  if (trace.special & argument::kTraceCounts)
    countHere(trace, sites);
  if (!(trace.special & argument::kTraceDrops))
    return false;
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    recordApart<Full::Drops>(trace, sites[i], addresses[i]);
  return true;
}

/// One access, of an inlined hook.
__device__ __attribute__((always_inline)) inline void recordHere(const Trace &trace, u32 site, u64 address) {
  const u32 sites[] = {site};
  const u64 addresses[] = {address};
  if (!recordSpecially(trace, sites, addresses))
    recordTogether(trace, sites, addresses, __activemask());
}

} // namespace
} // namespace device
} // namespace cupr

/// Every thread of a traced kernel asks once, when it begins. The first thread of block 0, which the hardware
/// starts among the first, leaves the time for the launch's end.
extern "C" __device__ __attribute__((always_inline)) bool
CUPR_HOOK_SYMBOL(recording)(const cupr::Trace *trace) {
  if (trace->launch && (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    trace->link->begins[trace->launch % cupr::abi::kWaitCounts] = cupr::device::globalTime();
  return trace->launch && (trace->ctaPeriod == 0 || cupr::device::isSelected(*trace));
}

/// For one thread. Kernels that call this call no other hook, and are to be as fast as the plain one: it needs next to
/// no registers, and waits for nothing.
extern "C" __device__ __attribute__((always_inline)) void CUPR_HOOK_SYMBOL(block)(const cupr::Trace *trace) {
  if (CUPR_HOOK_SYMBOL(recording)(trace))
    reinterpret_cast<cupr::abi::BlockWord *>(trace->tally)[cupr::device::linearCta()] =
        cupr::abi::begunOn(cupr::device::smId());
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(access)(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (!recording)
    return;
  cupr::device::recordHere(*trace, site, reinterpret_cast<cupr::device::u64>(address));
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(access_generic)(const cupr::Trace *trace, unsigned site, const void *address,
                                 bool recording) {
  if (!recording || !cupr::device::isGlobal(address))
    return;
  cupr::device::recordHere(*trace, site, reinterpret_cast<cupr::device::u64>(address));
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(access_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                            unsigned spaces) {
  if (!recording)
    return;
  cupr::device::recordCalled(*trace, true, site, cupr::device::recordedAddress(address, __ffs(spaces) - 1));
}

// Several accesses at once (pass/group_hooks.h).

#define CUPR_ACCESS(n) unsigned site##n, const void *address##n
#define CUPR_SITES_2 site0, site1
#define CUPR_SITES_3 CUPR_SITES_2, site2
#define CUPR_SITES_4 CUPR_SITES_3, site3
#define CUPR_SITES_6 CUPR_SITES_4, site4, site5
#define CUPR_ADDRESS(n) reinterpret_cast<cupr::device::u64>(address##n)
#define CUPR_ADDRESSES_2 CUPR_ADDRESS(0), CUPR_ADDRESS(1)
#define CUPR_ADDRESSES_3 CUPR_ADDRESSES_2, CUPR_ADDRESS(2)
#define CUPR_ADDRESSES_4 CUPR_ADDRESSES_3, CUPR_ADDRESS(3)
#define CUPR_ADDRESSES_6 CUPR_ADDRESSES_4, CUPR_ADDRESS(4), CUPR_ADDRESS(5)
#define CUPR_ACCESSES_2 CUPR_ACCESS(0), CUPR_ACCESS(1)
#define CUPR_ACCESSES_3 CUPR_ACCESSES_2, CUPR_ACCESS(2)
#define CUPR_ACCESSES_4 CUPR_ACCESSES_3, CUPR_ACCESS(3)
#define CUPR_ACCESSES_6 CUPR_ACCESSES_4, CUPR_ACCESS(4), CUPR_ACCESS(5)

#define CUPR_TOGETHER(count)                                                                                 \
  extern "C" __device__ __attribute__((always_inline)) void CUPR_HOOK_SYMBOL(accesses_##count)(              \
      const cupr::Trace *trace, bool recording, CUPR_ACCESSES_##count) {                                     \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u32 sites[] = {CUPR_SITES_##count};                                                  \
    const cupr::device::u64 addresses[] = {CUPR_ADDRESSES_##count};                                          \
    if (!cupr::device::recordSpecially(*trace, sites, addresses))                                            \
      cupr::device::recordTogether(*trace, sites, addresses, __activemask());                                \
  }                                                                                                          \
  extern "C" __device__ __attribute__((noinline)) void CUPR_CALLED_SYMBOL(accesses_##count)(                 \
      const cupr::Trace *trace, bool recording, CUPR_ACCESSES_##count) {                                     \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u32 sites[] = {CUPR_SITES_##count};                                                  \
    const cupr::device::u64 addresses[] = {CUPR_ADDRESSES_##count};                                          \
    cupr::device::recordCalled(*trace, true, sites, addresses);                                              \
  }
CUPR_TOGETHER(2)
CUPR_TOGETHER(3)
CUPR_TOGETHER(4)
CUPR_TOGETHER(6)

// The same as functions, which modules with many accesses call (pass/link_hooks.h). Lanes that come from
// different places run through a function together: then what is active is not the lanes of one site.

extern "C" __device__ __attribute__((noinline)) void
CUPR_CALLED_SYMBOL(access)(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (recording)
    cupr::device::recordCalled<1>(*trace, true, {site}, {reinterpret_cast<cupr::device::u64>(address)});
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_CALLED_SYMBOL(access_generic)(const cupr::Trace *trace, unsigned site, const void *address,
                                   bool recording) {
  if (recording)
    cupr::device::recordCalled(*trace, cupr::device::isGlobal(address), site,
                               reinterpret_cast<cupr::device::u64>(address));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_CALLED_SYMBOL(access_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                              unsigned spaces) {
  if (recording)
    cupr::device::recordCalled(*trace, true, site, cupr::device::recordedAddress(address, __ffs(spaces) - 1));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(access_among)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                               unsigned spaces) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space);
  cupr::device::recordCalled(*trace, wanted, site, cupr::device::recordedAddress(address, space));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(range_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                           unsigned spaces, unsigned long long bytes) {
  if (!recording)
    return;
  const unsigned space = __ffs(spaces) - 1;
  cupr::device::countEach(*trace, bytes != 0, site);
  if (bytes != 0)
    cupr::device::recordRange(*trace, site, cupr::device::recordedAddress(address, space), bytes);
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(range_among)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                              unsigned spaces, unsigned long long bytes) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space) && bytes != 0;
  cupr::device::countEach(*trace, wanted, site);
  if (wanted)
    cupr::device::recordRange(*trace, site, cupr::device::recordedAddress(address, space), bytes);
}

namespace cupr {
namespace device {
namespace {

template <u32 room>
__device__ __attribute__((always_inline)) inline void recordValuesIn(const Trace &trace, u32 site,
                                                                     const void *address, u32 spaces,
                                                                     u32 packed, const u64 (&pieces)[room]) {
  const abi::HookValues values = abi::unpackValues(packed);
  u32 space = __ffs(spaces) - 1;
  const bool wanted = !values.isDecided || decideSpace(address, spaces, site, space);
  countEach(trace, wanted, site);
  if (wanted)
    recordValues(trace, site, recordedAddress(address, space), values, pieces);
}

} // namespace
} // namespace device
} // namespace cupr

#define CUPR_VALUES(room)                                                                                    \
  extern "C" __device__ __attribute__((noinline)) void CUPR_HOOK_SYMBOL(values_##room)(                      \
      const cupr::Trace *trace, unsigned site, const void *address, bool recording, unsigned spaces,         \
      unsigned values, CUPR_PIECES_##room) {                                                                 \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u64 pieces[] = {CUPR_PIECE_NAMES_##room};                                            \
    cupr::device::recordValuesIn(*trace, site, address, spaces, values, pieces);                             \
  }
CUPR_VALUES(1)
CUPR_VALUES(2)
CUPR_VALUES(4)
CUPR_VALUES(8)

// All that the list names are here.
#define CUPR_HERE(symbol) static_assert(sizeof(&symbol) != 0, #symbol);
#define CUPR_TWIN_Inlined(stem) CUPR_HERE(CUPR_CALLED_SYMBOL(stem))
#define CUPR_TWIN_Called(stem)
#define CUPR_HOOK(identifier, stem, how) CUPR_HERE(CUPR_HOOK_SYMBOL(stem)) CUPR_TWIN_##how(stem)
#define CUPR_GROUP_HOOK(count, stem) CUPR_HERE(CUPR_HOOK_SYMBOL(stem)) CUPR_HERE(CUPR_CALLED_SYMBOL(stem))
#include "devicelib/abi/hooks.def"
