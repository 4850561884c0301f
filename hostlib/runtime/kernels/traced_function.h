/// The traced variant of a kernel on a GPU.
///
/// The program knows the plain kernel K only: its attributes and occupancy are what the program
/// asks about, so that grids derived from them stay as they were. The traced variant lies beside K in the
/// same module; it is found by name and launched through the driver, with the attributes that the
/// program has set on K.
///
/// Threads: all from any thread.
#ifndef CUPR_RUNTIME_TRACED_FUNCTION_H
#define CUPR_RUNTIME_TRACED_FUNCTION_H

#include "hostlib/runtime/driver/driver.h"
#include "kernel_table.h"
#include "launch_request.h"

#include <atomic>
#include <string>
#include <vector>

namespace cupr::host {

struct TracedFunction {
  CUfunction plain = nullptr, traced = nullptr;
  CUfunction derived = nullptr;              ///< records its blocks alone (abi/slice.h); null: there is none
  CUfunction timed = nullptr;                ///< records how long accesses take; null: there is none
  std::vector<std::uint64_t> sliceVariables; ///< addresses of variables that the kernel's slice needs
  std::vector<std::size_t> parameterBytes;   ///< of the plain one
  KernelResources resources;                 ///< of the plain one
  int plainThreads = 0, tracedThreads = 0, derivedThreads = 0,
      timedThreads = 0; ///< the largest block, by the registers that each needs
  /// A launch of it has been described, and the variables of its module announced with that. Relaxed: who doesn't see it yet describes
  /// its own launch first, too.
  mutable std::atomic<bool> isDescribed{false};

  /// Whether the timed variant can run in the launch's shape.
  bool canTime(const LaunchRequest &request) const;
  /// The variant that such a launch runs.
  CUfunction variantFor(const trace::Launch &launch) const;
};

/// Variants that will do instead of the traced one, if the kernel has them.
struct WantedVariants {
  bool derived = false, timed = false;
};

/// The variants of this launch's kernel in the current context; null, and why, when neither the traced one nor one of those that are
/// wanted can run in the launch's shape.
const TracedFunction *findTracedFunction(const LaunchRequest &request, const Kernel &kernel,
                                         const WantedVariants &wanted, std::string &reason);

/// Launches `variant`, one of those of `function`.
CUresult launchTraced(const TracedFunction &function, CUfunction variant, const LaunchRequest &request,
                      void **arguments);

/// What the program has set on the plain kernel counts for its variants, too.
void copyAttributes(const TracedFunction &function, CUfunction variant);

/// The contexts are about to go.
void forgetTracedFunctions();

} // namespace cupr::host

#endif
