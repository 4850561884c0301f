/// Sizes of transfers, partners, cuts through the grid, distances, strides, and the transfers themselves.
#include "members.h"

#include <array>
#include <string_view>
#include <utility>

namespace cupr::analysis {

void distances(ResultsWriter &to) {
  to.json.key("distances").beginArray();
  for (const auto &[distance, volume] : to.results.transfers.distances)
    to.json.beginObject()
        .field("distance", distance)
        .field("bytes", volume.bytes)
        .field("operations", volume.operations)
        .endObject();
  to.json.endArray();
}

void transferSizes(ResultsWriter &to) {
  const TransferSizes &sizes = to.results.transfers.sizes;
  to.json.key("transferSizes").beginObject();
  to.json.field("transfers", sizes.transfers).field("bytes", sizes.bytes).field("exact", sizes.exact);
  to.json.key("sizes").beginArray();
  for (const auto &[bytes, transfers] : sizes.sizes)
    to.json.beginObject().field("bytes", bytes).field("transfers", transfers).endObject();
  to.json.endArray().endObject();
}

void degrees(ResultsWriter &to) {
  to.json.key("degrees").beginObject();
  const TransferMetrics &metrics = to.results.transfers;
  for (const auto &[name, degrees] :
       {std::pair{"in", &metrics.in}, std::pair{"out", &metrics.out}, std::pair{"otherIn", &metrics.otherIn},
        std::pair{"otherOut", &metrics.otherOut}, std::pair{"handedOnIn", &metrics.handedOnIn},
        std::pair{"handedOnOut", &metrics.handedOnOut}}) {
    to.json.key(name).beginArray();
    for (const auto &[partners, ctas] : *degrees)
      to.json.beginObject().field("partners", partners).field("ctas", ctas).endObject();
    to.json.endArray();
  }
  to.json.endObject();
}

void bisection(ResultsWriter &to) {
  to.json.key("bisection").beginObject();
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    to.json.key(std::string_view("xyz").substr(dimension, 1));
    if (const auto &cut = to.results.transfers.bisection[dimension])
      to.json.beginObject().field("bytes", cut->bytes).field("relative", cut->relative).endObject();
    else
      to.json.null();
  }
  to.json.endObject();
}

void strides(ResultsWriter &to) {
  to.json.key("strides").beginObject();
  to.strides("loads", to.communication.loadStrides);
  to.strides("stores", to.communication.storeStrides);
  to.strides("handedOnLoads", to.communication.handedOnLoadStrides);
  to.strides("handedOnStores", to.communication.handedOnStoreStrides);
  to.json.endObject();
}

void ctaStrides(ResultsWriter &to) {
  if (!to.communication.ctaStrides)
    return;
  to.json.key("ctaStrides").beginArray();
  LaunchIndex launch = kHost;
  std::uint32_t cta = 0;
  std::array<StrideVolume, 4> strides; // by kind
  const auto put = [&] {
    if (launch == kHost)
      return;
    to.json.beginObject().field("launch", to.idOf(launch)).field("cta", cta);
    for (unsigned kind = 0; kind < strides.size(); ++kind) {
      to.strides(strideName(static_cast<CtaStride::Kind>(kind)), strides[kind]);
      strides[kind].clear();
    }
    to.json.endObject();
    to.putWhenLarge();
  };
  to.communication.ctaStrides->forEach([&](const CtaStride &stride) {
    if (stride.launch != launch || stride.cta != cta)
      put();
    launch = stride.launch;
    cta = stride.cta;
    strides[static_cast<unsigned>(stride.kind)][stride.stride] += stride.bytes;
  });
  put();
  to.json.endArray();
}

void pairs(ResultsWriter &to) {
  to.json.key("pairs").beginArray();
  for (const LaunchPair &pair : to.communication.pairs) {
    to.json.beginObject();
    to.launchOrHost("source", pair.source);
    to.launchOrHost("destination", pair.destination);
    to.json.field("bytes", pair.bytes).field("sameIndexBytes", pair.sameIndex);
    to.json.field("otherIndexBytes", pair.otherIndex).field("operations", pair.operations);
    to.json.field("ctaPairs", pair.ctaPairs);
    to.json.field("possiblyOverwrittenBytes", pair.overwritten).endObject();
    to.putWhenLarge();
  }
  to.json.endArray();
}

void transferList(ResultsWriter &to) {
  to.json.key("transfers").beginArray();
  to.communication.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence != kCommunication)
      return;
    to.json.beginObject();
    to.launchOrHost("source", transfer.source);
    to.json.field("sourceCta", transfer.sourceCta);
    to.launchOrHost("destination", transfer.destination);
    to.json.field("destinationCta", transfer.destinationCta);
    to.json.field("bytes", transfer.bytes).field("operations", transfer.operations).endObject();
    to.putWhenLarge();
  });
  to.json.endArray();
}

} // namespace cupr::analysis
