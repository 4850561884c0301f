/// Launches that ended with an error.
///
/// A GPU that has stopped says it of all launches that were on their way; the CPU device, of the one whose it is.
#ifndef CUPR_ANALYSIS_FAILED_KERNELS_H
#define CUPR_ANALYSIS_FAILED_KERNELS_H

#include "fault.h"

#include <cstddef>
#include <vector>

namespace cupr::analysis {

class FailedKernels {
public:
  /// The model outlives it.
  explicit FailedKernels(const Model &model) : model_(model) {}

  void add(LaunchIndex launch) { launches_.push_back(launch); }
  std::size_t size() const { return launches_.size(); }
  /// Whether it certainly ended at an address that is nobody's.
  bool isByAddress(const LaunchInfo &launch) const;
  /// Adds to `told` a fault for each, from `first` on, of which nothing that was found says why it failed.
  void tell(const std::vector<Fault> &found, std::size_t first, std::vector<Fault> &told) const;

private:
  bool areOnGpu() const { return model_.header().process.deviceKind == "gpu"; }

  const Model &model_;
  std::vector<LaunchIndex> launches_;
};

} // namespace cupr::analysis

#endif
