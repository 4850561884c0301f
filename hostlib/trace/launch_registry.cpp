#include "launch_registry.h"

#include "devicelib/abi/standard_error.h"

#include <cstdio>

namespace cupr::trace {

std::optional<Module> ModuleRegistry::parse(std::span<const std::byte> siteTable) {
  std::string error;
  std::optional<Module> module = parseSiteTable(siteTable, error);
  if (!module)
    abi::say("cuprewrite: a device module is not traced: %s; rebuild the program so that "
             "all of it comes from one version of cuprewrite\n",
             error.c_str());
  return module;
}

LaunchTotals totalsOf(const LaunchEnd &said, const RecordCounts &recordCounts, const SiteWeights *weights) {
  LaunchTotals totals;
  totals.end = said;
  const LaunchEnd &end = totals.end;
  if (end.siteCounts && weights)
    std::erase_if(*totals.end.siteCounts, [&](const SiteCount &count) {
      return count.site < weights->size() && !(*weights)[count.site].isAccess();
    });
  std::uint64_t unknownMaps = 0;
  for (const auto &[site, boxes] : recordCounts.boxes) {
    unknownMaps += boxes.unknown;
    if (totals.end.siteCounts)
      for (SiteCount &count : *totals.end.siteCounts)
        if (count.site == site) // the device counts copies
          count.accesses += boxes.ranges - boxes.copies;
  }
  if (totals.end.siteCounts) // copies of what lies outside alone reach nothing
    std::erase_if(*totals.end.siteCounts, [](const SiteCount &count) { return count.accesses == 0; });
  totals.records = recordCounts.total().records;
  totals.words = recordCounts.total().words;
  totals.counts = recordCounts.counts;
  const auto incomplete = [&](std::string reason) {
    totals.end.complete = false;
    if (totals.end.reason.empty())
      totals.end.reason = std::move(reason);
  };
  if (recordCounts.malformedWords != 0)
    incomplete(std::to_string(recordCounts.malformedWords) + " words of records could not be read");
  else if (recordCounts.unknownSites != 0)
    incomplete(std::to_string(recordCounts.unknownSites) +
               " records name a site that the module has not got");
  else if (unknownMaps != 0)
    incomplete(
        std::to_string(unknownMaps) +
        " copies are by tensor maps that no call of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col has "
        "made as they are: where they lead is not known");
  else if (end.recordWords != totals.words)
    incomplete(std::to_string(end.recordWords) + " words of records were announced and " +
               std::to_string(totals.words) + " arrived");
  else if (const std::uint64_t accesses = recordCounts.total().accesses + end.dropped;
           end.siteCounts && end.countedAccesses() != accesses)
    incomplete("the device counted " + std::to_string(end.countedAccesses()) + " accesses, and " +
               std::to_string(accesses) + " were recorded or dropped");
  return totals;
}

} // namespace cupr::trace
