/// Timed launches over time.
#include "members.h"

namespace cupr::analysis {

namespace {

template <typename Get>
void numbers(Json &json, std::string_view key, const LatencyExcerpt::Track &track, Get get) {
  json.key(key).beginArray();
  for (const LatencyExcerpt::Slice &slice : track.slices)
    json.value(get(slice));
  json.endArray();
}

} // namespace

void latencyExcerpts(ResultsWriter &to) {
  Json &json = to.json;
  json.key("latencyExcerpts").beginArray();
  for (const LatencyExcerpt &excerpt : to.source.results.latency.excerpts) {
    const LaunchInfo &launch = to.source.model.launches()[excerpt.launch];
    json.beginObject().field("launch", to.source.idOf(excerpt.launch)).field("kernel", launch.kernel);
    json.key("end");
    if (excerpt.end)
      json.value(*excerpt.end);
    else
      json.null();
    json.field("samples", excerpt.samples)
        .field("warps", excerpt.warps)
        .field("multiprocessors", excerpt.processors);
    json.key("tracks").beginArray();
    for (const LatencyExcerpt::Track &track : excerpt.tracks) {
      const trace::Dim3 block = placeInGrid(launch.launch.grid, track.cta);
      json.beginObject().field("sm", track.sm);
      json.key("block").beginArray().value(block.x).value(block.y).value(block.z).endArray();
      json.field("warp", track.warp);
      numbers(json, "starts", track, [](const LatencyExcerpt::Slice &slice) { return slice.start; });
      numbers(json, "durations", track, [](const LatencyExcerpt::Slice &slice) { return slice.duration; });
      numbers(json, "accesses", track, [](const LatencyExcerpt::Slice &slice) { return slice.access; });
      json.endObject();
    }
    json.endArray().endObject();
    to.putWhenLarge();
  }
  json.endArray();
}

} // namespace cupr::analysis
