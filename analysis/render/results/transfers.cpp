/// Sizes of transfers, cuts through the grid, and strides.
#include "analysis/tables/stride_list.h"
#include "members.h"

#include <array>
#include <string_view>

namespace cupr::analysis {

void transferSizes(ResultsWriter &to) {
  const TransferSizes &sizes = to.source.results.transfers.sizes;
  to.json.key("transferSizes").beginObject();
  to.json.field("transfers", sizes.transfers).field("bytes", sizes.bytes).field("exact", sizes.exact);
  to.rows("sizes", kTransferSizes);
  to.json.endObject();
}

void bisection(ResultsWriter &to) {
  to.json.key("bisection").beginObject();
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    to.json.key(std::string_view("xyz").substr(dimension, 1));
    if (const auto &cut = to.source.results.transfers.bisection[dimension])
      to.json.beginObject().field("bytes", cut->bytes).field("relative", cut->relative).endObject();
    else
      to.json.null();
  }
  to.json.endObject();
}

void strides(ResultsWriter &to) {
  const Communication &c = to.source.results.communication;
  to.json.key("strides").beginObject();
  to.json.key("loads").json(strideList(c.loadStrides)).key("stores").json(strideList(c.storeStrides));
  to.json.key("handedOnLoads").json(strideList(c.handedOnLoadStrides));
  to.json.key("handedOnStores").json(strideList(c.handedOnStoreStrides));
  to.json.endObject();
}

void ctaStrides(ResultsWriter &to) {
  const auto &all = to.source.results.communication.ctaStrides;
  if (!all)
    return;
  to.json.key("ctaStrides").beginArray();
  LaunchIndex launch = kHost;
  std::uint32_t cta = 0;
  std::array<StrideVolume, 4> volumes; // by kind
  const auto put = [&] {
    if (launch == kHost)
      return;
    to.json.beginObject().field("launch", to.source.idOf(launch)).field("cta", cta);
    for (unsigned kind = 0; kind < volumes.size(); ++kind) {
      to.json.key(strideName(static_cast<CtaStride::Kind>(kind))).json(strideList(volumes[kind]));
      volumes[kind].clear();
    }
    to.json.endObject();
    to.putWhenLarge();
  };
  all->forEach([&](const CtaStride &stride) {
    if (stride.launch != launch || stride.cta != cta)
      put();
    launch = stride.launch;
    cta = stride.cta;
    volumes[static_cast<unsigned>(stride.kind)][stride.stride] += stride.bytes;
  });
  put();
  to.json.endArray();
}

} // namespace cupr::analysis
