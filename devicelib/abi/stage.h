/// The stage: where a warp of a timed kernel leaves its records until there are enough of them to go to the queue together.
///
/// Problem: a record on its way to the queue (queue.h) takes two atomic operations on global memory, and a fence that waits for all stores
/// of its thread: some microseconds. A kernel that is slowed down by that meets other caches and another load of memory than the
/// plain one, and its loads wait for what the hooks write. So each warp has a piece of the shared memory that the kernel's occupancy
/// leaves, fills it, and moves it to the queue as a whole, with one reservation.
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

/// What the Stage hook answers: the address in shared memory of the warp's StageControl, or one of these.
enum StageHandle : std::uint32_t {
  kNotRecorded = 0,
  kNotStaged = 1, ///< records go to the queue one by one
};

/// In front of a warp's staged words.
struct alignas(16) StageControl {
  std::uint32_t claimed;   ///< bytes; above the stage's size: it is closing
  std::uint32_t committed; ///< bytes that are written
  std::uint32_t bytes;     ///< that there is room for
  std::uint32_t heads[kStageHeadWords];
};
static_assert(sizeof(StageControl) % kWordBytes == 0, "words stand behind it");

/// Where a launch's stages are, in the trace argument's `mark`: behind the dynamic shared memory that the program asks for, one
/// for each warp of a block.
struct StagePlace {
  std::uint32_t offset; ///< bytes in the dynamic shared memory, a multiple of 16
  std::uint32_t bytes;  ///< of each warp's words, a multiple of 16; 0: there are none
};
CUPR_RECORD_FUNCTION std::uint64_t packStage(const StagePlace &place) {
  return static_cast<std::uint64_t>(place.offset) << 32 | place.bytes;
}
CUPR_RECORD_FUNCTION StagePlace stagePlace(std::uint64_t mark) {
  return StagePlace{static_cast<std::uint32_t>(mark >> 32), static_cast<std::uint32_t>(mark)};
}
/// Of the warps of a block together.
CUPR_RECORD_FUNCTION std::uint32_t stageBytes(std::uint32_t warps, std::uint32_t bytes) {
  return warps * (static_cast<std::uint32_t>(sizeof(StageControl)) + bytes);
}

} // namespace abi
} // namespace cupr

#endif
