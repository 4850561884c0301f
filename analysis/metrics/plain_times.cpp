#include "plain_times.h"

#include "analysis/engine/program_places.h"

#include <set>

namespace cupr::analysis {

PlainTimes::PlainTimes(const Model &timed) {
  for (const LaunchInfo &launch : timed.launches())
    if (const auto time = launch.deviceTime(); time && !launch.launch.traced) {
      Sum &of = byShape_[shapeOf(launch)];
      ++of.launches;
      of.nanoseconds += *time;
    }
}

PlainTimes::Shape PlainTimes::shapeOf(const LaunchInfo &info) {
  const trace::Launch &launch = info.launch;
  return {info.kernel,
          {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z},
          launch.dynamicShared};
}

std::optional<std::uint64_t> PlainTimes::of(const LaunchInfo &launch) const {
  const auto known = byShape_.find(shapeOf(launch));
  if (known == byShape_.end())
    return std::nullopt;
  return known->second.nanoseconds / known->second.launches;
}

std::map<LaunchIndex, Slowdown> slowdowns(const Model &model, const LaunchSelection &selection,
                                          const PlainTimes &plain) {
  std::map<LaunchIndex, Slowdown> found;
  std::set<LaunchIndex> unknown;
  for (const auto &[kernel, place] : tracedLaunches(model, selection)) {
    const LaunchInfo &launch = model.launches()[place];
    if (launch.launch.timed == abi::LatencyScheme::None)
      continue;
    const auto took = launch.deviceTime(), takes = plain.of(launch);
    if (!took || !takes || *takes == 0) {
      unknown.insert(kernel);
      continue;
    }
    Slowdown &of = found[kernel];
    ++of.launches;
    of.timed += *took;
    of.plain += *takes;
  }
  for (const LaunchIndex kernel : unknown)
    found.erase(kernel);
  return found;
}

} // namespace cupr::analysis
