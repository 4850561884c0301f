/// CTAs and SMs, with what they accessed and communicated.
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

struct EntityRow {
  std::uint64_t launch;
  trace::Dim3 cta; ///< of a CTA: its place in the grid
  const EntityTraffic &traffic;
};
const trace::Dim3 &ctaOf(const EntityRow &row) { return row.cta; }

constexpr auto kEntityLaunchFields = std::to_array<Field<EntityRow>>({
    {{"launch", Number, "launches.id"}, CUPR_GET(row.launch)},
});
constexpr auto kEntityFields = std::to_array<Field<EntityRow>>({
    {{"accesses", Number, "by threads"}, CUPR_GET(row.traffic.volume.accesses)},
    {{"load_bytes", Bytes, "by threads, atomics included"}, CUPR_GET(row.traffic.volume.loadBytes)},
    {{"store_bytes", Bytes, "by threads, atomics included"}, CUPR_GET(row.traffic.volume.storeBytes)},
});

constexpr auto kCtaFields = joined(
    kEntityLaunchFields,
    std::to_array<Field<EntityRow>>({
        {{"cta", Number, "linear number"}, CUPR_GET(row.traffic.volume.index)},
    }),
    fieldsOf<EntityRow, kDimFields<"block">, &ctaOf, "cta_">(),
    std::to_array<Field<EntityRow>>({
        {{"sm", Number, "multiprocessor"}, CUPR_GET(row.traffic.volume.sm)},
    }),
    kEntityFields,
    std::to_array<Field<EntityRow>>({
        {{"received_bytes", Bytes, "of transfers from earlier launches"}, CUPR_GET(row.traffic.received)},
        {{"sent_bytes", Bytes, "of transfers to later launches; a byte counts for each CTA that reads it"},
         CUPR_GET(row.traffic.sent)},
        {{"communicated_store_bytes", Bytes, "distinct bytes written that later launches read"},
         CUPR_GET(row.traffic.volume.stored)},
    }));

constexpr auto kSmFields = joined(
    kEntityLaunchFields,
    std::to_array<Field<EntityRow>>({
        {{"sm", Number, "multiprocessor"}, CUPR_GET(row.traffic.volume.index)},
        {{"ctas", Number, "that ran there"}, CUPR_GET(row.traffic.ctas)},
    }),
    kEntityFields,
    std::to_array<Field<EntityRow>>({
        {{"received_bytes", Bytes, "by its CTAs, of transfers from earlier launches"},
         CUPR_GET(row.traffic.received)},
        {{"sent_bytes", Bytes, "by its CTAs, of transfers to later launches"}, CUPR_GET(row.traffic.sent)},
        {{"communicated_store_bytes", Bytes, "distinct bytes written by its CTAs that later launches read"},
         CUPR_GET(row.traffic.volume.stored)},
    }));

} // namespace

const ResultTable kCtaVolumes = {
    {"cta_volume", "cta_volumes", "What a CTA of a launch accessed, and its communication.",
     kColumnsOf<kCtaFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kCtaFields> send(visit);
      of.traffics().ctas->forEach([&](const EntityTraffic &traffic) {
        const EntityVolume &volume = traffic.volume;
        if (of.results.shown.hasBlock(of.model, volume.launch, volume.index))
          send({of.idOf(volume.launch),
                placeInGrid(of.model.launches()[volume.launch].launch.grid, volume.index), traffic});
      });
    }};
const ResultTable kSmVolumes = {{"sm_volume", "sm_volumes", "The same of an SM.", kColumnsOf<kSmFields>},
                                [](const ResultSource &of, const RowVisitor &visit) {
                                  RowSender<kSmFields> send(visit);
                                  of.traffics().sms->forEach([&](const EntityTraffic &traffic) {
                                    if (of.results.shown.has(traffic.volume.launch))
                                      send({of.idOf(traffic.volume.launch), {}, traffic});
                                  });
                                }};

} // namespace cupr::analysis
