/// How long accesses of timed launches took: by kernel, access, line, shape, multiprocessor, warp, and one by one.
#include "table.h"

#include "analysis/output/kind_names.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

constexpr auto kMomentsFields = std::to_array<Field<LatencyMoments>>({
    {{"samples", Number, "accesses of warps"}, CUPR_GET(row.samples)},
    {{"cycles", Number, "that they took, summed"}, CUPR_GET(row.cycles)},
    {{"mean", Real, "cycles of a sample"}, CUPR_GET(row.mean())},
    {Column{"mean_error", Real,
            "half width of the interval of 95 % around mean; null: there are less than two samples"}
         .orNull(),
     CUPR_GET(row.error())},
    {{"min", Number, "cycles"}, CUPR_GET(row.samples == 0 ? 0u : row.least)},
    {{"max", Number, "cycles; 4294967295: so many or more"}, CUPR_GET(row.most)},
});

constexpr auto kDistributionFields =
    joined(fieldsOf<LatencyDistribution, kMomentsFields,
                    [](const LatencyDistribution &row) -> const LatencyMoments & { return row.moments; }>(),
           std::to_array<Field<LatencyDistribution>>({
               {{"p50", Number, "cycles that half of the samples don't exceed; at most 0.4 % too large"},
                CUPR_GET(row.percentile(50))},
               {{"p90", Number, "likewise, of 90 %"}, CUPR_GET(row.percentile(90))},
               {{"p99", Number, "likewise, of 99 %"}, CUPR_GET(row.percentile(99))},
           }));

const char *nameOf(LatencyWidth width) {
  switch (width) {
  case LatencyWidth::None:
    return "";
  case LatencyWidth::Sectors:
    return "sectors";
  case LatencyWidth::Wavefronts:
    return "wavefronts";
  }
  return "";
}

Value nameOf(PatternCost::Reference reference) {
  switch (reference) {
  case PatternCost::Reference::None:
    return {};
  case PatternCost::Reference::Access:
    return valueOf("access");
  case PatternCost::Reference::Kernel:
    return valueOf("kernel");
  }
  return {};
}

struct KeyRow {
  std::string_view kernel;
  const LatencyKey &key;
};
constexpr auto kKeyFields =
    joined(std::to_array<Field<KeyRow>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}}),
           fieldsOf<KeyRow, kAccessKeyFields,
                    [](const KeyRow &row) -> const AccessKey & { return row.key.access; }>(),
           std::to_array<Field<KeyRow>>({{{"space", Text, "\"global\", \"shared\", \"constant\" ..."},
                                          CUPR_GET(abi::spaceName(row.key.space))}}));

struct LatencyAccessRow {
  KeyRow key;
  const LatencyOfAccess &of;
  std::uint64_t all; ///< cycles
};
constexpr auto kLatencyAccessFields = joined(
    fieldsOf<LatencyAccessRow, kKeyFields,
             [](const LatencyAccessRow &row) -> const KeyRow & { return row.key; }>(),
    fieldsOf<LatencyAccessRow, kDistributionFields,
             [](const LatencyAccessRow &row) -> const LatencyDistribution & { return row.of.durations; }>(),
    std::to_array<Field<LatencyAccessRow>>({
        {{"share", Share, "of the cycles of all samples"},
         CUPR_GET(shareOf(row.of.durations.moments.cycles, row.all))},
        {{"threads", Number, "accesses of threads"}, CUPR_GET(row.of.threads)},
        {Column{"width_of", Text, "what widths are"}.oneOf("sectors|wavefronts|"),
         CUPR_GET(nameOf(row.of.widthOf))},
        {{"width", Number, "sectors of global memory, or wavefronts of shared memory, of all samples"},
         CUPR_GET(row.of.width)},
        {{"least_width", Number, "width if the same bytes lay in the best order"},
         CUPR_GET(row.of.leastWidth)},
        {Column{"pattern_reference", Text,
                "narrower accesses that it is compared with: its own, or others of the kernel; null: "
                "there are none"}
             .oneOf("access|kernel")
             .orNull(),
         CUPR_GET(nameOf(row.of.pattern.reference))},
        {{"pattern_samples", Number, "that are wider than what they are compared with"},
         CUPR_GET(row.of.pattern.samples)},
        {{"pattern_cycles", Real, "that these took beyond the mean of what they are compared with"},
         CUPR_GET(row.of.pattern.cycles)},
        {Column{"pattern_error", Real,
                "half width of the interval of 95 % around pattern_cycles; null: too few samples"}
             .orNull(),
         CUPR_GET(row.of.pattern.error)},
    }));

