/// Chrome's format: "Trace Event Format", documented with Chromium's catapult. Of it are used complete events ("X") and the names of
/// processes and threads ("M"). Times are microseconds, with fractions.
#include "latency_exports.h"
#include "latency_tracks.h"

#include "analysis/output/json.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kBytesPerTrack = 120;

class LatencyTimeline {
public:
  explicit LatencyTimeline(ByteSink &sink) : sink_(sink) {}

  void write(LatencyTracks &tracks, Progress *progress) {
    sink_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (const auto &[sm, first] : tracks.multiprocessors())
      name("process_name", sm, 0, fmt::format("multiprocessor {}", sm));
    tracks.forEach([&](const LatencySlice &of) { slice(of); }, progress);
    sink_.write("]}\n");
    sink_.finish();
  }

private:
  void slice(const LatencySlice &of) {
    if (of.isFirst)
      name("thread_name", of.sample.sm, of.track, of.trackName());
    Json json;
    json.beginObject();
    json.field("ph", "X");
    json.field("name", of.name());
    json.field("pid", of.sample.sm).field("tid", of.track);
    json.key("ts").json(microseconds(of.start)).key("dur").json(microseconds(of.end - of.start));
    json.key("args").beginObject();
    json.field("column", of.site.column).field("threads", unsigned{of.sample.threads});
    switch (latencyWidthOf(of.site)) {
    case LatencyWidth::None:
      break;
    case LatencyWidth::Sectors:
      json.field("sectors", of.sample.width);
      break;
    case LatencyWidth::Wavefronts:
      json.field("wavefronts", of.sample.width);
      break;
    }
    json.endObject().endObject();
    put(json.text());
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

  ByteSink &sink_;
  bool isFirst_ = true;
};

} // namespace

void writeLatencyTimeline(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                          ByteSink &sink, Progress *progress) {
  LatencyTracks tracks(model, selection, window, kBytesPerTrack);
  LatencyTimeline(sink).write(tracks, progress);
}

} // namespace cupr::analysis
