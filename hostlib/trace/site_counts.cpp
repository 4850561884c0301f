#include "site_counts.h"

#include <map>

namespace cupr::trace {

std::vector<SiteDifference> differences(const std::vector<SiteCount> &counted, const SiteAccesses &recorded) {
  std::map<std::uint32_t, SiteDifference> bySite;
  for (const SiteCount &count : counted)
    bySite[count.site].counted = count.accesses;
  for (const auto &[site, accesses] : recorded)
    bySite[site].recorded = accesses;
  std::vector<SiteDifference> different;
  for (auto &[site, both] : bySite) {
    both.site = site;
    if (both.counted != both.recorded)
      different.push_back(both);
  }
  return different;
}

std::uint64_t accessesMissing(const std::vector<SiteDifference> &differences) {
  std::uint64_t missing = 0;
  for (const SiteDifference &difference : differences)
    missing += difference.isExcess() ? 0 : difference.counted - difference.recorded;
  return missing;
}

} // namespace cupr::trace
