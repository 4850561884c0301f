/// Which accesses of a program find their data in a GPU's caches: a model of L1 and L2, from a trace alone.
///
/// A trace says what each warp accessed, and mostly on which multiprocessor its block ran; not when. So launches are run once more, one
/// after the other: each multiprocessor has its blocks in the order in which they began, as many at a time as fit
/// (cache_geometry.h), and their warps take turns (cached_multiprocessor.h). What L1 does not have goes to L2, from all
/// multiprocessors in the order of the turns. L1 is empty when a launch begins; L2 keeps what the launch before left there. Memory is read
/// 64 bytes at a time, and what is on its way to a multiprocessor's warp is, to its other warps of the same turn, a miss in L2.
///
/// Of a trace of the CPU device, the GPU is chosen, and block b runs on multiprocessor b modulo their number.
///
/// Not in the model: accesses of other kernels at the same time, copies and sets of the host (they leave L2 as it is), cache hints of
/// single instructions, that L2 has two halves, and accesses that weren't recorded. How near it comes to the hardware's counters:
/// docs/gpu-results.md.
///
/// Memory: 16 bytes and more for each recorded access of a warp in the largest launch; those that are derived are made when they are
/// needed.
#ifndef CUPR_ANALYSIS_CACHE_MODEL_H
#define CUPR_ANALYSIS_CACHE_MODEL_H

#include "analysis/model/launch_selection.h"
#include "cache_figures.h"
#include "cache_geometry.h"
#include "cache_reuse.h"
#include "communication.h"

#include <cstdint>
#include <map>

namespace cupr::analysis {

class Progress;

struct CacheOptions {
  LaunchSelection launches{};
  bool cold = false;  ///< L2 is empty, too, when a launch begins
  bool reuse = false; ///< at which distances lines are used again, and pages
  Progress *progress = nullptr;
};

struct CacheUse {
  std::map<KernelSite, CacheFigures> sites;
  std::map<std::uint32_t, CacheFigures>
      allocations; ///< by index in the model; its size: memory that is in none
  // Likewise, if it was asked for.
  std::map<KernelSite, CacheReuse> siteReuse;
  std::map<std::uint32_t, CacheReuse> allocationReuse;
};

/// Throws BadTrace, trace::TooMuch.
CacheUse cacheUse(const Model &model, const CacheGeometry &geometry, const CacheOptions &options = {});

} // namespace cupr::analysis

#endif
