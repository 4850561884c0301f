/// How the threads of one request lie to each other in memory: what its sectors are spent on.
///
/// Threads of a block are numbered along x first, so a warp is a piece of a row of the block, or several rows. A request is *regular*
/// where threads that are neighbours in a row are `stride` bytes apart, and rows `pitch` bytes. What is not regular may still be made of
/// a few pieces without gaps, as where a row of an array ends; all else is scattered.
///
/// Only a request with more sectors than its bytes need (RequestFigures), or with bank conflicts, has a pattern other than Packed.
#ifndef CUPR_ANALYSIS_REQUEST_PATTERN_H
#define CUPR_ANALYSIS_REQUEST_PATTERN_H

#include "bank_wavefronts.h"
#include "requests.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

namespace cupr::analysis {

enum class PatternKind : std::uint8_t {
#define CUPR_PATTERN(enumerator, name, what) enumerator,
#include "request_pattern.def"
};
const char *patternName(PatternKind kind);

struct RequestPattern {
  PatternKind kind = PatternKind::Packed;
  /// Strided, Structures, Rows: bytes from thread to thread along x; 0 also where no two are of one row; else 0.
  std::int64_t stride = 0;
  /// Strided, Structures, Rows: bytes from row to row of the block; 0: the threads are of one row, or lie in no such way.
  std::int64_t pitch = 0;
  /// Of requests of shared memory: threads of a row, if it is regular; else 0.
  std::uint32_t width = 0;
  friend auto operator<=>(const RequestPattern &, const RequestPattern &) = default;
};

/// How the threads of a request lie to each other, if they do in a regular way: `stride` and `pitch` as in RequestPattern. None of single
/// threads, and of ranges.
struct RequestPlane {
  std::optional<std::int64_t> stride; ///< none: of each row of the block, one thread accesses at most
  std::int64_t pitch = 0;
  std::uint32_t width = 0; ///< threads of a row
};
std::optional<RequestPlane> planeOf(const abi::WarpAccess &access, std::uint32_t blockWidth);

/// `runs` and `figures` are the record's; `blockWidth` is blockDim.x.
RequestPattern patternOf(const Record &record, std::span<const AccessRun> runs, const RequestFigures &figures,
                         std::uint32_t blockWidth);
/// Of a request of shared memory: Packed without conflicts, Strided where neighbours lie further apart than their bytes, Rows where they don't, and
/// Scattered.
RequestPattern patternOf(const Record &record, const BankFigures &figures, std::uint32_t blockWidth);

} // namespace cupr::analysis

#endif