struct LatencyLineRow {
  std::string_view kernel;
  const LatencyLine &line;
  const LatencyDistribution &durations;
  std::uint64_t all;
};
constexpr auto kLatencyLineFields = joined(
    std::to_array<Field<LatencyLineRow>>({
        {{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)},
        {{"file", Text, "empty: unknown"}, CUPR_GET(row.line.file)},
        {{"line", Number, "0: unknown"}, CUPR_GET(row.line.line)},
    }),
    fieldsOf<LatencyLineRow, kDistributionFields,
             [](const LatencyLineRow &row) -> const LatencyDistribution & { return row.durations; }>(),
    std::to_array<Field<LatencyLineRow>>({{{"share", Share, "of the cycles of all samples"},
                                           CUPR_GET(shareOf(row.durations.moments.cycles, row.all))}}));

struct ShapeRow {
  KeyRow key;
  LatencyWidth widthOf;
  const LatencyShape &shape;
  const LatencyMoments &moments;
};
constexpr auto kShapeFields =
    joined(fieldsOf<ShapeRow, kKeyFields, [](const ShapeRow &row) -> const KeyRow & { return row.key; }>(),
           std::to_array<Field<ShapeRow>>({
               {Column{"width_of", Text, "what widths are"}.oneOf("sectors|wavefronts"),
                CUPR_GET(nameOf(row.widthOf))},
               {{"width", Number, "of each of these samples"}, CUPR_GET(row.shape.width)},
               {{"least_width", Number, "width if the same bytes lay in the best order"},
                CUPR_GET(row.shape.leastWidth)},
           }),
           fieldsOf<ShapeRow, kMomentsFields,
                    [](const ShapeRow &row) -> const LatencyMoments & { return row.moments; }>());

struct HistogramRow {
  KeyRow key;
  const LatencyHistogram::Bucket &bucket;
};
constexpr auto kHistogramFields = joined(
    fieldsOf<HistogramRow, kKeyFields, [](const HistogramRow &row) -> const KeyRow & { return row.key; }>(),
    std::to_array<Field<HistogramRow>>({
        {{"first", Number, "cycles: the least of the bucket"}, CUPR_GET(row.bucket.first)},
        {{"last", Number, "cycles: the most of the bucket"}, CUPR_GET(row.bucket.last)},
        {{"samples", Number, "in it; empty buckets have no row"}, CUPR_GET(row.bucket.samples)},
    }));

struct LatencyClassRow {
  std::uint64_t access;
  const LatencyHistogram::Bucket &of;
};
constexpr auto kLatencyClassFields = std::to_array<Field<LatencyClassRow>>({
    {{"access", Number, "its place in latencyAccesses, from 0"}, CUPR_GET(row.access)},
    {{"first", Number, "cycles: the least of the class"}, CUPR_GET(row.of.first)},
    {{"last", Number, "cycles: the most of the class"}, CUPR_GET(row.of.last)},
    {{"samples", Number, "in it; empty classes have no row"}, CUPR_GET(row.of.samples)},
});

constexpr auto kWarpsFields = joined(
    fieldsOf<LatencyOfWarps, kMomentsFields,
             [](const LatencyOfWarps &row) -> const LatencyMoments & { return row.durations; }>(),
    std::to_array<Field<LatencyOfWarps>>({
        {{"warps", Number, "with samples"}, CUPR_GET(row.warps)},
        {{"memory_cycles", Number, "of warps, in which an access or more was under way, summed"},
         CUPR_GET(row.memoryCycles)},
        {{"span_cycles", Number, "of warps, from the first access's start to the last one's end, summed"},
         CUPR_GET(row.spanCycles)},
        {Column{"memory_share", Share,
                "memory_cycles of span_cycles, mean of the warps; null: no warp has a span"}
             .orNull(),
         CUPR_GET(row.share())},
    }));

struct KernelRow {
  std::string_view kernel;
  const LatencyOfKernel &of;
};
constexpr auto kLatencyKernelFields = joined(
    std::to_array<Field<KernelRow>>({
        {{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)},
        {{"scheme", Text, "\"naive\", \"fence\", \"dependency\" or \"use\""},
         CUPR_GET(kindName(row.of.scheme))},
        {{"launches", Number, "that are timed"}, CUPR_GET(row.of.launches)},
        {{"untimed", Number, "accesses of warps that nothing was measured of"}, CUPR_GET(row.of.untimed)},
    }),
    fieldsOf<KernelRow, kWarpsFields,
             [](const KernelRow &row) -> const LatencyOfWarps & { return row.of; }>());

