/// Which call of the source made a copy or a set: those that one call makes again and again are one place, as accesses of one line are.
#ifndef CUPR_ANALYSIS_CALL_PLACES_H
#define CUPR_ANALYSIS_CALL_PLACES_H

#include "analysis/model/host_paths.h"
#include "analysis/model/ordering.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cupr::analysis {

/// One thread.
class CallPlaces {
public:
  /// Both outlive it, and may grow.
  CallPlaces(const Model &model, const Ordering &ordering) : model_(model), ordering_(ordering) {}

  /// The node of the call's path; nothing: it is not known.
  std::optional<std::uint32_t> nodeOf(Act act);

private:
  const Model &model_;
  const Ordering &ordering_;
  std::optional<HostPaths> paths_; ///< of so many calls
  std::size_t calls_ = 0;
};

} // namespace cupr::analysis

#endif
