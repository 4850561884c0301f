/// Launches, kernels and supersteps, with what they read and wrote.
#include "analysis/metrics/kernels.h"
#include "analysis/output/text.h"
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

constexpr auto kDistinctFields = std::to_array<Field<LaunchVolume>>({
    {{"unique_read_bytes", Bytes, "distinct bytes"}, CUPR_GET(row.uniqueRead)},
    {{"unique_written_bytes", Bytes, "distinct bytes"}, CUPR_GET(row.uniqueWritten)},
    {{"read_from_launches_bytes", Bytes, "of unique_read_bytes"}, CUPR_GET(row.readFromLaunches)},
    {{"read_from_host_bytes", Bytes, "of unique_read_bytes"}, CUPR_GET(row.readFromHost)},
    {{"read_by_launches_bytes", Bytes, "of unique_written_bytes and copied_bytes"},
     CUPR_GET(row.readByLaunches)},
    {{"read_by_host_bytes", Bytes, "of unique_written_bytes and copied_bytes"}, CUPR_GET(row.readByHost)},
});
constexpr auto kHandedOnFields = std::to_array<Field<LaunchVolume>>({
    {{"read_handed_on_bytes", Bytes, "of read_from_launches_bytes"}, CUPR_GET(row.readHandedOn)},
    {{"handed_on_bytes", Bytes, "of read_by_launches_bytes"}, CUPR_GET(row.handedOn)},
    {{"read_by_threads_bytes", Bytes, "of threads' reads of what earlier launches wrote"},
     CUPR_GET(row.readByThreads)},
    {{"read_possibly_overwritten_bytes", Bytes, "of read_from_launches_bytes and read_from_host_bytes"},
     CUPR_GET(row.readOverwritten)},
    {{"possibly_overwritten_bytes", Bytes, "of read_by_launches_bytes"}, CUPR_GET(row.overwritten)},
    {{"copied_bytes", Bytes, "of what it wrote, within the device"}, CUPR_GET(row.copied)},
});

// Kernels.

constexpr auto kKernelStepFields = std::to_array<Field<KernelVolume>>({
    {{"kernel", Text, "as in the source, with parameters"}, CUPR_GET(row.kernel)},
    {{"superstep", Number, "from 0"}, CUPR_GET(row.superstep)},
    {{"launches", Number, "of the kernel in the superstep"}, CUPR_GET(row.launches)},
    {{"load_bytes", Bytes, "by threads, atomics included"},
     CUPR_GET(row.counts.loadBytes + row.counts.atomicBytes)},
    {{"store_bytes", Bytes, "by threads, atomics included"},
     CUPR_GET(row.counts.storeBytes + row.counts.atomicBytes)},
    {{"communicated_load_bytes", Bytes, "distinct bytes read that earlier launches wrote"},
     CUPR_GET(row.volume.readFromLaunches)},
    {{"communicated_store_bytes", Bytes, "distinct bytes written that later launches read"},
     CUPR_GET(row.volume.readByLaunches)},
    {{"handed_on_load_bytes", Bytes, "of communicated_load_bytes: of another CTA or another kernel"},
     CUPR_GET(row.volume.readHandedOn)},
    {{"handed_on_store_bytes", Bytes, "of communicated_store_bytes: to another CTA or another kernel"},
     CUPR_GET(row.volume.handedOn)},
    {{"read_by_threads_bytes", Bytes, "of threads' reads of what earlier launches wrote"},
     CUPR_GET(row.volume.readByThreads)},
});

constexpr auto kKernelFields =
    joined(std::to_array<Field<KernelVolume>>({
               {{"name", Text, "as in the source, with parameters"}, CUPR_GET(row.kernel)},
               {{"launches", Number, "of the kernel"}, CUPR_GET(row.launches)},
               {{"time", Nanoseconds, "sum of the launches' deviceTime"}, CUPR_GET(row.time)},
           }),
           fieldsOf<KernelVolume, kCountFields, &KernelVolume::counts>(),
           fieldsOf<KernelVolume, kDistinctFields, &KernelVolume::volume>(),
           fieldsOf<KernelVolume, kHandedOnFields, &KernelVolume::volume>());