struct SlowdownRow {
  std::string_view kernel;
  const Slowdown &of;
};
constexpr auto kSlowdownFields = std::to_array<Field<SlowdownRow>>({
    {{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)},
    {{"launches", Number, "that are timed"}, CUPR_GET(row.of.launches)},
    {{"timed_time", Nanoseconds, "that they took on the device, all together"}, CUPR_GET(row.of.timed)},
    {{"plain_time", Nanoseconds, "that they take untraced"}, CUPR_GET(row.of.plain)},
    {{"slowdown", Real, "timed_time for each of plain_time"}, CUPR_GET(row.of.factor())},
});

struct MultiprocessorRow {
  std::string_view kernel;
  std::uint32_t sm;
  const LatencyOfWarps &of;
};
constexpr auto kMultiprocessorFields =
    joined(std::to_array<Field<MultiprocessorRow>>({
               {{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)},
               {{"sm", Number, "multiprocessor"}, CUPR_GET(row.sm)},
           }),
           fieldsOf<MultiprocessorRow, kWarpsFields,
                    [](const MultiprocessorRow &row) -> const LatencyOfWarps & { return row.of; }>());

struct WarpRow {
  std::uint64_t launch;
  trace::Dim3 place;
  const LatencyOfWarp &of;
};
constexpr auto kWarpFields = joined(
    std::to_array<Field<WarpRow>>({{{"launch", Number, "launches.id"}, CUPR_GET(row.launch)}}),
    fieldsOf<WarpRow, kDimFields<"block">, &WarpRow::place, "cta_", "cta">(),
    std::to_array<Field<WarpRow>>({
        {{"warp", Number, "of the block"}, CUPR_GET(row.of.warp)},
        {{"sm", Number, "multiprocessor"}, CUPR_GET(row.of.sm)},
    }),
    fieldsOf<WarpRow, kMomentsFields,
             [](const WarpRow &row) -> const LatencyMoments & { return row.of.durations; }>(),
    std::to_array<Field<WarpRow>>({
        {{"start", Number, "of the first access, by the multiprocessor's clock"}, CUPR_GET(row.of.start)},
        {{"end", Number, "of the last one"}, CUPR_GET(row.of.end)},
        {{"memory_cycles", Number, "in which an access or more was under way"},
         CUPR_GET(row.of.memoryCycles)},
    }));

struct SeriesRow {
  std::uint64_t launch;
  trace::Dim3 place;
  const LatencyOfSeries &of;
  const trace::Site &site() const { return of.module->sites[of.sample.site]; }
};
constexpr auto kSeriesFields = joined(
    std::to_array<Field<SeriesRow>>({{{"launch", Number, "launches.id"}, CUPR_GET(row.launch)}}),
    fieldsOf<SeriesRow, kDimFields<"block">, &SeriesRow::place, "cta_", "cta">(),
    std::to_array<Field<SeriesRow>>({
        {{"warp", Number, "of the block"}, CUPR_GET(row.of.sample.warp)},
        {{"number", Number, "of the warp's accesses, from 0, by their start"}, CUPR_GET(row.of.number)},
        {{"sm", Number, "multiprocessor"}, CUPR_GET(row.of.sample.sm)},
        {{"clock", Number, "of its multiprocessor, when it began"}, CUPR_GET(row.of.sample.start)},
        {{"duration", Number, "cycles"}, CUPR_GET(row.of.sample.duration)},
        {{"file", Text, "empty: unknown"}, CUPR_GET(row.of.module->strings[row.site().file])},
        {{"line", Number, "0: unknown"}, CUPR_GET(row.site().line)},
        {{"column", Number, "0: unknown"}, CUPR_GET(row.site().column)},
        {{"operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
         CUPR_GET(abi::operationName(row.site().operation))},
        {{"threads", Number, "that made it"}, CUPR_GET(row.of.sample.threads)},
        {{"width", Number, "sectors of global memory, wavefronts of shared memory; 0: of other memory"},
         CUPR_GET(row.of.sample.width)},
    }));

std::string_view kernelName(const ResultSource &of, LaunchIndex kernel) {
  return of.model.launches()[kernel].kernel;
}
trace::Dim3 placeOf(const ResultSource &of, LaunchIndex launch, std::uint64_t cta) {
  return placeInGrid(of.model.launches()[launch].launch.grid, cta);
}

} // namespace

