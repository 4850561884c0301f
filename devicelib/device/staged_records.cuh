/// Records of timed accesses, which are staged in shared memory (abi/stage.h), and their way from there into the queue.
///
/// A warp that is recorded shares its scheduler with fifteen that are not: what counts is how many instructions a record takes. Nearly always the
/// lanes come from one access that they made together, with one clock; then no pattern is looked for but the plainest (stageAlike).
#ifndef CUPR_DEVICE_STAGED_RECORDS_CUH
#define CUPR_DEVICE_STAGED_RECORDS_CUH

#include "group_values.cuh"

#include "devicelib/abi/stage_writer.h"

/// The dynamic shared memory of a block, whatever the program has there: all such arrays begin at the same address (CUDA programming guide,
/// "__shared__").
extern "C" {
extern __shared__ uint4 __cupr_dynamic_shared[];
}

namespace cupr {
namespace device {
namespace {

/// That every stage has: in one that is smaller there is nothing to gather.
constexpr u32 kLeastStageWords = static_cast<u32>(abi::kStageBytesMin) / static_cast<u32>(abi::kWordBytes);

/// Memory of a warp's stage, by addresses in shared memory; among the lanes of the warp.
struct StageMemory {
  __device__ u32 add(u32 *address, u32 value) const {
    u32 old;
    asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(shared(address)), "r"(value)
                 : "memory");
    return old;
  }
  __device__ void mark(u32 *address, u32 bits) const {
    asm volatile("red.relaxed.cta.shared.or.b32 [%0], %1;" : : "r"(shared(address)), "r"(bits) : "memory");
  }
  __device__ u32 load(const u32 *address) const {
    u32 value;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared(address)) : "memory");
    return value;
  }
  __device__ void store(u32 *address, u32 value) const {
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" : : "r"(shared(address)), "r"(value) : "memory");
  }
  __device__ void fence() const { __threadfence_block(); }
  __device__ void storeWord(unsigned char *address, u32 a, u32 b, u32 c, u32 d) const {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(shared(address)), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
  template <typename T> __device__ void storeElement(unsigned char *address, u32 index, T value) const {
    if constexpr (sizeof(T) == sizeof(u64))
      asm volatile("st.shared.u64 [%0], %1;" : : "r"(shared(address) + index * 8), "l"(value) : "memory");
    else
      asm volatile("st.shared.u32 [%0], %1;" : : "r"(shared(address) + index * 4), "r"(value) : "memory");
  }
  /// To a word of global memory. `third` and `fourth` are added to parts of it.
  __device__ void moveWord(unsigned char *to, const unsigned char *from, u32 third, u32 fourth) const {
    u32 a, b, c, d;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(shared(from))
                 : "memory");
    GpuMemory().storeWord(to, a, b, c + third, d + fourth);
  }

private:
  template <typename T> __device__ static u32 shared(const T *address) {
    return static_cast<u32>(
        reinterpret_cast<u64>((const __attribute__((address_space(3))) T *)address)); // NOLINT: it is one
  }
};