// Launches.

struct LaunchRow {
  const LaunchInfo &info;
  const LaunchVolume &volume;
  std::uint32_t superstep, streamSuperstep;
  std::string reason;
};
const trace::Dim3 &gridOf(const LaunchRow &row) { return row.info.launch.grid; }
const trace::Dim3 &blockOf(const LaunchRow &row) { return row.info.launch.block; }
const trace::Counts &countsOf(const LaunchRow &row) { return row.info.totals.counts.global; }
const LaunchVolume &volumeOf(const LaunchRow &row) { return row.volume; }

constexpr auto kLaunchFields = joined(
    std::to_array<Field<LaunchRow>>({
        {{"id", Number, "from 1, in the order of the calls; of phases but the first: behind all launches'"},
         CUPR_GET(static_cast<std::uint64_t>(row.info.launch.id))},
        {{"kernel", Text, "as in the source, with parameters"}, CUPR_GET(row.info.kernel)},
    }),
    fieldsOf<LaunchRow, kDimFields<"blocks">, &gridOf, "grid_", "grid">(),
    fieldsOf<LaunchRow, kDimFields<"threads">, &blockOf, "block_", "block">(),
    std::to_array<Field<LaunchRow>>({
        {{"stream", Number, "never reused"}, CUPR_GET(row.info.launch.stream)},
        {{"device", Number, "index"}, CUPR_GET(row.info.launch.device)},
        {{"superstep", Number, "from 0"}, CUPR_GET(row.superstep)},
        {{"traced", Flag, "its accesses are recorded"}, CUPR_GET(row.info.launch.traced)},
        {{"complete", Flag, "all of its records are there"}, CUPR_GET(row.info.complete())},
        {{"time", Nanoseconds, "of the call, nanoseconds"}, CUPR_GET(row.info.launch.time)},
        {Column{"end_time", Nanoseconds, "when all records had arrived; null: no end in the trace"}.orNull(),
         CUPR_GET(row.info.ended ? valueOf(row.info.totals.end.time) : Value())},
    }),
    fieldsOf<LaunchRow, kCountFields, &countsOf>(), fieldsOf<LaunchRow, kDistinctFields, &volumeOf>(),
    std::to_array<Field<LaunchRow>>({
        {{"stream_superstep", Number, "launches of its stream before it"}, CUPR_GET(row.streamSuperstep)},
    }),
    fieldsOf<LaunchRow, kHandedOnFields, &volumeOf>(),
    std::to_array<Field<LaunchRow>>({
        {{"number", Number, "the program's; phases of one launch share it"},
         CUPR_GET(static_cast<std::uint64_t>(row.info.number))},
        {{"phase", Number, "between barriers of the grid, from 0"}, CUPR_GET(row.info.phase)},
        {Column{"reason", Text, "why it is not traced or not complete; else empty"}.inJson(),
         CUPR_GET(row.reason)},
        {Column{"device_time", Nanoseconds,
                "from the beginning of its first block to the end of its last, with tracing; null: not known"}
             .orNull()
             .inJson(),
         CUPR_GET(row.info.deviceTime())},
    }));

void launchRows(const ResultSource &of, const RowVisitor &visit) {
  RowSender<kLaunchFields> send(visit);
  const Communication &c = of.results.communication;
  for (LaunchIndex launch = 0; launch < c.launches.size(); ++launch) {
    if (!of.results.shown.has(launch))
      continue;
    const LaunchInfo &info = of.model.launches()[launch];
    send({info, c.launches[launch], c.ordering->superstepOf(launch), c.ordering->streamSuperstepOf(launch),
          launchState(info)});
  }
}

// Supersteps.

