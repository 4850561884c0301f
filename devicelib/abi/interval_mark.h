/// How the intervals of timed accesses are found again in machine code: the pass compares with these numbers right in front of the
/// clocks (cuprewrite/pass/access_timing.h), and the assembler's output is searched for them (cuprewrite/tool/latency_audit.h).
///
/// As a float such a number is a NaN that no arithmetic makes, as an integer one a little below -3 million.
#ifndef CUPR_ABI_INTERVAL_MARK_H
#define CUPR_ABI_INTERVAL_MARK_H

#include <cstdint>

namespace cupr {
namespace abi {

constexpr std::uint32_t kIntervalMark = 0xffc00000u;
/// Of a module; those beyond are not timed.
constexpr std::uint32_t kMostIntervals = (1u << 19) - 1;

constexpr std::uint32_t beginMark(std::uint32_t interval) { return kIntervalMark | interval << 1; }
constexpr std::uint32_t endMark(std::uint32_t interval) { return kIntervalMark | interval << 1 | 1; }
/// The interval of a mark; 0: it is none.
constexpr std::uint32_t intervalOf(std::uint32_t mark) {
  return (mark & ~(kMostIntervals << 1 | 1)) == kIntervalMark ? (mark & (kMostIntervals << 1 | 1)) >> 1 : 0;
}

/// What the second clock of an interval waits for. The pass tells in a list, a line for each interval: its number, the wait's number, and
/// the place of the access, with tabs between.
enum class IntervalWait : std::uint8_t { Nothing, Value, Fence, Both, Copies };
constexpr unsigned kIntervalWaits = 5;

} // namespace abi
} // namespace cupr

#endif
