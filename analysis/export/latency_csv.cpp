#include "csv_table.h"
#include "latency_exports.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;
constexpr Column kColumns[] = {
    {"launch", Number, "launch.id"},
    {"kernel", Text, "launch.kernel"},
    {"cta_x", Number, "block"},
    {"cta_y", Number, "block"},
    {"cta_z", Number, "block"},
    {"warp", Number, "of the block"},
    {"sm", Number, "multiprocessor"},
    {"clock", Number, "of its multiprocessor, when it began"},
    {"duration", Number, "cycles"},
    {"file", Text, "empty: unknown"},
    {"line", Number, "0: unknown"},
    {"column", Number, "0: unknown"},
    {"operation", Text, "site.operation"},
    {"space", Text, "site.space"},
    {"bytes", Number, "of each thread; 0: they differ"},
    {"threads", Number, "that made it"},
    {"sectors", Number, "of global memory; else empty", true},
    {"wavefronts", Number, "of shared memory; else empty", true},
};
constexpr RowKind kSamples = {"latency_sample", "latency_samples", "An access of a warp.", kColumns};

} // namespace

void writeLatencyCsv(const Model &model, const LatencySelection &selection, ByteSink &sink,
                     Progress *progress) {
  constexpr std::uint64_t kStepsPerRow = 1500, kStepsPerCharacter = 8;
  CsvTable table(sink, kSamples);
  Values row;
  const LatencySamples samples(model, selection);
  samples.forEachChunk(
      [&](const LaunchInfo &launch, std::size_t, const LatencySamplesOfChunk &chunk) {
        const trace::Module &module = *model.moduleOf(launch);
        for (const LatencySample &sample : chunk.samples) {
          const trace::Site &site = module.sites[sample.site];
          const std::string &file = module.strings[site.file];
          model.limit().spend(kStepsPerRow + kStepsPerCharacter * (file.size() + launch.kernel.size()),
                              [&] { return launch.kernel + ": writing its samples"; });
          const trace::Dim3 place = placeInGrid(launch.launch.grid, sample.cta);
          const LatencyWidth width = latencyWidthOf(site);
          const auto ifOf = [&](LatencyWidth of) { return width == of ? valueOf(sample.width) : Value(); };
          row = {valueOf(static_cast<std::uint64_t>(launch.number)),
                 valueOf(launch.kernel),
                 valueOf(place.x),
                 valueOf(place.y),
                 valueOf(place.z),
                 valueOf(sample.warp),
                 valueOf(sample.sm),
                 valueOf(sample.start),
                 valueOf(sample.duration),
                 valueOf(file),
                 valueOf(site.line),
                 valueOf(site.column),
                 valueOf(abi::operationName(site.operation)),
                 valueOf(abi::spaceName(abi::spaceOf(site.space))),
                 valueOf(site.bytes),
                 valueOf(sample.threads),
                 ifOf(LatencyWidth::Sectors),
                 ifOf(LatencyWidth::Wavefronts)};
          table.row(row);
        }
      },
      progress);
  sink.finish();
}

} // namespace cupr::analysis
