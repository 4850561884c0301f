/// A record as the check takes it: what the lanes of a warp did, and what they knew of other threads when they did it.
#ifndef CUPR_ANALYSIS_WARP_STEP_H
#define CUPR_ANALYSIS_WARP_STEP_H

#include "devicelib/abi/record.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

struct WarpStep {
  static constexpr std::uint32_t kAffine = 0xffffffffu;

  std::uint32_t block = 0; ///< its linear number
  std::uint32_t site = 0;
  std::uint32_t lanes = 0;
  std::uint32_t warp = 0;
  std::uint64_t base = 0; ///< address of the lowest lane
  std::int32_t stride = 0;
  /// Where the addresses of its lanes begin in ChunkSteps::addresses (one for each of 32 lanes); kAffine: base and stride say them.
  std::uint32_t addresses = kAffine;
  std::uint32_t bytes = 0; ///< of each lane; 0: they differ, and stand behind the addresses
  bool isChecked = false;  ///< memory that nobody has written would be a fault
  bool isInPage = false;   ///< all of it is in one page of the check's
  bool isOfSystem = false; ///< some of it is what the system keeps in front of the block's shared variables
  // What BlockOrder says of it.
  std::uint32_t clock = 1;     ///< of the warp; of asynchronous copies with Moment::kCopy
  std::uint32_t knowledge = 0; ///< number
  std::uint16_t acquired = 0;  ///< number
  std::uint16_t more = 0;      ///< likewise, of these of its lanes, which know more
  std::uint32_t moreLanes = 0;

  std::uint16_t acquiredBy(unsigned lane) const { return (moreLanes >> lane & 1) != 0 ? more : acquired; }
};

/// What an access met in memory is told by its thread and its time.
struct Moment {
  static constexpr std::uint32_t kNobody = 0xffffffffu;
  /// Added to the clock of an asynchronous copy: nobody knows of it by that.
  static constexpr std::uint32_t kCopy = 1u << 31;
  std::uint32_t block = kNobody;
  std::uint32_t clock = 0; ///< of its warp; see kCopy
  std::uint32_t site = 0;
  std::uint16_t thread = 0; ///< in the block
  std::uint16_t acquired = 0;

  bool isSomebody() const { return block != kNobody; }
  friend bool operator==(const Moment &, const Moment &) = default;
  /// Of an asynchronous copy: when it was issued, not when it was done (BlockOrder::whenDone).
  bool isOfCopy() const { return (clock & kCopy) != 0; }
  unsigned warp() const { return thread / abi::kLanes; }
  unsigned lane() const { return thread % abi::kLanes; }
};
static_assert(sizeof(Moment) == 16, "there are as many as a launch touches words of memory");

/// The steps of one chunk.
struct ChunkSteps {
  std::vector<WarpStep> steps;
  std::vector<std::uint64_t> addresses; ///< and bytes of those whose lanes differ, 32 more

  /// Asks for the memory that addressOf() needs of the first of these lanes.
  void expect(std::uint32_t step, std::uint32_t lanes) const {
    if (const std::uint32_t own = steps[step].addresses; own != WarpStep::kAffine)
      __builtin_prefetch(&addresses[own + static_cast<unsigned>(__builtin_ctz(lanes))]);
  }
  std::uint64_t addressOf(const WarpStep &step, unsigned lane) const {
    return step.addresses == WarpStep::kAffine
               ? step.base + static_cast<std::uint64_t>(std::int64_t{step.stride} *
                                                        (static_cast<int>(lane) - __builtin_ctz(step.lanes)))
               : addresses[step.addresses + lane];
  }
  std::uint64_t bytesOf(const WarpStep &step, unsigned lane) const {
    return step.bytes != 0 ? step.bytes : addresses[step.addresses + abi::kLanes + lane];
  }
};

} // namespace cupr::analysis

#endif
