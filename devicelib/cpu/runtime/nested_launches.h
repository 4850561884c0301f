/// Launches that kernels make: what device code calls for them (cuda_device_runtime_api.h), and what is to run when the launching
/// grid has.
///
/// A kernel can't wait for what it launches (CUDA programming guide, "CUDA Dynamic Parallelism"): so it runs when all blocks of the launching grid
/// have ended, in the order of these blocks and, of each block, in that of its launches, which is one that every stream allows. Those of the stream
/// for tail launches come last. What launches a kernel is over when these are.
#ifndef CUPR_CPU_NESTED_LAUNCHES_H
#define CUPR_CPU_NESTED_LAUNCHES_H

#include "block.h"

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cupr::cpu {

/// A launch, with the arguments that are its own.
class NestedLaunch {
public:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  /// As the kernel's parameters lie in memory; from NestedParameters.
  using Parameters = std::unique_ptr<void, Free>;

  NestedLaunch(const abi::CpuKernel &kernel, Dim3 grid, Dim3 block, std::uint32_t dynamicSharedBytes,
               Parameters parameters, bool isTail);

  /// Of a launch for the same device as `launching`. Refers to this object.
  LaunchShape shape(const LaunchShape &launching);
  bool isTail() const { return isTail_; }

private:
  const abi::CpuKernel *kernel_;
  Dim3 grid_, block_;
  std::uint32_t dynamicSharedBytes_;
  Parameters parameters_;
  std::vector<void *> arguments_;
  bool isTail_;
};

/// Those that the running grid has made so far. Its blocks add to it at the same time.
class NestedLaunches {
public:
  /// A thread of the grid: of which block, and its number there.
  using Thread = std::pair<std::uint64_t, unsigned>;

  void add(std::uint64_t cta, NestedLaunch launch);
  /// All, in the order in which they are to run; none are left, and no errors.
  std::vector<NestedLaunch> take();
  /// The last of the thread's launches that failed did with this cudaError_t. Whether it is the grid's first.
  bool setError(Thread thread, std::uint32_t error);
  /// 0: none has, since it was last asked with `clears`.
  std::uint32_t error(Thread thread, bool clears);

private:
  struct Made {
    std::uint64_t cta, number;
    NestedLaunch launch;
  };
  std::mutex mutex_;
  std::vector<Made> made_;
  std::map<Thread, std::uint32_t> errors_;
  bool hasFailed_ = false; ///< a launch of the running grid
};

} // namespace cupr::cpu

#endif
