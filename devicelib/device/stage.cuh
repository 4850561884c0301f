/// A warp's stage (abi/stage.h) on a GPU: which memory it is, who has it, and how what is in it comes to the queue.
#ifndef CUPR_DEVICE_STAGE_CUH
#define CUPR_DEVICE_STAGE_CUH

#include "group_records.cuh"

#include "devicelib/abi/stage_writer.h"

namespace cupr {
namespace device {
namespace {

/// Memory of a warp's stage, among the lanes of the warp.
struct StageMemory {
  __device__ u32 add(u32 *address, u32 value) const {
    u32 old;
    asm volatile("atom.relaxed.cta.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(address), "r"(value)
                 : "memory");
    return old;
  }
  __device__ void mark(u32 *address, u32 bits) const {
    asm volatile("red.relaxed.cta.global.or.b32 [%0], %1;" : : "l"(address), "r"(bits) : "memory");
  }
  __device__ u32 load(const u32 *address) const {
    u32 value;
    asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
  }
  __device__ void store(u32 *address, u32 value) const {
    asm volatile("st.relaxed.cta.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
  }
  __device__ void fence() const { asm volatile("fence.acq_rel.cta;" : : : "memory"); }
  // Words are written and read past the first cache, whose lines are the program's.
  __device__ void storeWord(unsigned char *address, u32 a, u32 b, u32 c, u32 d) const {
    asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(address), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
  template <typename T> __device__ void storeElement(unsigned char *address, u32 index, T value) const {
    if constexpr (sizeof(T) == sizeof(u64))
      asm volatile("st.global.L1::no_allocate.u64 [%0], %1;"
                   :
                   : "l"(address + index * 8), "l"(value)
                   : "memory");
    else
      asm volatile("st.global.L1::no_allocate.u32 [%0], %1;"
                   :
                   : "l"(address + index * 4), "r"(value)
                   : "memory");
  }
  /// `third` and `fourth` are added to parts of the word.
  __device__ void moveWord(unsigned char *to, const unsigned char *from, u32 third, u32 fourth) const {
    u32 a, b, c, d;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from)
                 : "memory");
    storeWord(to, a, b, c + third, d + fourth);
  }
};

/// Of the calling lane's warp.
class Stage {
public:
  /// `handle`: what the Stage hook has answered, from kStaged on.
  __device__ Stage(const Trace &trace, u32 handle)
      : control_(controlAt(abi::stagePlaces(trace.mark), handle - abi::kStaged)),
        bytes_(abi::stagePlaces(trace.mark).bytes) {}