/// Words in a stage, or in the queue.
struct AnyMemory {
  __device__ void storeWord(unsigned char *address, u32 a, u32 b, u32 c, u32 d) const {
    asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(address), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
};

/// Of the calling lane's warp.
class Stage {
public:
  /// `handle`: what the Stage hook has answered, above kNotStaged.
  __device__ explicit Stage(u32 handle) : handle_(handle) {}
  __device__ explicit Stage(const Trace &trace) {
    const abi::StagePlace place = abi::stagePlace(trace.mark);
    handle_ = static_cast<u32>(__cvta_generic_to_shared(__cupr_dynamic_shared)) + place.offset +
              abi::stageBytes(warpInBlock(), place.bytes);
  }
  __device__ u32 handle() const { return handle_; }
  __device__ abi::StageControl *control() const {
    return static_cast<abi::StageControl *>(__cvta_shared_to_generic(handle_));
  }
  __device__ abi::StageWriter<StageMemory> writer() const { return abi::StageWriter<StageMemory>(control()); }
  __device__ unsigned char *words() const { return reinterpret_cast<unsigned char *>(control() + 1); }

private:
  u32 handle_;
};

/// The lanes of the calling lane's warp, which not all blocks fill.
__device__ inline u32 lanesOfWarp() {
  const u32 rest = blockDim.x * blockDim.y * blockDim.z - warpInBlock() * abi::kLanes;
  return rest >= abi::kLanes ? ~0u : (1u << rest) - 1;
}

/// What the Stage hook answers.
__device__ inline u32 stageHandle(const Trace &trace, bool begins) {
  if (!trace.mark)
    return abi::kNotStaged;
  const Stage stage(trace);
  if (begins) {
    if (laneId() == 0)
      *stage.control() = abi::StageControl{0, 0, abi::stagePlace(trace.mark).bytes, {}};
    __syncwarp(lanesOfWarp());
  }
  return stage.handle();
}

/// Moves what is staged to the queue, `bytes` in front of the group that closes the stage, and opens it again.
__device__ __noinline__ void moveStage(const Trace &trace, u32 active, u32 bytes) {
  const Stage stage(trace);
  const abi::StageWriter<StageMemory> writer = stage.writer();
  Group group(opaque(active));
  for (u32 time = 0;;) {
    const bool isWritten = !group.isLeader() || writer.isWritten(bytes);
    if (__all_sync(group.active, isWritten))
      break;
    GpuMemory().pause(time);
    group.active = opaque(active);
  }
  StageMemory().fence(); // in each lane, in front of what it reads
  if (bytes) {
    Space space(Full::Waits, trace, group, bytes);
    unsigned char *const to = space.shared(group);
    // What all heads have alike is put in here.
    const u64 cta = linearCta() | abi::launchTag(trace.launch);
    const u32 where = abi::packWhere(warpInBlock(), smId(), space.generation(group));
    const u32 rank = __popc(group.active & ((1u << group.lane) - 1)), count = __popc(group.active);
    for (u32 word = rank; word < bytes / abi::kWordBytes; word += count) {
      const bool isFirst = writer.isHead(word), isSecond = word && writer.isHead(word - 1);
      StageMemory().moveWord(to + word * abi::kWordBytes, stage.words() + word * abi::kWordBytes,
                             isFirst ? static_cast<u32>(cta) : 0u,
                             isFirst    ? static_cast<u32>(cta >> 32)
                             : isSecond ? where
                                        : 0u);
    }
    __syncwarp(group.active); // the leader commits what the lanes have written
    if (group.isLeader())
      space.commit();
  }
  if (group.isLeader())
    writer.reopen();
  __syncwarp(group.active);
}

/// Waits until the stage, which another group closes, is open again.
__device__ __noinline__ void awaitOpening(const Trace &trace, u32 active) {
  const WarpLanes lanes(active);
  for (u32 time = 0;;) {
    const bool isClosing = lanes.isLeader() && Stage(trace).writer().isClosing();
    if (!__any_sync(lanes.active, isClosing))
      break;
    GpuMemory().pause(time);
  }
}

/// What the group's lanes have staged goes to the queue.
__device__ __noinline__ void unstage(const Trace &trace, u32 active) {
  const WarpLanes lanes(active);
  const abi::StageWriter<StageMemory> writer = Stage(trace).writer();
  while (true) {
    u32 at = 0;
    bool isEmpty = false;
    abi::StageAnswer answer = abi::StageAnswer::Mine;
    if (lanes.isLeader() && !(isEmpty = writer.isEmpty()))
      answer = writer.close(at);
    if (lanes.fromLeader(isEmpty))
      return;
    at = lanes.fromLeader(at);
    if (lanes.fromLeader(answer) == abi::StageAnswer::Closing)
      return moveStage(trace, lanes.active, at);
    awaitOpening(trace, lanes.active);
  }
}

/// What the leader has been answered, in all lanes.
struct StageClaim {
  abi::StageAnswer answer;
  u32 at;

