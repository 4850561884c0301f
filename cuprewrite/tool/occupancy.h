/// Theoretical occupancy: how many of the warps that a multiprocessor can hold fit there.
///
/// The toolkit's own calculator (cuda_occupancy.h) computes it from the limits of the
/// architecture, so no GPU is needed.
#ifndef CUPR_TOOL_OCCUPANCY_H
#define CUPR_TOOL_OCCUPANCY_H

#include "kernel_figures.h"

#include <optional>
#include <string>

namespace cupr::tool {

/// The share of resident warps, 0 to 1, for blocks of `blockSize` threads without dynamic shared memory; 0
/// when not even one block fits. Nothing for architectures (sm_XX) whose limits are not known.
std::optional<double> occupancy(const std::string &architecture, const KernelFigures &kernel,
                                unsigned blockSize);

/// Shared memory that the system takes from each block.
unsigned reservedSharedBytes(const std::string &architecture);

} // namespace cupr::tool

#endif
