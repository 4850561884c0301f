/// Who reads what others wrote: transfers between CTAs and launches, and their figures.
#include "table.h"

#include <array>
#include <utility>

namespace cupr::analysis {

namespace {

using enum ColumnType;
constexpr std::string_view kKinds = "RAW|WAR|WAW", kOrders = "ordered|concurrent|insideLaunch";

struct TransferRow {
  const ResultSource &of;
  const Transfer &transfer;
};
constexpr auto kEndFields = std::to_array<Field<TransferRow>>({
    {Column{"source", LaunchOrHost, "launches.id of the first access; null: the host"}.orNull(),
     CUPR_GET(row.of.launchOrHost(row.transfer.source))},
    {{"source_cta", Number, "linear number; 0 for the host"}, CUPR_GET(row.transfer.sourceCta)},
    {Column{"destination", LaunchOrHost, "launches.id of the second access; null: the host"}.orNull(),
     CUPR_GET(row.of.launchOrHost(row.transfer.destination))},
    {{"destination_cta", Number, "linear number; 0 for the host"}, CUPR_GET(row.transfer.destinationCta)},
    {{"bytes", Bytes, "distinct"}, CUPR_GET(row.transfer.bytes)},
    {{"operations", Number, "reads by threads; 0 but for RAW"}, CUPR_GET(row.transfer.operations)},
});
constexpr auto kTransferFields =
    joined(std::to_array<Field<TransferRow>>({
               {Column{"kind", Text, "RAW, WAR or WAW"}.oneOf(kKinds),
                CUPR_GET(dependenceName(row.transfer.dependence.kind))},
               {Column{"dependence_order", Text,
                       "\"ordered\", \"concurrent\" or \"insideLaunch\"; communication is RAW and ordered"}
                    .as("order")
                    .oneOf(kOrders),
                CUPR_GET(dependenceName(row.transfer.dependence.order))},
           }),
           kEndFields);

bool isShown(const ResultSource &of, const Transfer &transfer) {
  const ShownPart &shown = of.results.shown;
  return shown.hasBlock(of.model, transfer.source, transfer.sourceCta) ||
         shown.hasBlock(of.model, transfer.destination, transfer.destinationCta);
}

struct PairRow {
  const ResultSource &of;
  const LaunchPair &pair;
};
constexpr auto kPairFields = std::to_array<Field<PairRow>>({
    {Column{"source", LaunchOrHost, "launches.id of the writer; null: the host"}.orNull(),
     CUPR_GET(row.of.launchOrHost(row.pair.source))},
    {Column{"destination", LaunchOrHost, "launches.id of the reader; null: the host"}.orNull(),
     CUPR_GET(row.of.launchOrHost(row.pair.destination))},
    {{"bytes", Bytes, "distinct"}, CUPR_GET(row.pair.bytes)},
    {{"same_index_bytes", Bytes, "read by the CTA of the writer's index"}, CUPR_GET(row.pair.sameIndex)},
    {{"other_index_bytes", Bytes, "read by another CTA"}, CUPR_GET(row.pair.otherIndex)},
    {{"operations", Number, "reads by threads"}, CUPR_GET(row.pair.operations)},
    {{"cta_pairs", Number, "that take part"}, CUPR_GET(row.pair.ctaPairs)},
    {{"possibly_overwritten_bytes", Bytes, "of bytes; 0 where the host read them"},
     CUPR_GET(row.pair.overwritten)},
});

using DistanceRow = std::pair<const std::uint32_t, DistanceVolume>;
constexpr auto kDistanceFields = std::to_array<Field<DistanceRow>>({
    {{"distance", Number, "supersteps between write and read; 0: the next"}, CUPR_GET(row.first)},
    {{"bytes", Bytes, "distinct per pair of launches"}, CUPR_GET(row.second.bytes)},
    {{"operations", Number, "reads by threads"}, CUPR_GET(row.second.operations)},
});

/// How many of something have which amount; some with a name.
struct ShareOut {
  const char *name;
  std::uint64_t amount, count;
};
constexpr auto kSizeFields = std::to_array<Field<ShareOut>>({
    {{"bytes", Bytes, "of one transfer"}, CUPR_GET(row.amount)},
    {{"transfers", Number, "of this size"}, CUPR_GET(row.count)},
});
constexpr auto kDegreeFields = std::to_array<Field<ShareOut>>({
    {Column{"direction", Text,
            "\"in\", \"out\", or without partners of the same index \"otherIn\", \"otherOut\", or without "
            "those of "
            "the same index and kernel \"handedOnIn\", \"handedOnOut\""}
         .inTables(),
     CUPR_GET(row.name)},
    {{"partners", Number, "CTAs"}, CUPR_GET(row.amount)},
    {{"ctas", Number, "that have so many"}, CUPR_GET(row.count)},
});
constexpr auto kStrideFields = std::to_array<Field<ShareOut>>({
    {Column{"direction", Text,
            "\"loads\" or \"stores\" of communicated data; of what is handed on \"handedOnLoads\", "
            "\"handedOnStores\""}
         .inTables(),
     CUPR_GET(row.name)},
    {{"stride", Bytes, "bytes between neighbouring threads"}, CUPR_GET(row.amount)},
    {{"bytes", Bytes, "with this stride"}, CUPR_GET(row.count)},
});

struct BisectionRow {
  const char *dimension;
  const Bisection &cut;
};
constexpr auto kBisectionFields = std::to_array<Field<BisectionRow>>({
    {Column{"dimension", Text, "\"x\", \"y\" or \"z\""}.inTables(), CUPR_GET(row.dimension)},
    {{"bytes", Bytes, "of transfers between the halves"}, CUPR_GET(row.cut.bytes)},
    {{"relative", Share, "of all transfers"}, CUPR_GET(row.cut.relative)},
});

template <const auto &Fields>
void sendNamed(
    const RowVisitor &visit,
    std::initializer_list<std::pair<const char *, const std::map<std::uint64_t, std::uint64_t> &>> lists) {
  RowSender<Fields> send(visit);
  for (const auto &[name, list] : lists)
    for (const auto &[amount, count] : list)
      send({name, amount, count});
}

struct CtaStrideRow {
  std::uint64_t launch;
  const CtaStride &stride;
};
constexpr auto kCtaStrideFields = std::to_array<Field<CtaStrideRow>>({
    {{"launch", Number, "launches.id"}, CUPR_GET(row.launch)},
    {{"cta", Number, "linear number"}, CUPR_GET(row.stride.cta)},
    {{"direction", Text, "as in strides"}, CUPR_GET(strideName(row.stride.kind))},
    {{"stride", Bytes, "bytes between neighbouring threads"}, CUPR_GET(row.stride.stride)},
    {{"bytes", Bytes, "with this stride"}, CUPR_GET(row.stride.bytes)},
});

} // namespace

const ResultTable kTransfers = {
    {"transfer", "transfers", "What connects two CTAs: the transfer map.", kColumnsOf<kTransferFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kTransferFields> send(visit);
      of.results.communication.transfers->forEach([&](const Transfer &transfer) {
        if (isShown(of, transfer))
          send({of, transfer});
      });
    }};
const ResultTable kCommunicationTransfers = {
    {"communication_transfer", "", "What one CTA wrote and another read.", kColumnsOf<kEndFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kEndFields> send(visit);
      of.results.communication.transfers->forEach([&](const Transfer &transfer) {
        if (transfer.dependence == kCommunication && isShown(of, transfer))
          send({of, transfer});
      });
    }};
const ResultTable kLaunchPairs = {
    {"launch_pair", "launch_pairs", "What one launch wrote and a later one read.", kColumnsOf<kPairFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kPairFields> send(visit);
      for (const LaunchPair &pair : of.results.communication.pairs)
        if (of.results.shown.has(pair.source) || of.results.shown.has(pair.destination))
          send({of, pair});
    }};
const ResultTable kDistances = {
    {"distance", "distances", "Communication by superstep distance.", kColumnsOf<kDistanceFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      std::ranges::for_each(of.results.transfers.distances, RowSender<kDistanceFields>(visit));
    }};
const ResultTable kTransferSizes = {
    {"transfer_size", "transfer_sizes", "Transfers between launches by size.", kColumnsOf<kSizeFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      sendNamed<kSizeFields>(visit, {{"", of.results.transfers.sizes.sizes}});
    }};
const ResultTable kDegrees = {
    {"degree", "degrees", "CTAs by their number of partners.", kColumnsOf<kDegreeFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      const TransferMetrics &metrics = of.results.transfers;
      sendNamed<kDegreeFields>(visit, {{"in", metrics.in},
                                       {"out", metrics.out},
                                       {"otherIn", metrics.otherIn},
                                       {"otherOut", metrics.otherOut},
                                       {"handedOnIn", metrics.handedOnIn},
                                       {"handedOnOut", metrics.handedOnOut}});
    }};
const ResultTable kStrides = {
    {"stride", "strides", "Communicated bytes by stride.", kColumnsOf<kStrideFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      const Communication &c = of.results.communication;
      sendNamed<kStrideFields>(visit, {{"loads", c.loadStrides},
                                       {"stores", c.storeStrides},
                                       {"handedOnLoads", c.handedOnLoadStrides},
                                       {"handedOnStores", c.handedOnStoreStrides}});
    }};
const ResultTable kBisections = {
    {"bisection", "bisections", "Transfers across the middle of the grids.", kColumnsOf<kBisectionFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kBisectionFields> send(visit);
      static constexpr std::array kDimensions = {"x", "y", "z"};
      for (std::size_t i = 0; i < kDimensions.size(); ++i)
        if (const auto &cut = of.results.transfers.bisection[i])
          send({kDimensions[i], *cut});
    }};
const ResultTable kCtaStrides = {{"cta_stride", "cta_strides",
                                  "Communicated bytes by stride, of each CTA of a launch.",
                                  kColumnsOf<kCtaStrideFields>},
                                 [](const ResultSource &of, const RowVisitor &visit) {
                                   if (!of.results.communication.ctaStrides)
                                     return;
                                   RowSender<kCtaStrideFields> send(visit);
                                   of.results.communication.ctaStrides->forEach([&](const CtaStride &stride) {
                                     if (of.results.shown.hasBlock(of.model, stride.launch, stride.cta))
                                       send({of.idOf(stride.launch), stride});
                                   });
                                 }};

} // namespace cupr::analysis
