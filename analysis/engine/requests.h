/// What the machine makes of a warp's access: requests, and the sectors that each of them touches.
///
/// A request is one instruction of a warp. Instructions move 1, 2, 4, 8 or 16 bytes for each thread, from
/// addresses that are multiples of that. An access that is none of these (a structure that is copied whole, a
/// vector that is less aligned than its size) is made of several: its *parts*, one behind the other, each as
/// large as its limit and what is left of the access allow. The limit is what the pass has written into the
/// site (abi::kSitePartShift); where it hasn't, the largest of the five that all addresses of the record are
/// multiples of. A copy by the machine's copy engine (cp.async.bulk), and an access of more than kMostSplit
/// bytes, is one request.
///
/// Source: CUDA C++ Programming Guide, "Device Memory Accesses": size and alignment requirement.
#ifndef CUPR_ANALYSIS_REQUESTS_H
#define CUPR_ANALYSIS_REQUESTS_H

#include "access_runs.h"

#include <bit>
#include <cstdint>
#include <span>

namespace cupr::analysis {

struct RequestFigures {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0; ///< distinct 32-byte sectors of each request, summed
  /// What they would be if the distinct bytes of each request lay side by side from the start of a sector.
  std::uint64_t leastSectors = 0;
  void add(const RequestFigures &other, std::uint64_t times = 1) {
    requests += other.requests * times;
    sectors += other.sectors * times;
    leastSectors += other.leastSectors * times;
  }
  friend bool operator==(const RequestFigures &, const RequestFigures &) = default;
};

inline constexpr std::uint64_t kMostSplit = 4096;

/// The largest part of an access of this site; 0: it is made whole, whatever its size.
std::uint64_t largestPart(const Record &record);
/// The size of the next part, where so much of the access is left.
std::uint64_t nextPart(std::uint64_t largest, std::uint64_t left);

/// Whether an access of so many bytes is one request, with parts of at most `largest`.
inline bool isOneRequest(std::uint64_t bytes, std::uint64_t largest) {
  return largest == 0 || bytes == 0 || (std::has_single_bit(bytes) && bytes <= largest);
}

/// `runs` are the record's.
RequestFigures requestsOf(const Record &record, std::span<const AccessRun> runs);

/// Of a record of local memory, whose words of 4 bytes lie thread by thread: word n of all threads of a warp is one row of 128 bytes.
/// `leastSectors` are what the same threads would have if all were at one place of their memory.
/// Source: CUDA C++ Programming Guide, "Device Memory Accesses", local memory.
RequestFigures localRequestsOf(const Record &record);

} // namespace cupr::analysis

#endif