const ResultTable kLatencyKernels = {{"latency_kernel", "latency_kernels",
                                      "How long accesses of a kernel's timed launches took.",
                                      kColumnsOf<kLatencyKernelFields>},
                                     [](const ResultSource &of, const RowVisitor &visit) {
                                       RowSender<kLatencyKernelFields> send(visit);
                                       for (const auto &[kernel, figures] : of.results.latency.kernels)
                                         send({kernelName(of, kernel), figures});
                                     }};
const ResultTable kLatencySlowdowns = {{"latency_slowdown", "latency_slowdowns",
                                        "How much slower than untraced a kernel's timed launches were.",
                                        kColumnsOf<kSlowdownFields>},
                                       [](const ResultSource &of, const RowVisitor &visit) {
                                         RowSender<kSlowdownFields> send(visit);
                                         for (const auto &[kernel, slowdown] : of.results.latency.slowdowns)
                                           send({kernelName(of, kernel), slowdown});
                                       }};
const ResultTable kLatencyAccesses = {
    {"latency_access", "latency_accesses",
     "How long an access of a timed kernel took, apart by the calls that led there.",
     kColumnsOf<kLatencyAccessFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kLatencyAccessFields> send(visit);
      for (const auto &[key, figures] : of.results.latency.accesses)
        send({{kernelName(of, key.access.kernel), key}, figures, of.results.latency.cycles});
    }};
const ResultTable kLatencyLines = {
    {"latency_line", "latency_lines", "How long the accesses at a line took, by kernel.",
     kColumnsOf<kLatencyLineFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kLatencyLineFields> send(visit);
      for (const auto &[line, durations] : of.results.latency.lines)
        send({kernelName(of, line.kernel), line, durations, of.results.latency.cycles});
    }};
const ResultTable kLatencyShapes = {
    {"latency_shape", "latency_shapes", "How long an access took where it had so many sectors or wavefronts.",
     kColumnsOf<kShapeFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kShapeFields> send(visit);
      for (const auto &[key, figures] : of.results.latency.accesses)
        for (const auto &[shape, moments] : figures.shapes)
          send({{kernelName(of, key.access.kernel), key}, figures.widthOf, shape, moments});
    }};
const ResultTable kLatencyHistogram = {
    {"latency_bucket", "latency_histogram", "How many samples of an access took so many cycles.",
     kColumnsOf<kHistogramFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kHistogramFields> send(visit);
      for (const auto &[key, figures] : of.results.latency.accesses)
        for (const LatencyHistogram::Bucket &bucket : figures.durations.histogram.buckets())
          send({{kernelName(of, key.access.kernel), key}, bucket});
    }};
const ResultTable kLatencyClasses = {
    {"latency_class", "",
     "How many samples of an access took so many cycles, in classes no wider than an eighth of what they "
     "hold.",
     kColumnsOf<kLatencyClassFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kLatencyClassFields> send(visit);
      for (std::uint64_t access = 0; const auto &[key, figures] : of.results.latency.accesses) {
        for (const LatencyHistogram::Bucket &each : figures.durations.histogram.classes())
          send({access, each});
        ++access;
      }
    }};
const ResultTable kLatencyMultiprocessors = {
    {"latency_multiprocessor", "latency_multiprocessors",
     "How long a kernel's accesses took on one multiprocessor.", kColumnsOf<kMultiprocessorFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kMultiprocessorFields> send(visit);
      for (const auto &[place, figures] : of.results.latency.multiprocessors)
        send({kernelName(of, place.kernel), place.sm, figures});
    }};
const ResultTable kLatencyWarps = {{"latency_warp", "latency_warps",
                                    "How long a warp's accesses took, by launch and multiprocessor.",
                                    kColumnsOf<kWarpFields>},
                                   [](const ResultSource &of, const RowVisitor &visit) {
                                     RowSender<kWarpFields> send(visit);
                                     for (const LatencyOfWarp &warp : of.results.latency.warps)
                                       send({of.idOf(warp.launch), placeOf(of, warp.launch, warp.cta), warp});
                                   }};
const ResultTable kLatencySeries = {
    {"latency_of_series", "latency_series", "The accesses of one warp, one by one.",
     kColumnsOf<kSeriesFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kSeriesFields> send(visit);
      for (const LatencyOfSeries &access : of.results.latency.series)
        send({of.idOf(access.launch), placeOf(of, access.launch, access.sample.cta), access});
    }};

} // namespace cupr::analysis
