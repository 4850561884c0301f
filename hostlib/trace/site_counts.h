/// What the device has counted of a launch (CUPR_COUNT), beside what is recorded of it.
#ifndef CUPR_TRACE_SITE_COUNTS_H
#define CUPR_TRACE_SITE_COUNTS_H

#include "events.h"
#include "recount.h"

#include <vector>

namespace cupr::trace {

/// A site of whose accesses not as many are recorded as were counted.
struct SiteDifference {
  std::uint32_t site = 0;
  std::uint64_t counted = 0;
  std::uint64_t recorded = 0;

  /// No loss of records explains that.
  bool isExcess() const { return recorded > counted; }
};

/// By ascending site. What is missing in all must be what was dropped; excess is wrong in any case.
std::vector<SiteDifference> differences(const std::vector<SiteCount> &counted, const SiteAccesses &recorded);

/// Accesses that are counted and not recorded.
std::uint64_t accessesMissing(const std::vector<SiteDifference> &differences);

} // namespace cupr::trace

#endif
