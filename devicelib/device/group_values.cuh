/// Records with values (abi/value_record.h): what the lanes that arrive together read or wrote, behind the record of where.
#ifndef CUPR_DEVICE_GROUP_VALUES_CUH
#define CUPR_DEVICE_GROUP_VALUES_CUH

#include "group_records.cuh"

#include "devicelib/abi/value_record.h"

namespace cupr {
namespace device {
namespace {

/// What a group's lanes have for one piece of a value: all alike but for a step, or not.
struct ValuePattern {
  u32 step;
  bool isAffine;
};
/// `areEqual`: mostly all of them are.
__device__ inline ValuePattern findValues(u64 value, u32 bytes, bool areEqual, const Group &group) {
  const u32 spare = 64 - 8 * bytes;
  const u64 distance = value - __shfl_sync(group.active, value, group.leader);
  if (areEqual && __all_sync(group.active, distance == 0))
    return {0, true};
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

/// A piece of a value of the group's lanes, to its place. `rank`: of the lane among them.
template <typename Memory>
__device__ inline void writePiece(const Memory &memory, unsigned char *at, u64 piece, u32 size,
                                  const ValuePattern &found, const Group &group, u32 rank, u32 count) {
  if (group.isLeader())
    abi::store(memory, at,
               found.isAffine
                   ? abi::affineValue(size, static_cast<int>(found.step), abi::cutValue(piece, size))
                   : abi::denseValue(size, count));
  if (found.isAffine)
    return;
  storeValue(at + abi::kWordBytes + rank * size, piece, size);
  // What is left of the last word: less than a word, of which each lane clears some bytes.
  const u32 used = count * size, end = (used + abi::kWordBytes - 1) & ~(abi::kWordBytes - 1u);
  for (u32 byte = used + rank; byte < end; byte += count)
    at[abi::kWordBytes + byte] = 0;
}
__device__ inline u32 pieceBytes(u32 size, bool isAffine, u32 count) {
  return (isAffine ? 1u : abi::denseValueWords(size, count)) * abi::kWordBytes;
}

/// An access of the lanes that are at this site, and behind it the pieces of its values: one reservation.
template <u32 room>
__device__ __attribute__((always_inline)) inline void recordValues(const Trace &trace, u32 site, u64 address,
                                                                   const abi::ValueShape &shape,
                                                                   const u64 (&pieces)[room]) {
  Group group(__match_any_sync(__activemask(), site));
  const u32 active = group.active, count = __popc(active), rank = __popc(active & ((1u << group.lane) - 1));
  Pattern pattern = findPattern(address, group);
  const long long offset = static_cast<long long>(address - __shfl_sync(active, address, group.leader));
  if (!pattern.isCompact)
    pattern.layout = scatteredLayout(offset, group);
  const bool isRecorded = !(trace.special & argument::kTraceNoValues);
  const u32 all = isRecorded ? abi::piecesOf(shape) : 0;
  u32 steps[room], affine = 0, bytes = pattern.layout.bytes; // a bit for each piece that is affine
#pragma unroll
  for (u32 i = 0; i < room; ++i) {
    steps[i] = 0;
    if (i >= all)
      continue;
    const u32 size = abi::bytesOfPieceAmong(shape, i);
    const ValuePattern found = findValues(pieces[i], size, i >= abi::valuePieces(shape), group);
    steps[i] = found.step;
    affine |= static_cast<u32>(found.isAffine) << i;
    bytes += pieceBytes(size, found.isAffine, count);
  }
  Space space(trace.special & argument::kTraceDrops ? Full::Drops : Full::Waits, trace, group, bytes);
  if (space.isDropped())
    return;
  const GpuMemory memory;
  unsigned char *at = space.shared(group) + pattern.layout.bytes;
  if (!pattern.isCompact)
    storeAddress(space.shared(group) + sizeof(abi::RecordHead), pattern.layout.form, rank, address, offset);
#pragma unroll
  for (u32 i = 0; i < room; ++i) {
    if (i >= all)
      continue;
    const u32 size = abi::bytesOfPieceAmong(shape, i);
    const ValuePattern found{steps[i], (affine >> i & 1) != 0};
    writePiece(memory, at, pieces[i], size, found, group, rank, count);
    at += pieceBytes(size, found.isAffine, count);
  }
  __syncwarp(group.active); // the leader commits what the lanes have written
  if (group.isLeader()) {
    space.writeHead(site, active, address, pattern.layout);
    space.commit();
  }
  __syncwarp(group.active);
}

/// A range (recordRange) with a clock.
__device__ __noinline__ void recordTimedRange(const Trace &trace, u32 site, u64 address, u64 bytes,
                                              u64 clock) {
  if (trace.special & argument::kTraceNoValues)
    return recordRange(trace, site, address, bytes);
  Group group(__match_any_sync(__activemask(), site));
  const u32 active = group.active, count = __popc(active), rank = __popc(active & ((1u << group.lane) - 1));
  const u64 base = __shfl_sync(active, address, group.leader);
  const ValuePattern found = findValues(clock, abi::kPieceBytesMax, /*areEqual=*/true, group);
  const u32 range = recordBytes(RecordForm::Range, count);
  Space space(trace.special & argument::kTraceDrops ? Full::Drops : Full::Waits, trace, group,
              range + pieceBytes(abi::kPieceBytesMax, found.isAffine, count));
  if (space.isDropped())
    return;
  storeRange(space.shared(group), rank, address, bytes);
  writePiece(GpuMemory(), space.shared(group) + range, clock, abi::kPieceBytesMax, found, group, rank, count);
  __syncwarp(group.active); // the leader commits what the lanes have written
  if (group.isLeader()) {
    space.writeHead(site, active, base, {RecordForm::Range, 0, 0});
    space.commit();
  }
  __syncwarp(group.active);
}

} // namespace
} // namespace device
} // namespace cupr

#endif
