/// Fields that stand in several members.
#include "writer.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

/// Strides beyond this number of different ones are one entry.
constexpr std::size_t kMostStrides = 64;

} // namespace

ResultsWriter::ResultsWriter(const Model &model, const Results &results,
                             const std::function<void(std::string_view)> &write)
    : model(model), results(results), communication(results.communication), write(write) {
  for (const LaunchInfo &launch : model.launches())
    if (kernelIndex.emplace(launch.kernel, kernels.size()).second)
      kernels.push_back(launch.kernel);
}

void ResultsWriter::launchOrHost(const char *key, LaunchIndex launch) {
  json.key(key);
  if (launch == kHost)
    json.value("host");
  else
    json.value(idOf(launch));
}

void countFields(Json &json, const trace::Counts &counts) {
  json.field("loads", counts.loads).field("stores", counts.stores).field("atomics", counts.atomics);
  json.field("loadBytes", counts.loadBytes).field("storeBytes", counts.storeBytes);
  json.field("atomicBytes", counts.atomicBytes);
}

void ResultsWriter::launchVolume(const LaunchVolume &volume) {
  json.field("uniqueReadBytes", volume.uniqueRead).field("uniqueWrittenBytes", volume.uniqueWritten);
  json.field("readFromLaunchesBytes", volume.readFromLaunches)
      .field("readFromHostBytes", volume.readFromHost);
  json.field("readByLaunchesBytes", volume.readByLaunches).field("readByHostBytes", volume.readByHost);
  json.field("readHandedOnBytes", volume.readHandedOn).field("handedOnBytes", volume.handedOn);
  json.field("readByThreadsBytes", volume.readByThreads);
  json.field("readPossiblyOverwrittenBytes", volume.readOverwritten);
  json.field("possiblyOverwrittenBytes", volume.overwritten).field("copiedBytes", volume.copied);
}

void ResultsWriter::strides(const char *key, const StrideVolume &volume) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(volume.begin(), volume.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  json.key(key).beginArray();
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i < kMostStrides)
      json.beginObject().field("stride", sorted[i].first).field("bytes", sorted[i].second).endObject();
    else
      others += sorted[i].second;
  }
  if (others != 0)
    json.beginObject().key("stride").null().field("bytes", others).endObject();
  json.endArray();
}

} // namespace cupr::analysis