  __device__ static abi::StageControl *controlAt(const abi::StagePlaces &places, u32 number) {
    return reinterpret_cast<abi::StageControl *>(places.address +
                                                 static_cast<u64>(number) * abi::kStageStride);
  }
  __device__ abi::StageControl *control() const { return control_; }
  __device__ abi::StageWriter<StageMemory> writer() const { return {control_, bytes_}; }
  __device__ unsigned char *words() const {
    return reinterpret_cast<unsigned char *>(control_) + abi::kStageWordsAt;
  }

private:
  abi::StageControl *control_;
  u32 bytes_;
};

/// The lanes of the calling lane's warp, which not all blocks fill.
__device__ inline u32 lanesOfWarp() {
  const u32 rest = blockDim.x * blockDim.y * blockDim.z - warpInBlock() * abi::kLanes;
  return rest >= abi::kLanes ? ~0u : (1u << rest) - 1;
}

/// The calling lane's warp in its launch. Of blocks that are recorded, which so are neighbours.
__device__ inline u64 stagedWarp(const Trace &trace) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u64 block = trace.ctaPeriod > 1 ? linearCta() / trace.ctaPeriod : linearCta();
  return block * ((threads + abi::kLanes - 1) / abi::kLanes) + warpInBlock();
}

/// What the Stage hook answers.
__device__ inline u32 stageHandle(const Trace &trace, bool begins) {
  if (!trace.mark)
    return abi::kNotStaged;
  const abi::StagePlaces places = abi::stagePlaces(trace.mark);
  const u64 warp = stagedWarp(trace);
  const u64 owner = abi::stageOwner(trace.launch, warp);
  const u32 number = static_cast<u32>(warp) & ((1u << places.placesLog2) - 1);
  abi::StageControl *const control = Stage::controlAt(places, number);
  bool isOwn = owner != 0;
  if (begins) {
    const u32 lanes = lanesOfWarp();
    if (laneId() == 0 && owner) {
      isOwn = GpuMemory().replace(&control->owner, 0, owner);
      if (isOwn) {
        control->claimed = control->committed = control->ended = 0;
        for (u32 &word : control->heads)
          word = 0;
      }
    }
    isOwn = __shfl_sync(lanes, isOwn, 0);
    __syncwarp(lanes);
  } else {
    isOwn = isOwn && GpuMemory().load(&control->owner) == owner;
  }
  return isOwn ? abi::kStaged + number : +abi::kNotStaged;
}

/// Copies what is staged to its place in a bin, as number `rank` of `count` lanes.
__device__ inline void copyStage(const Trace &trace, const Stage &stage, u32 bytes, unsigned char *to,
                                 u32 generation, u32 rank, u32 count) {
  // What all heads have alike is put in here.
  const u64 cta = linearCta() | abi::launchTag(trace.launch);
  const u32 where = abi::packWhere(warpInBlock(), smId(), generation);
  const abi::StageWriter<StageMemory> writer = stage.writer();
  for (u32 word = rank; word < bytes / abi::kWordBytes; word += count) {
    const bool isFirst = writer.isHead(word), isSecond = word && writer.isHead(word - 1);
    StageMemory().moveWord(to + word * abi::kWordBytes, stage.words() + word * abi::kWordBytes,
                           isFirst ? static_cast<u32>(cta) : 0u,
                           isFirst    ? static_cast<u32>(cta >> 32)
                           : isSecond ? where
                                      : 0u);
  }
}

/// Moves what is staged to the queue, `bytes` in front of the group that closes the stage, and opens it again.
__device__ __noinline__ void moveStage(const Trace &trace, const Stage &stage, u32 active, u32 bytes) {
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
    copyStage(trace, stage, bytes, to, space.generation(group),
              __popc(group.active & ((1u << group.lane) - 1)), __popc(group.active));
    __syncwarp(group.active); // the leader commits what the lanes have written
    if (group.isLeader())
      space.commit();
  }
  if (group.isLeader())
    writer.reopen();
  __syncwarp(group.active);
}

/// The same by all lanes of a warp, between two records: nobody has to be waited for.
__device__ __noinline__ void moveWarp(const Trace &trace, const Stage &stage) {
  constexpr u32 all = ~0u;
  const u32 lane = laneId(), bytes = stage.writer().staged();
  if (!bytes)
    return;
  BinWriter bin(trace, smId() & trace.binMask);
  const u64 limit = bin.limit(); // under way while the leader claims
  u64 position = 0;
  if (lane == 0)
    position = bin.claim(bytes);
  position = __shfl_sync(all, position, 0);
  if (__builtin_expect(!__all_sync(all, bin.isReady(position, bytes, limit)), 0))
    position = bin.makeReady(WarpLanes(all), position, bytes);
  copyStage(trace, stage, bytes, bin.address(position), static_cast<u32>(bin.generation(position)), lane,
            abi::kLanes);
  __syncwarp(all); // the leader commits what the lanes have written
  if (lane == 0) {
    bin.commit(position, bytes);
    stage.writer().reopen();
  }
  __syncwarp(all);
}

/// Waits until the stage, which another group closes, is open again.
__device__ __noinline__ void awaitOpening(const Stage &stage, u32 active) {
  const WarpLanes lanes(active);
  for (u32 time = 0;;) {
    const bool isClosing = lanes.isLeader() && stage.writer().isClosing();
    if (!__any_sync(lanes.active, isClosing))
      break;
    GpuMemory().pause(time);
  }
}

/// What the group's lanes have staged goes to the queue.
__device__ __noinline__ void unstage(const Trace &trace, const Stage &stage, u32 active) {
  const WarpLanes lanes(active);
  const abi::StageWriter<StageMemory> writer = stage.writer();
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
      return moveStage(trace, stage, lanes.active, at);
    awaitOpening(stage, lanes.active);
  }
}

/// What the Unstage hook does: the lanes end. The last ones of a warp give its place back.
__device__ __noinline__ void endStage(const Trace &trace, u32 active) {
  const u32 handle = stageHandle(trace, /*begins=*/false);
  if (handle == abi::kNotStaged)
    return;
  const Stage stage(trace, handle);
  unstage(trace, stage, active);
  const WarpLanes lanes(active);
  if (!lanes.isLeader())
    return;
  StageMemory().fence();
  const u32 ended = atomicOr(&stage.control()->ended, lanes.active) | lanes.active;
  if (ended != lanesOfWarp())
    return;
  // The next owner comes behind what all of them have done here. No fence of the device, which empties the first cache.
  StageMemory().fence();
  asm volatile("st.release.gpu.global.u64 [%0], %1;" : : "l"(&stage.control()->owner), "l"(0ull) : "memory");
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
  __device__ void settle(const Trace &trace, const Stage &stage, u32 active) const {
    if (answer == abi::StageAnswer::Closing)
      moveStage(trace, stage, active, at);
    else
      awaitOpening(stage, active);
  }
};

} // namespace
} // namespace device
} // namespace cupr

#endif
