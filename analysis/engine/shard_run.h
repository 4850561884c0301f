/// What a shard of memory is given of an access.
#ifndef CUPR_ANALYSIS_SHARD_RUN_H
#define CUPR_ANALYSIS_SHARD_RUN_H

#include "devicelib/abi/operation.h"
#include "ranges.h"

#include <algorithm>
#include <cstdint>

namespace cupr::analysis {

/// A run within one page, with all that a shard wants to know of it. One of a single element that is larger
/// than a page goes on in all pages of the shard up to its end.
struct ShardRun {
  std::uint64_t begin;
  std::uint64_t access; ///< number of an access with parts in other pages, or 0
  std::uint32_t cta;
  std::uint32_t shape;
  std::uint32_t elementBytes;
  std::uint16_t elements;
  std::uint8_t threads : 7; ///< of each element
  std::uint8_t startsRun
      : 1; ///< its first element is that of the run which it is a part of, or a part of that
  abi::OperationClass operation;
  Range range() const { return {begin, begin + std::uint64_t{elements} * elementBytes}; }
};

/// Bytes of a part of a run that are of its first element.
inline std::uint64_t firstBytes(const ShardRun &run, const Range &part) {
  const std::uint64_t end = std::min(part.end, run.begin + run.elementBytes);
  return run.startsRun && part.begin < end ? end - part.begin : 0;
}

} // namespace cupr::analysis

#endif