  __device__ StageClaim(const Stage &stage, u32 active, u32 bytes) : answer(abi::StageAnswer::Mine), at(0) {
    const u32 leader = __ffs(active) - 1;
    if (laneId() == leader)
      answer = stage.writer().claim(bytes, at);
    const u32 both = __shfl_sync(active, at << 2 | static_cast<u32>(answer), leader);
    at = both >> 2;
    answer = static_cast<abi::StageAnswer>(both & 3u);
  }
  __device__ bool isMine() const { return answer == abi::StageAnswer::Mine; }
  /// Waits until it is worth while to ask again.
  __device__ void settle(const Trace &trace, u32 active) const {
    if (answer == abi::StageAnswer::Closing)
      moveStage(trace, active, at);
    else
      awaitOpening(trace, active);
  }
};

/// Space in the queue, claimed by a call: its position, in all lanes.
__device__ __noinline__ u64 claimInQueue(const Trace &trace, u32 active, u32 bytes, u32 sm) {
  Group group(opaque(active));
  Space space(Full::Waits, trace, group, bytes, 1, sm);
  return space.position(group);
}

/// Space for a record in the stage; or in the queue, of one that is larger than the stage, behind what is staged.
class StagedSpace {
public:
  using Memory = AnyMemory;

  __device__ StagedSpace(Full, const Trace &trace, Group &group, u32 bytes)
      : trace_(trace), bytes_(bytes), sm_(smId()) {
    const Stage stage(trace);
    isStaged_ = bytes <= stage.writer().bytes();
    while (isStaged_) {
      const StageClaim claim(stage, group.active, bytes);
      position_ = claim.at;
      words_ = stage.words() + claim.at;
      if (claim.isMine())
        return;
      claim.settle(trace, group.active);
      group.active = opaque(group.active);
    }
    unstage(trace, group.active);
    position_ = claimInQueue(trace, group.active, bytes, sm_);
    group.active = opaque(group.active);
    words_ = bin().address(position_);
  }

  __device__ bool isDropped() const { return false; }
  __device__ unsigned char *shared(const Group &) const { return words_; }
  // What follows is the leader's.
  __device__ void writeHead(u32 site, u32 active, u64 base, const Layout &layout) const {
    abi::RecordHead head{abi::packSite(site, layout.form), active, 0, base, layout.shape, 0};
    if (!isStaged_)
      head = headOf(trace_, site, active, base, layout, sm_, static_cast<u32>(bin().generation(position_)));
    abi::store(AnyMemory(), words_, head);
  }
  __device__ void commit() const {
    if (isStaged_)
      Stage(trace_).writer().commit(static_cast<u32>(position_), bytes_);
    else
      bin().commit(position_, bytes_);
  }

private:
  __device__ BinWriter bin() const { return BinWriter(trace_, sm_ & trace_.binMask); }

