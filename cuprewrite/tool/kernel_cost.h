/// What tracing costs each kernel on the multiprocessor: the plain variant beside the traced one.
#ifndef CUPR_TOOL_KERNEL_COST_H
#define CUPR_TOOL_KERNEL_COST_H

#include "kernel_figures.h"

#include <optional>
#include <string>
#include <vector>

namespace cupr::tool {

inline constexpr unsigned kAssumedBlockSize = 256; ///< where no launch bounds say otherwise

struct KernelCost {
  std::string source;
  std::string mangled;
  std::string name; ///< demangled, as the user wrote it: without the trace parameter
  std::string architecture;
  unsigned blockSize = kAssumedBlockSize;
  bool derived =
      false; ///< `traced` is the variant whose accesses are derived, which runs unless CUPR_DERIVE=off
  bool timed = false; ///< `traced` is the timed variant
  KernelFigures plain, traced;
  std::optional<double> plainOccupancy, tracedOccupancy; ///< 0 to 1

  /// Not those of one thread when it begins (register_limit.h).
  bool addsSpills() const {
    return !derived && (traced.spillStores > plain.spillStores || traced.spillLoads > plain.spillLoads);
  }
};

/// Brings each plain kernel together with its traced variant (CUPR_TRACED_PREFIX, or CUPR_DERIVED_PREFIX if there is one), which
/// stands in the same module, and with its timed one (CUPR_TIMED_PREFIX); kernels without such are left out.
std::vector<KernelCost> pairKernels(const std::string &source, const std::string &architecture,
                                    const std::vector<KernelFigures> &kernels);

/// An aligned table, before and after in each cell.
std::string costTable(const std::vector<KernelCost> &kernels);
std::string costJson(const std::vector<KernelCost> &kernels);

} // namespace cupr::tool

#endif
