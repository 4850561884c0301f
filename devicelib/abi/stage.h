/// The stage: where a warp of a timed kernel leaves its records until there are enough of them to go to the queue together.
///
/// Problem: a record on its way to the queue (queue.h) takes two atomic operations on global memory, and a fence that waits for all stores
/// of its thread: some microseconds. A kernel that is slowed down by that meets other caches and another load of memory than the
/// plain one, and its loads wait for what the hooks write. So each warp has a piece of memory, fills it, and moves it to the queue as a whole, with
/// one reservation.
///
/// Shared memory would be the place for it, if it were not taken from the first cache: kernels that need that one run 1.7 times as long even where none
/// of their blocks is recorded (docs/design/0022-records-of-timed-kernels-are-staged.md). So stages are in global memory, which a multiprocessor
/// writes without waiting, and past its first cache; only the first words of a stage, its StageControl, are read again and again, and stay there.
///
/// There are about twice as many places for stages as warps that can run at a time. A warp's place follows from its number in the launch, so that
/// functions find it, too; it is its own from the kernel's beginning to its end. A warp whose place is taken by another one has none: its records go to the queue one by one.
///
/// Lanes of a warp may be anywhere in their code (CUDA programming guide, "SIMT Architecture"), in the middle of a hook, too. So the stage is
/// shared by groups of lanes that are not ordered:
///
///     state      `claimed`           moved on by
///     open       at most the size    each record, which adds its bytes and has the space behind what was there
///     closing    above               the group whose record no longer fits: it waits until those in front of it are written
///     open, 0                        that group, behind its move of everything to the queue
///
/// Who finds the stage closing waits until it is open again. Nobody waits there for a group that waits for others: in front of a closing group are
/// only groups that write, and the queue waits for the host alone. Before a lane ends, and before it leaves a record that is not staged,
/// it closes the stage itself; so its records are in the queue in the order in which it made them.
///
/// A head's page in the queue is known only when it moves, and heads lie anywhere among the words: `heads` has a bit for each that begins one.
///
/// What lanes do there is in stage_writer.h.
#ifndef CUPR_ABI_STAGE_H
#define CUPR_ABI_STAGE_H

#include "value_record.h"

namespace cupr {
namespace abi {

enum : std::uint32_t {
  kStageWordsMax = 128,
  /// Of less there is nothing to gather: a record of scattered addresses has 200 bytes.
  kStageBytesMin = 256,
  kStageBytesMax = kStageWordsMax * std::uint32_t{kWordBytes},
  kStageHeadWords = kStageWordsMax / 32u,
};
static_assert(kStageWordsMax <= std::uint32_t{kMaxClaimWords}, "the queue takes it at once");

/// What the Stage hook answers: one of these, or from kStaged on the number of the warp's place.
enum StageHandle : std::uint32_t {
  kNotRecorded = 0,
  kNotStaged = 1, ///< records go to the queue one by one
  kStaged = 2,
};

/// In front of a warp's staged words.
struct alignas(16) StageControl {
  unsigned long long owner; ///< stageOwner; 0: nobody
  std::uint32_t claimed;    ///< bytes; above the stage's size: it is closing
  std::uint32_t committed;  ///< bytes that are written
  std::uint32_t heads[kStageHeadWords];
  std::uint32_t ended; ///< lanes of the warp that have ended
};
/// A place has lines of its own in caches, of 128 bytes; the first one is what is read again and again.
enum : std::uint32_t { kStageWordsAt = 128, kStageStride = kStageWordsAt + kStageBytesMax };
static_assert(sizeof(StageControl) <= kStageWordsAt, "words stand behind it");

/// Of warp number `warp` of a launch, all of its blocks counted. 0: it can't be said.
CUPR_RECORD_FUNCTION std::uint64_t stageOwner(std::uint64_t launch, std::uint64_t warp) {
  return warp >> 40 ? 0 : ((launch & 0xffffffu) << 40 | warp) + 1u;
}

/// Where a launch's stages are, in the trace argument's `mark`: 2^`placesLog2` places from `address` on, a multiple of 256.
struct StagePlaces {
  std::uint64_t address; ///< of device memory; 0: there are none
  std::uint32_t placesLog2;
  std::uint32_t bytes; ///< that each warp fills, a multiple of 16 and at most kStageBytesMax
};
CUPR_RECORD_FUNCTION std::uint64_t packStages(const StagePlaces &places) {
  return places.address >> 8 | static_cast<std::uint64_t>(places.placesLog2) << 40 |
         static_cast<std::uint64_t>(places.bytes / std::uint32_t{kWordBytes}) << 46;
}
CUPR_RECORD_FUNCTION StagePlaces stagePlaces(std::uint64_t mark) {
  return StagePlaces{(mark & 0xffffffffffu) << 8, static_cast<std::uint32_t>(mark >> 40) & 63u,
                     (static_cast<std::uint32_t>(mark >> 46) & 255u) * std::uint32_t{kWordBytes}};
}

} // namespace abi
} // namespace cupr

#endif
