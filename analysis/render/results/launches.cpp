/// Kernels, launches and supersteps.
#include "members.h"

#include "analysis/output/text.h"

namespace cupr::analysis {

namespace {

void dim(ResultsWriter &to, const char *key, const trace::Dim3 &dim) {
  to.json.key(key).beginArray().value(dim.x).value(dim.y).value(dim.z).endArray();
}

void number(ResultsWriter &to, const char *key, std::optional<std::uint64_t> number) {
  to.json.key(key);
  if (number)
    to.json.value(*number);
  else
    to.json.null();
}

void spread(ResultsWriter &to, const char *key, const Spread &spread) {
  to.json.key(key).beginObject().field("ctas", spread.ctas).field("mean", spread.mean);
  to.json.field("deviation", spread.deviation).endObject();
}

} // namespace

void kernels(ResultsWriter &to) {
  struct Sum {
    std::uint64_t launches = 0, time = 0;
    trace::Counts counts;
    LaunchVolume volume;
  };
  std::vector<Sum> sums(to.kernels.size());
  for (std::size_t i = 0; i < to.communication.launches.size(); ++i) {
    const LaunchInfo &info = to.model.launches()[i];
    Sum &sum = sums[to.kernelIndex.at(info.kernel)];
    sum.launches += info.phase == 0;
    sum.time += info.deviceTime().value_or(0);
    sum.counts += info.totals.counts.global;
    sum.volume += to.communication.launches[i];
  }
  to.json.key("kernels").beginArray();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    to.json.beginObject().field("name", to.kernels[i]).field("launches", sums[i].launches);
    to.json.field("time", sums[i].time);
    to.counts(sums[i].counts);
    to.launchVolume(sums[i].volume);
    to.json.endObject();
  }
  to.json.endArray();
}

void launches(ResultsWriter &to) {
  to.json.key("launches").beginArray();
  for (std::size_t i = 0; i < to.communication.launches.size(); ++i) {
    const LaunchInfo &info = to.model.launches()[i];
    const auto index = static_cast<LaunchIndex>(i);
    to.json.beginObject().field("id", to.idOf(index)).field("kernel", info.kernel);
    to.json.field("number", static_cast<std::uint64_t>(info.number)).field("phase", info.phase);
    dim(to, "grid", info.launch.grid);
    dim(to, "block", info.launch.block);
    to.json.field("stream", info.launch.stream).field("device", info.launch.device);
    to.json.field("superstep", to.communication.ordering->superstepOf(index));
    to.json.field("streamSuperstep", to.communication.ordering->streamSuperstepOf(index));
    to.json.field("traced", info.launch.traced).field("complete", info.complete());
    to.json.field("reason", launchState(info)).field("time", info.launch.time);
    number(to, "endTime", info.ended ? std::optional(info.totals.end.time) : std::nullopt);
    number(to, "deviceTime", info.deviceTime());
    to.counts(info.totals.counts.global);
    to.launchVolume(to.communication.launches[i]);
    to.json.endObject();
    to.putWhenLarge();
  }
  to.json.endArray();
}

void supersteps(ResultsWriter &to) {
  to.json.key("supersteps").beginArray();
  for (const SuperstepFigures &step : to.results.transfers.supersteps) {
    to.json.beginObject().key("launches").beginArray();
    for (const LaunchIndex launch : step.launches)
      to.json.value(to.idOf(launch));
    to.json.endArray().field("loadBytes", step.loadBytes).field("storeBytes", step.storeBytes);
    to.json.field("transferBytes", step.transferBytes);
    to.json.field("readByThreadsBytes", step.volume.readByThreads);
    to.json.field("handedOnLoadBytes", step.volume.readHandedOn);
    to.json.field("handedOnStoreBytes", step.volume.handedOn);
    to.json.field("readPossiblyOverwrittenBytes", step.volume.readOverwritten);
    spread(to, "outDegree", step.out);
    spread(to, "inDegree", step.in);
    to.json.endObject();
    to.putWhenLarge();
  }
  to.json.endArray();
}

} // namespace cupr::analysis
