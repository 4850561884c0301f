/// Chrome's format: "Trace Event Format", documented with Chromium's catapult. Of it are used complete events ("X") and the names of
/// processes and threads ("M"). Times are microseconds, with fractions.
#include "latency_exports.h"

#include "analysis/output/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerSlice = 3000, kBytesPerTrack = 120;

class LatencyTimeline {
public:
  LatencyTimeline(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                  ByteSink &sink)
      : model_(model), samples_(model, selection), window_(window), sink_(sink) {
    if (samples_.launches() != 1)
      throw std::runtime_error(fmt::format("a timeline is of one launch, and {} timed ones are selected: "
                                           "choose one with --launch",
                                           samples_.launches()));
  }

  void write(Progress *progress) {
    samples_.forEachChunk(
        [&](const LaunchInfo &, std::size_t, const LatencySamplesOfChunk &chunk) {
          for (const LatencySample &sample : chunk.samples) {
            const auto [first, isNew] = firsts_.emplace(sample.sm, sample.start);
            if (!isNew)
              first->second = std::min(first->second, sample.start);
          }
        },
        nullptr);
    sink_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (const auto &[sm, first] : firsts_)
      name("process_name", sm, 0, fmt::format("multiprocessor {}", sm));
    samples_.forEachChunk(
        [&](const LaunchInfo &launch, std::size_t, const LatencySamplesOfChunk &chunk) {
          for (const LatencySample &sample : chunk.samples)
            slice(launch, sample);
        },
        progress);
    sink_.write("]}\n");
    sink_.finish();
  }

private:
  /// Slices on one track follow each other.
  struct Track {
    std::uint64_t number;
    std::uint64_t end; ///< of its last slice
  };

  void slice(const LaunchInfo &launch, const LatencySample &sample) {
    const std::uint64_t first = firsts_.at(sample.sm), start = sample.start - first,
                        end = sample.end() - first;
    if (start >= window_.to || end <= window_.from)
      return;
    model_.limit().spend(kStepsPerSlice, [&] { return launch.kernel + ": writing its timeline"; });
    const trace::Module &module = *model_.moduleOf(launch);
    const trace::Site &site = module.sites[sample.site];
    Json json;
    json.beginObject();
    json.field("ph", "X");
    json.field("name", fmt::format("{}:{} {}", module.strings[site.file], site.line,
                                   abi::operationName(site.operation)));
    json.field("pid", sample.sm).field("tid", trackOf(launch, sample, start, end).number);
    json.key("ts").json(microseconds(start)).key("dur").json(microseconds(end - start));
    json.key("args").beginObject();
    json.field("column", site.column).field("threads", unsigned{sample.threads});
    switch (latencyWidthOf(site)) {
    case LatencyWidth::None:
      break;
    case LatencyWidth::Sectors:
      json.field("sectors", sample.width);
      break;
    case LatencyWidth::Wavefronts:
      json.field("wavefronts", sample.width);
      break;
    }
    json.endObject().endObject();
    put(json.text());
  }

  Track &trackOf(const LaunchInfo &launch, const LatencySample &sample, std::uint64_t start,
                 std::uint64_t end) {
    std::vector<Track> &tracks = tracks_[{sample.sm, sample.cta << abi::kWarpBits | sample.warp}];
    auto track = std::ranges::find_if(tracks, [&](const Track &of) { return of.end <= start; });
    if (track == tracks.end()) {
      model_.limit().keep(kBytesPerTrack, [&] { return launch.kernel + ": the tracks of its timeline"; });
      const trace::Dim3 place = placeInGrid(launch.launch.grid, sample.cta);
      tracks.push_back({++count_, 0});
      track = std::prev(tracks.end());
      name("thread_name", sample.sm, count_,
           fmt::format("block {},{},{} warp {}{}", place.x, place.y, place.z, sample.warp,
                       tracks.size() == 1 ? "" : fmt::format(" ({})", tracks.size())));
    }
    track->end = end;
    return *track;
  }

  void name(const char *what, std::uint32_t sm, std::uint64_t track, const std::string &text) {
    Json json;
    json.beginObject();
    json.field("ph", "M").field("name", what).field("pid", sm);
    if (track != 0)
      json.field("tid", track);
    json.key("args").beginObject().field("name", text);
    json.endObject().endObject();
    put(json.text());
  }

  static std::string microseconds(std::uint64_t cycles) {
    return fmt::format("{}.{:03}", cycles / 1000, cycles % 1000);
  }

  void put(const std::string &event) {
    sink_.write(std::exchange(isFirst_, false) ? "\n" : ",\n");
    sink_.write(event);
  }

  const Model &model_;
  const LatencySamples samples_;
  const LatencyWindow window_;
  ByteSink &sink_;
  std::map<std::uint32_t, std::uint64_t> firsts_; ///< by multiprocessor: when its first access began
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Track>> tracks_; ///< by it, and the warp
  std::uint64_t count_ = 0;                                                      ///< of tracks
  bool isFirst_ = true;
};

} // namespace

void writeLatencyTimeline(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                          ByteSink &sink, Progress *progress) {
  LatencyTimeline(model, selection, window, sink).write(progress);
}

} // namespace cupr::analysis
