/// How far a thread's accesses at one place of the source lie from each other: what strides are to the lanes
/// of a warp, over time.
///
/// The distance is that from the thread's access before, of the same access of the source and the same launch;
/// the first has none. A CTA's records stand in the order in which it made the accesses. Distances above
/// kExactJump are rounded as jumps are (access_runs.h).
#ifndef CUPR_ANALYSIS_THREAD_STRIDES_H
#define CUPR_ANALYSIS_THREAD_STRIDES_H

#include "analysis/engine/communication.h"
#include "shown_part.h"

#include <cstdint>
#include <memory>

namespace cupr::analysis {

/// Accesses of global memory by threads.
struct ThreadStride {
  KernelSite place;       ///< an access of the source, as in Dependence
  bool backwards = false; ///< the address is lower than the one before
  std::uint64_t stride = 0;
  std::uint64_t accesses = 0, bytes = 0;

  bool before(const ThreadStride &other) const;
  void add(const ThreadStride &other) {
    accesses += other.accesses;
    bytes += other.bytes;
  }
  // For SumTable.
  bool isNone() const { return accesses == 0; }
  bool sameKey(const ThreadStride &other) const {
    return stride == other.stride && backwards == other.backwards && place == other.place;
  }
  std::uint64_t hash() const;
};

/// Of the launches and blocks that are shown, by place, direction and stride. Reads the trace once; memory is that of the launch with most warps and
/// accesses of the source. Throws BadTrace, and trace::TooMuch where a launch has too many.
std::unique_ptr<SortedSum<ThreadStride>> threadStrides(const Model &model, const ShownPart &shown = {});

} // namespace cupr::analysis

#endif
