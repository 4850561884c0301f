#include "lost_cycles.h"

#include "source_accesses.h"

#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace cupr::analysis {

namespace {

/// As findings tell accesses apart, and in what memory.
using Place = std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string_view, abi::MemorySpace>;

struct Sum {
  double cycles = 0, squaredErrors = 0;
  std::uint64_t samples = 0; ///< that are known of
  bool hasFew = false;       ///< a part has too few samples
};

void add(Sum &sum, const LatencyOfAccess &of) {
  const PatternCost &cost = of.pattern;
  if (cost.reference == PatternCost::Reference::None && of.width != of.leastWidth)
    return; // nothing to compare with
  sum.samples += of.durations.moments.samples;
  if (cost.samples == 0)
    return;
  sum.cycles += cost.cycles;
  sum.hasFew |= !cost.error;
  sum.squaredErrors += cost.error.value_or(0) * cost.error.value_or(0);
}

} // namespace

void setLostCycles(std::vector<Finding> &findings, const LatencyFigures &latency) {
  std::map<Place, Sum> sums;
  for (const auto &[key, of] : latency.accesses)
    if (key.access.line != 0)
      add(sums[{key.access.file, key.access.line, key.access.column,
                operationName(abi::operationClass(key.access.operation)), key.space}],
          of);
  for (Finding &finding : findings) {
    if (!isOfWidth(finding.rule))
      continue;
    const auto found = sums.find(
        {finding.file, finding.line, finding.column, finding.operation,
         finding.rule == FindingRule::BankConflict ? abi::MemorySpace::Shared : abi::MemorySpace::Global});
    if (found == sums.end() || found->second.samples == 0 || found->second.hasFew)
      continue;
    const Sum &sum = found->second;
    finding.lost = {sum.cycles, std::sqrt(sum.squaredErrors), partOf(sum.samples, finding.warpAccesses)};
  }
}

} // namespace cupr::analysis
