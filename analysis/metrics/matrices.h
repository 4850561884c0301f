/// Communication summed up for the eye: kernel to kernel, and CTA index to CTA index.
#ifndef CUPR_ANALYSIS_MATRICES_H
#define CUPR_ANALYSIS_MATRICES_H

#include "communication.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

/// Bytes from kernel to kernel, over all pairs of their launches.
struct KernelMatrix {
  /// As the user knows them, in the order of their first launch. The host comes first if it
  /// takes part; kernels beyond the limit are one last entry, "other kernels".
  std::vector<std::string> names;
  std::vector<std::uint64_t> bytes; ///< [source * names.size() + destination]
};

/// With at most `limit` kernels: those with the most traffic.
KernelMatrix kernelMatrix(const Model &model, const Communication &communication, std::size_t limit);

/// Bytes from writers' CTA index to readers' CTA index, over all pairs of launches. The
/// host has no index.
struct DensityMap {
  std::uint64_t ctas = 0; ///< 1 + the largest index that takes part
  std::uint64_t ctasPerCell = 1;
  std::size_t cells = 0;            ///< in each direction
  std::vector<std::uint64_t> bytes; ///< [source * cells + destination]
};

/// With at most `limit` cells in each direction.
DensityMap densityMap(const Communication &communication, std::size_t limit);

} // namespace cupr::analysis

#endif
