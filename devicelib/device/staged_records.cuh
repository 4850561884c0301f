/// Records of timed accesses, which are staged (stage.cuh).
///
/// A warp that is recorded shares its scheduler with fifteen that are not: what counts is how many instructions a record takes. Nearly always the
/// lanes come from one access that they made together, with one clock; then no pattern is looked for but the plainest.
#ifndef CUPR_DEVICE_STAGED_RECORDS_CUH
#define CUPR_DEVICE_STAGED_RECORDS_CUH

#include "group_values.cuh"
#include "stage.cuh"

namespace cupr {
namespace device {
namespace {

__device__ inline bool areAlike(u32 active, u64 value) {
  int alike;
  __match_all_sync(active, value, &alike);
  return alike;
}

/// The pieces of a timed access that are not values.
struct Times {
  u64 clock, duration;

  template <u32 room>
  __device__ Times(u32 values, const u64 (&pieces)[room]) : clock(pieces[0]), duration(pieces[1]) {
#pragma unroll
    for (u32 i = 1; i + 1 < room; ++i) // a choice: an index would put them in local memory
      if (i == values) {
        clock = pieces[i];
        duration = pieces[i + 1];
      }
  }
  /// Clocks are alike if their low halves are: an access takes less than what these count to.
  __device__ bool areAlikeIn(u32 active) const {
    return areAlike(active, duration << 32 | static_cast<u32>(clock));
  }
};

/// What lanes that have all in common but their addresses and values are recorded as: addresses in a pattern, or offsets from the first; values that are
/// the same, or one for each.
template <u32 room> struct AlikeRecord {
  bool isRows, isScattered, isPossible;
  u32 shape, offset,
      dense; ///< `offset`: of the lane; `dense`: a bit for each piece of which there is one for each lane

  /// `isAffine`: that addresses are neighbours, `stride` apart.
  __device__ AlikeRecord(const Group &group, u64 address, u32 stride, bool isAffine,
                         const abi::ValueShape &values, const u64 (&pieces)[room])
      : isRows(false), isScattered(false), isPossible(true), shape(stride), offset(0), dense(0) {
    if (!isAffine) {
      const Pattern pattern = findPattern(address, group);
      isRows = pattern.layout.form == RecordForm::Rows;
      isScattered = !pattern.isCompact;
      shape = pattern.layout.shape;
      if (isScattered) {
        const long long distance =
            static_cast<long long>(address - __shfl_sync(group.active, address, group.leader));
        offset = static_cast<u32>(distance);
        shape = 0;
        isPossible = __all_sync(group.active, distance == static_cast<int>(offset));
      }
    }
    findDense(group.active, values, pieces);
  }
  /// The same of all lanes of a warp, without branches.
  __device__ AlikeRecord(u32 lane, u64 address, u32 stride, bool isAffine, const abi::ValueShape &values,
                         const u64 (&pieces)[room])
      : isRows(false), isScattered(false), isPossible(true), shape(stride), offset(0), dense(0) {
    constexpr u32 all = ~0u;
    if (!isAffine) {
      const long long distance = static_cast<long long>(address - __shfl_sync(all, address, 0));
      offset = static_cast<u32>(distance);
      isPossible = __all_sync(all, distance == static_cast<int>(offset));
      const u32 widthLog2 = abi::rowsWidthLog2(blockDim.x),
                width = widthLog2 ? 1u << widthLog2 : +abi::kLanes;
      shape = __shfl_sync(all, offset, 1);
      const u32 pitch = __shfl_sync(all, offset, width % abi::kLanes);
      isScattered = !__all_sync(all, offset == shape * (lane & (width - 1)) + pitch * (lane / width));
      isRows = widthLog2 && pitch != shape << widthLog2;
      isScattered |=
          isRows ? !abi::fitRows(static_cast<int>(shape), static_cast<int>(pitch)) : !isSmallStride(shape);
      if (isRows)
        shape = abi::packRows(widthLog2, static_cast<int>(shape), static_cast<int>(pitch));
      if (isScattered)
        shape = 0;
    }
    findDense(all, values, pieces);
  }

  __device__ u32 addressBytes(u32 count) const {
    return isScattered ? recordBytes(RecordForm::Offset32, count) : static_cast<u32>(sizeof(abi::RecordHead));
  }
  __device__ u32 bytes(u32 count, const abi::ValueShape &values) const {
    u32 all = addressBytes(count) + 2 * abi::kWordBytes;
#pragma unroll
    for (u32 i = 0; i + 2 < room; ++i)
      if (i < abi::valuePieces(values))
        all += pieceBytes(abi::bytesOfPieceAmong(values, i), !(dense >> i & 1), count);
    return all;
  }

  /// `rank`: of the lane among those of the record; the first of them writes what they have in common.
  __device__ void write(unsigned char *record, u32 site, u64 address, u32 active, u32 rank, u32 count,
                        const abi::ValueShape &values, const u64 (&pieces)[room], const Times &times) const {
    const StageMemory memory;
    unsigned char *place = record + addressBytes(count);
    if (isScattered)
      memory.storeElement(record + sizeof(abi::RecordHead), rank, offset);
#pragma unroll
    for (u32 i = 0; i + 2 < room; ++i)
      if (i < abi::valuePieces(values)) {
        const u32 size = abi::bytesOfPieceAmong(values, i);
        const bool isDense = dense >> i & 1;
        if (rank == 0)
          abi::store(memory, place,
                     isDense ? abi::denseValue(size, count)
                             : abi::affineValue(size, 0, abi::cutValue(pieces[i], size)));
        if (isDense) {
          if (size == sizeof(u32))
            memory.storeElement(place + abi::kWordBytes, rank, static_cast<u32>(pieces[i]));
          else
            memory.storeElement(place + abi::kWordBytes, rank, pieces[i]);
          // What is left of the last word.
          const u32 elements = (pieceBytes(size, false, count) - abi::kWordBytes) / sizeof(u32);
          for (u32 unused = count * size / sizeof(u32) + rank; unused < elements; unused += count)
            memory.storeElement(place + abi::kWordBytes, unused, 0u);
        }
        place += pieceBytes(size, !isDense, count);
      }
    if (rank == 0) {
      const RecordForm form = isScattered ? RecordForm::Offset32
                              : isRows    ? RecordForm::Rows
                                          : RecordForm::Affine;
      abi::store(memory, record, abi::RecordHead{abi::packSite(site, form), active, 0, address, shape, 0});
      abi::store(memory, place, abi::affineValue(abi::kPieceBytesMax, 0, times.clock));
      abi::store(
          memory, place + abi::kWordBytes,
          abi::affineValue(abi::kDurationBytes, 0, abi::cutValue(times.duration, abi::kDurationBytes)));
    }
  }

private:
  __device__ void findDense(u32 active, const abi::ValueShape &values, const u64 (&pieces)[room]) {
#pragma unroll
    for (u32 i = 0; i + 2 < room; ++i)
      if (i < abi::valuePieces(values)) {
        const u32 size = abi::bytesOfPieceAmong(values, i);
        isPossible &= size == sizeof(u32) || size == sizeof(u64);
        dense |= (areAlike(active, pieces[i]) ? 0u : 1u) << i;
      }
  }
};

/// What an attempt to stage a record came to. But for Done nothing has been done.
enum class Staged : u32 {
  Done,
  Unlike, ///< the lanes are not as they have to be
  Full,   ///< the stage has to be moved first
};

/// Stages an access of all lanes of a warp, if they have all in common but addresses and values, and the stage has room.
///
/// This is what nearly each access of a kernel comes to, so it is inlined there, and has nothing that takes long: exchanges by a mask that is a constant need no
/// instruction that finds out who is there, and no other lane is in the stage. `isOneSite`: `site` is known to be the same in all lanes;
/// `isThere`: that the lane's address is in the memory that `address` is of; `stride`: from one lane's address to the next, most probably.
template <u32 room>
__device__ __attribute__((always_inline)) inline Staged
stageWarp(const Stage &stage, u32 site, bool isOneSite, bool isThere, u64 address, u32 stride,
          const abi::ValueShape &shape, const u64 (&pieces)[room]) {
  constexpr u32 all = ~0u;
  if (__activemask() != all)
    return Staged::Unlike;
  const u32 lane = laneId(), values = room == 2 ? 0 : abi::valuePieces(shape);
  const u32 at =
      stage.writer()
          .staged(); // by each lane, in front of the first exchange: behind the last one the first lane adds to it
  const Times times(values, pieces);
  bool isAlike = times.areAlikeIn(all);
  if (!isOneSite)
    isAlike &= areAlike(all, site);
  isAlike &= static_cast<bool>(__all_sync(all, isThere));
  const bool isAffine = areAlike(all, address - static_cast<u64>(stride) * lane);
  if (!isAlike)
    return Staged::Unlike;
  const AlikeRecord<room> record(lane, address, stride, isAffine, shape, pieces);
  if (!record.isPossible)
    return Staged::Unlike;
  const u32 bytes = record.bytes(abi::kLanes, shape);
  if (!stage.writer().hasSpace(at, bytes))
    return Staged::Full;
  record.write(stage.words() + at, site, address, all, lane, abi::kLanes, shape, pieces, times);
  stage.writer().add(at, bytes, lane == 0);
  __syncwarp(all);
  return Staged::Done;
}

/// Stages an access of some lanes of a warp, or of all, in whatever state the stage is; what can't be staged goes to the queue, behind what is.
template <u32 room>
__device__ __noinline__ void stageGroup(const Trace &trace, const Stage &stage, u32 site, u64 address,
                                        const abi::ValueShape &shape, const u64 (&pieces)[room]) {
  u32 active = __activemask();
  const u32 lane = laneId(), leader = __ffs(active) - 1, count = __popc(active);
  const u32 values = room == 2 ? 0 : abi::valuePieces(shape), stride = values || count == 1 ? 0 : shape.bytes;
  const Times times(values, pieces);
  if (times.areAlikeIn(active) && areAlike(active, site)) {
    const AlikeRecord<room> record(Group(active), address, stride,
                                   areAlike(active, address - static_cast<u64>(stride) * lane), shape,
                                   pieces);
    const u32 bytes = record.bytes(count, shape);
    while (record.isPossible && bytes <= stage.writer().bytes()) {
      const StageClaim claim(stage, active, bytes);
      if (claim.isMine()) {
        record.write(stage.words() + claim.at, site, address, active, __popc(active & ((1u << lane) - 1)),
                     count, shape, pieces, times);
        __syncwarp(active); // the leader commits what the lanes have written
        if (lane == leader)
          stage.writer().commit(claim.at, bytes);
        return __syncwarp(active);
      }
      claim.settle(trace, stage, active);
      active = opaque(active);
    }
  }
  unstage(trace, stage, active);
  recordValues(trace, site, address, shape, pieces);
}

} // namespace
} // namespace device
} // namespace cupr

#endif