constexpr auto kOutFields = std::to_array<Field<Spread>>({
    {{"ctas", Number, "CTAs that others read from"}, CUPR_GET(row.ctas)},
    {{"mean", Real, "number of their readers"}, CUPR_GET(row.mean)},
    {{"deviation", Real, "standard deviation"}, CUPR_GET(row.deviation)},
});
constexpr auto kInFields = std::to_array<Field<Spread>>({
    {{"ctas", Number, "CTAs that read from others"}, CUPR_GET(row.ctas)},
    {{"mean", Real, "number of those they read from"}, CUPR_GET(row.mean)},
    {{"deviation", Real, "standard deviation"}, CUPR_GET(row.deviation)},
});

struct SuperstepRow {
  std::uint64_t number;
  const SuperstepFigures &figures;
  std::vector<std::uint64_t> launches;
};
const Spread &outOf(const SuperstepRow &row) { return row.figures.out; }
const Spread &inOf(const SuperstepRow &row) { return row.figures.in; }

constexpr auto kSuperstepFields = joined(
    std::to_array<Field<SuperstepRow>>({
        {Column{"superstep", Number, "from 0"}.inTables(), CUPR_GET(row.number)},
        {Column{"launches", Number, "that share it"}.inTables(), CUPR_GET(row.figures.launches.size())},
        {{"load_bytes", Bytes, "distinct bytes read that earlier launches wrote"},
         CUPR_GET(row.figures.loadBytes)},
        {{"store_bytes", Bytes, "distinct bytes written that later launches read"},
         CUPR_GET(row.figures.storeBytes)},
        {{"transfer_bytes", Bytes, "of all transfers to its CTAs"}, CUPR_GET(row.figures.transferBytes)},
    }),
    fieldsOf<SuperstepRow, kOutFields, &outOf, "out_", "outDegree.">(),
    fieldsOf<SuperstepRow, kInFields, &inOf, "in_", "inDegree.">(),
    std::to_array<Field<SuperstepRow>>({
        {{"read_by_threads_bytes", Bytes, "of threads' reads of what earlier launches wrote"},
         CUPR_GET(row.figures.volume.readByThreads)},
        {{"handed_on_load_bytes", Bytes, "of load_bytes"}, CUPR_GET(row.figures.volume.readHandedOn)},
        {{"handed_on_store_bytes", Bytes, "of store_bytes"}, CUPR_GET(row.figures.volume.handedOn)},
        {{"read_possibly_overwritten_bytes", Bytes, "of what its launches read of launches and the host"},
         CUPR_GET(row.figures.volume.readOverwritten)},
        {Column{"launch_ids", Numbers, "its launches"}.as("launches").inJson(), CUPR_GET(row.launches)},
    }));

void superstepRows(const ResultSource &of, const RowVisitor &visit) {
  RowSender<kSuperstepFields> send(visit);
  std::uint64_t number = 0;
  for (const SuperstepFigures &figures : of.results.transfers.supersteps) {
    std::vector<std::uint64_t> launches;
    for (const LaunchIndex launch : figures.launches)
      launches.push_back(of.idOf(launch));
    send({number++, figures, std::move(launches)});
  }
}

} // namespace

const ResultTable kKernelVolumes = {
    {"kernel_volume", "kernel_volumes", "What a kernel accessed in a superstep, and its communication.",
     kColumnsOf<kKernelStepFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      std::ranges::for_each(kernelStepVolumes(of.model, of.results.communication, of.results.shown),
                            RowSender<kKernelStepFields>(visit));
    }};
const ResultTable kKernels = {
    {"kernel", "", "In the order of their first launch.", kColumnsOf<kKernelFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      std::ranges::for_each(kernelVolumes(of.model, of.results.communication, of.results.shown),
                            RowSender<kKernelFields>(visit));
    }};
const ResultTable kLaunches = {{"launch", "launches", "A kernel launch.", kColumnsOf<kLaunchFields>},
                               launchRows};
const ResultTable kSupersteps = {{"superstep", "supersteps",
                                  "Launches with the same longest chain of launches before them.",
                                  kColumnsOf<kSuperstepFields>},
                                 superstepRows};

} // namespace cupr::analysis
