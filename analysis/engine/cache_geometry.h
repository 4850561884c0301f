/// How large a GPU's caches are, and which blocks share them.
///
/// L1 and shared memory are one memory of each multiprocessor. Before a kernel starts, the driver sets aside for shared memory what the
/// blocks that fit on a multiprocessor need, and a part more; the rest is L1. How much it sets aside is not documented: kCarveOuts is what
/// an H100's driver chose for the kernels of test/bench/caches.
///
/// Sources: CUDA C++ Programming Guide, "Compute Capabilities" (what a multiprocessor has); NVIDIA's data sheets (L2).
#ifndef CUPR_ANALYSIS_CACHE_GEOMETRY_H
#define CUPR_ANALYSIS_CACHE_GEOMETRY_H

#include "hostlib/trace/events.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

struct CacheGeometry {
  std::string_view name; ///< what CUDA calls the device, or a part of it
  unsigned multiprocessors;
  // Of a multiprocessor.
  std::uint64_t chipBytes;   ///< L1 and shared memory together
  std::uint64_t sharedBytes; ///< at most of these
  unsigned warps, blocks;    ///< at most
  std::uint64_t l2Bytes;

  /// How many blocks of the launch are on a multiprocessor at a time; at least one. Registers count where they are known.
  unsigned residentBlocks(const trace::Launch &launch) const;
  std::uint64_t l1Bytes(const trace::Launch &launch) const;
};

/// Of the GPU whose name is in `device`; null: none is known.
const CacheGeometry *geometryOf(std::string_view device);
/// To be said then, with the names that there are.
std::string unknownGeometry(std::string_view device);
/// Where nothing else is known: an H100's.
const CacheGeometry &defaultGeometry();

} // namespace cupr::analysis

#endif