  const Trace &trace_;
  u32 bytes_, sm_;
  u64 position_;         ///< in the stage, or in the bin
  unsigned char *words_; ///< in shared memory, or in the bin's pages
  bool isStaged_;
};

__device__ inline bool areAlike(u32 active, u64 value) {
  int alike;
  __match_all_sync(active, value, &alike);
  return alike;
}

/// What an attempt to stage a record came to, of the lanes `active`.
struct StageAttempt {
  enum Outcome : u32 {
    Done,
    Unlike,  ///< the lanes are not as they are here: nothing has been done
    Closing, ///< they close the stage, `at` bytes of which are to be moved
    Again,
  };
  Outcome outcome;
  u32 active, at;
};

/// Stages an access of lanes that come from one place, with one clock and one duration: their addresses are neighbours, or the same, or offsets
/// from the first; values are the same, or one for each.
template <u32 room>
__device__ __attribute__((always_inline)) inline StageAttempt
stageAlike(const Stage &stage, u32 site, u64 address, const abi::ValueShape &shape,
           const u64 (&pieces)[room]) {
  const u32 active = __activemask(), lane = laneId(), leader = __ffs(active) - 1, count = __popc(active);
  const u32 values = room == 2 ? 0 : abi::valuePieces(shape), rank = __popc(active & ((1u << lane) - 1));
  const StageAttempt unlike{StageAttempt::Unlike, active, 0};
  u64 clock = pieces[0], duration = pieces[1];
#pragma unroll
  for (u32 i = 1; i + 1 < room; ++i) // a choice: an index would put them in local memory
    if (i == values) {
      clock = pieces[i];
      duration = pieces[i + 1];
    }
  if (!areAlike(active, clock) ||
      !areAlike(active, static_cast<u64>(site) << 32 | static_cast<u32>(duration)))
    return unlike;

  // An element of 1 to 8 bytes of a value for each lane, in whole words.
  const auto wordsOf = [&](u32 size) { return (count * size + abi::kWordBytes - 1) / abi::kWordBytes; };
  RecordForm form = RecordForm::Affine;
  u32 stride = values || count == 1 ? 0 : shape.bytes, words = abi::kHeadWords + 2;
  u64 base = address;
  u32 offset = 0;
  if (!areAlike(active, address - static_cast<u64>(stride) * lane)) {
    stride = 0;
    base = __shfl_sync(active, address, leader);
    const u64 distance = address - base;
    offset = static_cast<u32>(distance);
    if (!__all_sync(active, static_cast<long long>(distance) == static_cast<int>(offset)))
      return unlike;
    if (!areAlike(active, distance)) {
      form = RecordForm::Offset32;
      words += wordsOf(sizeof offset);
    }
  }
  u32 dense = 0;
#pragma unroll
  for (u32 i = 0; i + 2 < room; ++i)
    if (i < values) {
      const u32 size = abi::bytesOfPieceAmong(shape, i);
      if (size != sizeof(u32) && size != sizeof(u64))
        return unlike;
      const bool isDense = !areAlike(active, pieces[i]);
      dense |= (isDense ? 1u : 0u) << i;
      words += 1 + (isDense ? wordsOf(size) : 0);
    }
  const u32 bytes = words * abi::kWordBytes;
  if (words > kLeastStageWords && bytes > stage.writer().bytes())
    return unlike;

  const StageClaim claim(stage, active, bytes);
  const u32 at = claim.at;
  if (!claim.isMine())
    return {claim.answer == abi::StageAnswer::Closing ? StageAttempt::Closing : StageAttempt::Again, active,
            at};
  unsigned char *const record = stage.words() + at;
  unsigned char *place = record + abi::kHeadWords * abi::kWordBytes;
  const StageMemory memory;
  if (form == RecordForm::Offset32) {
    memory.storeElement(place, rank, offset);
    place += wordsOf(sizeof offset) * abi::kWordBytes;
  }
#pragma unroll
  for (u32 i = 0; i + 2 < room; ++i)
    if (i < values) {
      const u32 size = abi::bytesOfPieceAmong(shape, i);
      const bool isDense = dense >> i & 1;
      if (lane == leader)
        abi::store(memory, place,
                   isDense ? abi::denseValue(size, count)
                           : abi::affineValue(size, 0, abi::cutValue(pieces[i], size)));
      place += abi::kWordBytes;
      if (!isDense)
        continue;
      if (size == sizeof(u32))
        memory.storeElement(place, rank, static_cast<u32>(pieces[i]));
      else
        memory.storeElement(place, rank, pieces[i]);
      // What is left of the last word.
      for (u32 unused = count * size / sizeof(u32) + rank; unused < wordsOf(size) * 4; unused += count)
        memory.storeElement(place, unused, 0u);
      place += wordsOf(size) * abi::kWordBytes;
    }
  if (lane == leader) {
    abi::store(memory, record, abi::RecordHead{abi::packSite(site, form), active, 0, base, stride, 0});
    abi::store(memory, place, abi::affineValue(abi::kPieceBytesMax, 0, clock));
    abi::store(memory, place + abi::kWordBytes,
               abi::affineValue(abi::kDurationBytes, 0, abi::cutValue(duration, abi::kDurationBytes)));
  }
  __syncwarp(active); // the leader commits what the lanes have written
  if (lane == leader)
    stage.writer().commit(at, bytes);
  __syncwarp(active);
  return {StageAttempt::Done, active, at};
}

/// By value, so that they need no memory before they are handed on.
template <u32 room> struct Pieces {
  u64 of[room];
};
/// Whatever the lanes are like, behind an attempt that has not done it.
template <u32 room>
__device__ __noinline__ void stageOtherwise(const Trace &trace, StageAttempt attempt, u32 site, u64 address,
                                            abi::ValueShape shape, Pieces<room> pieces) {
  if (attempt.outcome == StageAttempt::Closing) // all of its lanes, wherever they are
    moveStage(trace, attempt.active, attempt.at);
  recordValues<StagedSpace>(trace, site, address, shape, pieces.of);
}

} // namespace
} // namespace device
} // namespace cupr

#endif
