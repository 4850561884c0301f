/// What one warp record touches, as few runs: threads whose bytes lie one behind the other are one run,
/// threads with the same address one element of it. Metrics do a fixed amount of work for each run, so a
/// coalesced access costs as much as that of a single thread.
///
/// A *stride* is the distance from a thread's address to the next lower one of the same record: 0 where
/// threads share an address, the element's size inside a run, and the *jump* from the run before for a run's
/// first element. Jumps above kExactJump are rounded down to a power of two, so that random accesses have
/// few.
#ifndef CUPR_ANALYSIS_ACCESS_RUNS_H
#define CUPR_ANALYSIS_ACCESS_RUNS_H

#include "analysis/model/records.h"
#include "ranges.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace cupr::analysis {

/// `elements` elements of `elementBytes` bytes, one behind the other, each accessed by `threads` threads.
struct AccessRun {
  std::uint64_t begin = 0;
  std::uint64_t elementBytes = 0;
  std::uint32_t elements = 0, threads = 0;
  std::uint64_t jump = kNoJump; ///< from the last element of the run before
  static constexpr std::uint64_t kNoJump = UINT64_MAX;

  Range range() const { return accessRange(begin, elements * elementBytes); }
  std::uint64_t threadBytes() const { return std::uint64_t{elements} * elementBytes * threads; }
};

inline constexpr std::uint64_t kExactJump = 65536;
inline std::uint64_t roundedJump(std::uint64_t jump) {
  return jump <= kExactJump || jump == AccessRun::kNoJump ? jump : std::bit_floor(jump);
}

inline constexpr unsigned kSectorBytes = 32;

/// Takes records apart, one after the other.
class AccessRuns {
public:
  /// By ascending begin, with no empty ones; runs overlap only where threads access overlapping bytes. Valid
  /// until the next call.
  std::span<const AccessRun> of(const Record &record);

  /// Of the record's runs: distinct bytes, and distinct 32-byte sectors.
  static std::uint64_t distinctBytes(std::span<const AccessRun> runs);
  static std::uint64_t sectors(std::span<const AccessRun> runs);

private:
  // Each begins anew, and gives up, with false, where a record isn't of its kind.
  bool setAffine(const Record &record);
  bool setRows(const Record &record);
  bool setOfOneSize(const Record &record);
  void setOfAnySize(const Record &record);
  void add(std::uint64_t address, std::uint64_t bytes, std::uint32_t elements, std::uint32_t threads);

  std::array<AccessRun, abi::kLanes> runs_;
  unsigned count_ = 0;
};

} // namespace cupr::analysis

#endif
