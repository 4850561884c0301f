#include "derived_launch.h"

#include <algorithm>

namespace cupr::trace {

namespace {

unsigned __int128 volume(const Dim3 &dim) { return static_cast<unsigned __int128>(dim.x) * dim.y * dim.z; }

} // namespace

std::string brokenDerivationRule(const Launch &launch, const Module *module) {
  if (!launch.isDerived())
    return {};
  if (!module || launch.slice >= module->slices.size())
    return "a launch names a slice that is not there";
  if (launch.sliceValues.size() != module->slices[launch.slice].launchInputs())
    return "a launch must have a value for each input of its slice";
  if (volume(launch.block) > kMaxDerivedThreads)
    return "a launch with a slice must not have more than 1024 threads in a block";
  return {};
}

std::uint64_t blocksOf(const Dim3 &grid) {
  return static_cast<std::uint64_t>(std::min<unsigned __int128>(volume(grid), UINT64_MAX));
}

std::uint64_t selectedBlocks(const Launch &launch) {
  const std::uint64_t blocks = blocksOf(launch.grid);
  const std::uint64_t end = std::min(blocks, launch.ctas.end), period = launch.ctas.period;
  const auto below = [&](std::uint64_t limit) { return limit / period + (limit % period != 0); };
  return launch.ctas.first < end ? below(end) - below(launch.ctas.first) : 0;
}

} // namespace cupr::trace
