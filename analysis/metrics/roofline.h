/// What bounds the time of kernels and lines: the operations that they make, the bytes that they move at each level of memory, and how fast a
/// GPU can do either (S. Williams, A. Waterman, D. Patterson, Roofline, CACM 2009; by level: C. Yang, T. Kurth, S. Williams, 2020).
///
/// - *Operations* are those of the instruction mix (instruction_class.h), of the threads that were active.
/// - *Bytes* at L1, L2 and memory are sectors of global memory in the model of caches (engine/cache_model.h), at shared memory what its
///   instructions move.
/// - The *least time* is the longest of: operations of one precision at that precision's throughput, and bytes of one level at that level's
///   bandwidth. What takes it is the *limit*.
#ifndef CUPR_ANALYSIS_ROOFLINE_H
#define CUPR_ANALYSIS_ROOFLINE_H

#include "analysis/engine/cache_figures.h"
#include "analysis/engine/cache_geometry.h"
#include "ceilings.h"
#include "instruction_mix.h"
#include "plain_times.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cupr::analysis {

struct RooflineWork {
  ExecutedCount executed;
  std::map<std::string, std::uint64_t> operations; ///< by precision (ClassWork)
  std::uint64_t sharedBytes = 0, l1Bytes = 0, l2Bytes = 0, memoryBytes = 0;

  /// Of all precisions whose names begin so.
  std::uint64_t operationsOf(std::string_view precision) const;
  /// Of floating-point numbers, tensor cores among them.
  std::uint64_t floatingOperations() const;
  RooflineWork &operator+=(const RooflineWork &more);
};

/// By line, as the keys of InstructionMixes. `caches`: of its accesses.
std::map<AccessKey, RooflineWork> rooflineWork(const InstructionMixes &mixes,
                                               const std::map<AccessKey, CacheFigures> &caches);

struct RooflineBound {
  std::string limit; ///< "dram", "l2", "l1", "shared" or a precision
  double seconds = 0;
};

/// By kernel, its first launch.
using KernelTimes = std::map<LaunchIndex, std::uint64_t>;
/// What the traced launches of `model` would take untraced, in nanoseconds. Kernels are left out of which a launch has no time.
KernelTimes plainTimes(const Model &model, const LaunchSelection &selection, const PlainTimes &plain);

/// How a kernel's blocks fill a GPU, the mean over its traced launches.
struct KernelFill {
  double occupancy = 0;       ///< warps that are on a multiprocessor at a time, of as many as it can have
  double multiprocessors = 0; ///< share of them that have blocks, if all blocks take the same time
};
std::map<LaunchIndex, KernelFill> kernelFill(const Model &model, const LaunchSelection &selection,
                                             const CacheGeometry &geometry);

/// All that there is to say of the selected launches.
struct Roofline {
  const CacheGeometry *geometry = &defaultGeometry(); ///< of the caches that were modelled
  std::map<AccessKey, RooflineWork> lines;
  std::map<LaunchIndex, KernelFill> fill;
  KernelTimes times;
  std::optional<Ceilings> ceilings;

  /// None: no ceiling is known for what was done.
  std::optional<RooflineBound> boundOf(const RooflineWork &work) const;
  /// In nanoseconds; none: it is not known.
  std::optional<std::uint64_t> timeOf(LaunchIndex kernel) const;
  /// Instructions of a warp scheduler in each cycle; none: the time or the ceilings are not known.
  std::optional<double> issueRate(LaunchIndex kernel, const RooflineWork &work) const;
};

} // namespace cupr::analysis

#endif
