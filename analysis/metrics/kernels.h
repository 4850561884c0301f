/// Launches by kernel: volumes of each, in all and by superstep, and what kernels hand each other (Rieber 2017,
/// section 6.3.1).
#ifndef CUPR_ANALYSIS_KERNELS_H
#define CUPR_ANALYSIS_KERNELS_H

#include "analysis/engine/communication.h"
#include "shown_part.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupr::analysis {

struct KernelVolume {
  std::string kernel;
  std::uint32_t superstep = 0; ///< of those by superstep
  std::uint64_t launches = 0;
  std::uint64_t time = 0; ///< sum of LaunchInfo::deviceTime
  trace::Counts counts;
  LaunchVolume volume;
};

/// Of the launches that are shown. In the order of their first launch. Phases of a launch count as one.
std::vector<KernelVolume> kernelVolumes(const Model &model, const Communication &communication,
                                        const ShownPart &shown);
/// By name, then superstep. Phases of a launch count for themselves.
std::vector<KernelVolume> kernelStepVolumes(const Model &model, const Communication &communication,
                                            const ShownPart &shown);

/// Sums of Communication::pairs that a shown launch has part in.
struct KernelMatrix {
  struct Cell {
    std::uint64_t bytes = 0, operations = 0;
    std::map<std::uint32_t, std::uint64_t> supersteps; ///< of the reader -> bytes; none of the host's
  };
  std::vector<std::string>
      names; ///< "host" first, if it takes part; then kernels that are shown, or share a pair with one
  std::map<std::pair<std::size_t, std::size_t>, Cell> cells; ///< (source, destination), as names
};
KernelMatrix kernelMatrix(const Model &model, const Communication &communication, const ShownPart &shown);

} // namespace cupr::analysis

#endif
