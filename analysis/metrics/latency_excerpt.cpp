#include "latency_excerpt.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cupr::analysis {

void ExcerptTaker::add(const LatencySample &sample, std::uint32_t site) {
  ++excerpt_.samples;
  const auto [at, isNew] = processors_.try_emplace(sample.sm);
  Multiprocessor &of = at->second;
  if (isNew && shown_ < LatencyExcerpt::kMostMultiprocessors) {
    of.isShown = true;
    ++shown_;
  }
  of.first = std::min(of.first, sample.start);
  if (!of.isShown)
    return;
  const std::pair<std::uint64_t, std::uint32_t> place(sample.cta, sample.warp);
  if (of.warps.size() >= LatencyExcerpt::kMostWarps && !of.warps.contains(place))
    return;
  Warp &warp = of.warps[place];
  if (warp.slices.size() < LatencyExcerpt::kMostSlices)
    warp.slices.push_back({sample.start, sample.duration, site});
  else
    warp.leftOut = std::min(warp.leftOut, sample.start);
}

LatencyExcerpt ExcerptTaker::finish(std::uint64_t warps) {
  excerpt_.warps = warps;
  excerpt_.processors = processors_.size();
  for (const auto &[sm, of] : processors_)
    for (const auto &[place, warp] : of.warps)
      if (warp.leftOut != UINT64_MAX)
        excerpt_.end = std::min(excerpt_.end.value_or(UINT64_MAX), warp.leftOut - of.first);
  for (auto &[sm, of] : processors_)
    for (auto &[place, warp] : of.warps) {
      for (LatencyExcerpt::Slice &slice : warp.slices)
        slice.start -= of.first;
      if (excerpt_.end)
        std::erase_if(warp.slices,
                      [&](const LatencyExcerpt::Slice &slice) { return slice.start >= *excerpt_.end; });
      std::ranges::sort(warp.slices, {}, [](const LatencyExcerpt::Slice &slice) {
        return std::tuple(slice.start, slice.duration, slice.access);
      });
      if (!warp.slices.empty())
        excerpt_.tracks.push_back({sm, place.first, place.second, std::move(warp.slices)});
    }
  std::ranges::sort(excerpt_.tracks, {}, [](const LatencyExcerpt::Track &track) {
    return std::tuple(track.sm, track.slices.front().start, track.cta, track.warp);
  });
  return std::move(excerpt_);
}

} // namespace cupr::analysis
