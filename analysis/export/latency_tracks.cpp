#include "latency_tracks.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerSlice = 3000;

} // namespace

std::string LatencySlice::name() const {
  return fmt::format("{}:{} {}", module.strings[site.file], site.line, abi::operationName(site.operation));
}

std::string LatencySlice::trackName() const {
  const trace::Dim3 place = placeInGrid(launch.launch.grid, sample.cta);
  return fmt::format("block {},{},{} warp {}{}", place.x, place.y, place.z, sample.warp,
                     beside == 0 ? "" : fmt::format(" ({})", beside + 1));
}

LatencyTracks::LatencyTracks(const Model &model, const LatencySelection &selection,
                             const LatencyWindow &window, std::uint64_t bytesPerTrack)
    : model_(model), samples_(model, selection), window_(window), bytesPerTrack_(bytesPerTrack) {
  if (samples_.launches() != 1)
    throw std::runtime_error(fmt::format("a timeline is of one launch, and {} timed ones are selected: "
                                         "choose one with --launch",
                                         samples_.launches()));
  samples_.forEachChunk(
      [&](const LaunchInfo &, std::size_t, const LatencySamplesOfChunk &chunk) {
        for (const LatencySample &sample : chunk.samples) {
          const auto [first, isNew] = firsts_.emplace(sample.sm, sample.start);
          if (!isNew)
            first->second = std::min(first->second, sample.start);
        }
      },
      nullptr);
}

void LatencyTracks::forEach(const std::function<void(const LatencySlice &)> &visit, Progress *progress) {
  const auto place = [&](const LaunchInfo &launch, const LatencySample &sample) {
    const std::uint64_t first = firsts_.at(sample.sm), start = sample.start - first,
                        end = sample.end() - first;
    if (start >= window_.to || end <= window_.from)
      return;
    const auto what = [&] { return launch.kernel + ": writing its timeline"; };
    model_.limit().spend(kStepsPerSlice, what);
    std::vector<Track> &tracks = tracks_[{sample.sm, sample.cta << abi::kWarpBits | sample.warp}];
    auto track = std::ranges::find_if(tracks, [&](const Track &of) { return of.end <= start; });
    const bool isFirst = track == tracks.end();
    if (isFirst) {
      model_.limit().keep(bytesPerTrack_, what);
      track = tracks.insert(tracks.end(), {++count_, 0});
    }
    track->end = end;
    const trace::Module &module = *model_.moduleOf(launch);
    visit({track->number, isFirst, static_cast<std::size_t>(std::distance(tracks.begin(), track)), start, end,
           launch, module, module.sites[sample.site], sample});
  };
  samples_.forEachChunk(
      [&](const LaunchInfo &launch, std::size_t, const LatencySamplesOfChunk &chunk) {
        for (const LatencySample &sample : chunk.samples)
          place(launch, sample);
      },
      progress);
}

} // namespace cupr::analysis
