/// What a running lane can ask about itself, one per host thread: the special
/// registers, where its block's shared memory lies, and its place in the access
/// log. Retargeted code reads it by offset, so the layout is part of the contract
/// between the retargeting pass and the runtime.
///
/// The scheduler rewrites it at every switch between lanes; a block stays on one
/// host thread from its start to its end.
#ifndef CUPR_CPU_LANE_STATE_H
#define CUPR_CPU_LANE_STATE_H

#include <cstddef>
#include <cstdint>

namespace cupr::cpu {

/// One step of the access log of a warp: a column per lane.
struct LogRow {
  std::uint64_t address[32];
  std::uint32_t key[32]; ///< log_key.h
};

/// Which of its block's lanes one is: 16 bytes, copied at once.
struct alignas(16) LanePosition {
  std::uint32_t tid[3], lane;
};

class Block;

struct LaneState {
  LanePosition position;
  std::uint32_t ctaid[3], ntid[3], nctaid[3];
  std::uint32_t warp, sm, dynamicSharedBytes;
  unsigned char *shared;        ///< the block's frame; the first kSharedReserved bytes are the system's
  unsigned char *dynamicShared; ///< in that frame
  /// The row that the lane's next access goes to; equal to `rowEnd`: call the
  /// scheduler first. Both null: nothing is recorded.
  LogRow *row, *rowEnd;
  std::uint64_t launch; ///< of the last access that was recorded
  /// The stacks of this host thread's lanes.
  unsigned char *stackLow, *stackHigh;
  std::uint32_t staticSharedBytes, spins;
  std::uint64_t
      gridWorkspace; ///< address of the launch's GridWorkspace; 0: the blocks can't wait for each other
  std::uint32_t sharedBytes; ///< of the block's frame, all its parts
  std::uint32_t marks;       ///< 1: ends of iterations go into the log (retarget/iteration_marks.cpp); else 0
  std::uint64_t pageShift;   ///< from an address to its place in ...
  const std::uint16_t *poisonedBytes; ///< ... the table for the address space (poisoned_bytes.h)
  Block *block;                       ///< that the host thread runs, or null
  // Of clusters. A launch without them has clusters of one block.
  std::uint32_t clusterCtaid[3], clusterNctaid[3], clusterid[3], nclusterid[3];
  std::uint32_t clusterRank, clusterBlocks;
  std::uint32_t hasClusters; ///< 1: the launch says how large they are; else 0
  unsigned char
      *clusterFrames; ///< of the cluster's blocks, by rank; null: the cluster is one block (cluster.h)
};

/// What cooperative_groups expects where %envreg1 (high half) and %envreg2 point.
struct GridWorkspace {
  std::uint32_t bytes;
  std::uint32_t barrier;
};

inline constexpr std::uint32_t kSharedReserved = 1024;
/// The shared window of a block lies below 2 GiB: device code keeps shared
/// addresses in 32 bits.
inline constexpr std::size_t kSharedWindow = 512 * 1024;
/// Streaming multiprocessors that the device has, as far as anyone can tell.
/// `%smid`, and the SM of a record, is the linear CTA modulo this number: it says
/// nothing about host threads, so that it is the same in every run.
inline constexpr std::uint32_t kMultiprocessors = 16;

inline constexpr const char *kLaneStateSymbol = "__cupr_cpu_lane";
/// The section of the `__constant__` variables; the linker knows where it starts and ends.
inline constexpr const char *kConstantSection = "cupr_constant";

} // namespace cupr::cpu

#ifndef CUPR_CPU_RETARGET
extern "C" __attribute__((tls_model("initial-exec"))) __thread cupr::cpu::LaneState __cupr_cpu_lane;
#endif

#endif
