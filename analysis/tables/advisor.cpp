/// What several GPUs would have to exchange, for each way to cut the grids.
#include "analysis/metrics/cta_graph.h"
#include "analysis/output/json.h"
#include "table.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

using enum ColumnType;

struct CutRow {
  std::uint64_t id;
  const AdvisorCut &cut;
  bool isBest;
  std::string inside;
};
trace::Dim3 tilesOf(const CutRow &row) { return {row.cut.tiles.x, row.cut.tiles.y, row.cut.tiles.z}; }

constexpr auto kCutFields = joined(
    std::to_array<Field<CutRow>>({
        {Column{"id", Number, "from 0"}.inTables(), CUPR_GET(row.id)},
        {{"devices", Number, "GPUs"}, CUPR_GET(row.cut.devices)},
        {Column{"cut", Text, "\"x\", \"y\", \"z\", \"block\", \"cyclic\" or \"graph\""}.oneOf(
             "x|y|z|block|cyclic|graph"),
         CUPR_GET(cutName(row.cut.kind))},
    }),
    fieldsOf<CutRow, kDimFields<"parts">, &tilesOf, "tiles_", "tiles">(),
    std::to_array<Field<CutRow>>({
        {Column{"best", Flag, "of this number of GPUs"}.inTables(), CUPR_GET(row.isBest)},
        {{"crossing_bytes", Bytes, "between GPUs"}, CUPR_GET(row.cut.crossing)},
        {{"crossing_once_bytes", Bytes, "if each GPU kept what it has read until it is written again"},
         CUPR_GET(row.cut.crossingOnce)},
        {{"crossing_share", Share, "of the bytes of all transfers"}, CUPR_GET(row.cut.crossingShare)},
        {{"read_from_host_bytes", Bytes,
          "that the host wrote: once for each GPU that reads them, until they are written again"},
         CUPR_GET(row.cut.readFromHost)},
        {{"inside_launches_bytes", Bytes, "of dependences inside a launch between CTAs on different GPUs"},
         CUPR_GET(row.cut.insideLaunches)},
        {{"memory_bytes", Bytes, "of the GPU that needs most"}, CUPR_GET(row.cut.memory)},
        {{"balance", Ratio, "bytes accessed by the busiest GPU / mean"}, CUPR_GET(row.cut.balance)},
        {{"access_balance", Ratio, "accesses of the busiest GPU / mean"}, CUPR_GET(row.cut.accessBalance)},
        {{"parallelism", Ratio, "how much faster the work would be if nothing had to cross"},
         CUPR_GET(row.cut.parallelism)},
        {{"seconds", Seconds, "on the link"}, CUPR_GET(row.cut.seconds)},
        {Column{"speedup", Real, "over one GPU; null without --kernel-time"}.orNull(),
         CUPR_GET(row.cut.speedup)},
        {Column{"supersteps", Numbers, "crossing bytes of superstep n"}.inJson(),
         CUPR_GET(row.cut.supersteps)},
        {Column{"inside", JsonText, "insideLaunchesBytes by kernel, the one with most first"}
             .oneOf(R"({"$fields": "advisor_inside"})")
             .inJson(),
         CUPR_GET(row.inside)},
    }));

std::string insideList(const AdvisorCut &cut) {
  analysis::Json json;
  json.beginArray();
  for (const InsideKernel &kernel : cut.inside)
    json.beginObject().field("kernel", kernel.kernel).field("bytes", kernel.bytes).endObject();
  return json.endArray().take();
}

struct CutSuperstep {
  std::uint64_t cut, superstep, bytes;
};
constexpr auto kAdvisorSuperstepFields = std::to_array<Field<CutSuperstep>>({
    {{"cut", Number, "advisor_cuts.id"}, CUPR_GET(row.cut)},
    {{"superstep", Number, "of the readers"}, CUPR_GET(row.superstep)},
    {{"crossing_bytes", Bytes, "between GPUs"}, CUPR_GET(row.bytes)},
});

struct CutKernel {
  std::uint64_t cut;
  const InsideKernel &inside;
};
constexpr auto kInsideFields = std::to_array<Field<CutKernel>>({
    {Column{"cut", Number, "advisor_cuts.id"}.inTables(), CUPR_GET(row.cut)},
    {{"kernel", Text, ""}, CUPR_GET(row.inside.kernel)},
    {{"bytes", Bytes, "of dependences inside its launches between CTAs on different GPUs"},
     CUPR_GET(row.inside.bytes)},
});

constexpr auto kAtomicFields = std::to_array<Field<SharedAtomic>>({
    {{"kernel", Text, ""}, CUPR_GET(row.kernel)},
    {{"file", Text, "empty: unknown"}, CUPR_GET(row.file)},
    {{"line", Number, "0: unknown"}, CUPR_GET(row.line)},
    {{"column", Number, "0: unknown"}, CUPR_GET(row.column)},
    {{"bytes", Bytes, "of dependences inside a launch between CTAs that it is an end of"},
     CUPR_GET(row.bytes)},
});

struct PartRow {
  std::uint64_t devices;
  trace::Dim3 grid;
  std::uint64_t cta, device;
};
constexpr auto kPartFields =
    joined(std::to_array<Field<PartRow>>({
               {{"devices", Number, "GPUs"}, CUPR_GET(row.devices)},
           }),
           fieldsOf<PartRow, kDimFields<"CTAs">, &PartRow::grid, "grid_">(),
           std::to_array<Field<PartRow>>({
               {{"cta", Number, "linear number in launches with this grid"}, CUPR_GET(row.cta)},
               {{"device", Number, "the GPU, from 0"}, CUPR_GET(row.device)},
           }));

/// Calls `take(index, cut)`; not at all without an advisor.
template <typename Take> void forEachCut(const ResultSource &of, Take take) {
  if (of.results.advisor)
    for (std::size_t i = 0; i < of.results.advisor->cuts.size(); ++i)
      take(i, of.results.advisor->cuts[i]);
}

/// By number of GPUs, grid and CTA.
void partRows(const ResultSource &of, const RowVisitor &visit) {
  if (!of.parts)
    return;
  RowSender<kPartFields> send(visit);
  const Grids grids(of.model);
  forEachCut(of, [&](std::size_t, const AdvisorCut &cut) {
    if (cut.parts.empty())
      return;
    for (const Grids::Grid &grid : grids.all())
      for (std::uint64_t cta = 0; cta < std::uint64_t{grid.dim.x} * grid.dim.y * grid.dim.z; ++cta)
        send({cut.devices, grid.dim, cta, cut.parts[static_cast<std::size_t>(grid.firstVertex + cta)]});
  });
}

} // namespace

const ResultTable kAdvisorCuts = {
    {"advisor_cut", "advisor_cuts", "A way to share the CTAs between GPUs.", kColumnsOf<kCutFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kCutFields> send(visit);
      forEachCut(of, [&](std::size_t i, const AdvisorCut &cut) {
        send({i, cut, std::ranges::count(of.results.advisor->best, i) != 0, insideList(cut)});
      });
    }};
const ResultTable kAdvisorSupersteps = {{"advisor_superstep", "advisor_supersteps",
                                         "What crosses in a superstep.", kColumnsOf<kAdvisorSuperstepFields>},
                                        [](const ResultSource &of, const RowVisitor &visit) {
                                          RowSender<kAdvisorSuperstepFields> send(visit);
                                          forEachCut(of, [&](std::size_t i, const AdvisorCut &cut) {
                                            for (std::size_t step = 0; step < cut.supersteps.size(); ++step)
                                              send({i, step, cut.supersteps[step]});
                                          });
                                        }};
const ResultTable kAdvisorInside = {{"advisor_inside", "advisor_inside",
                                     "What GPUs exchange inside launches of a kernel.",
                                     kColumnsOf<kInsideFields>},
                                    [](const ResultSource &of, const RowVisitor &visit) {
                                      RowSender<kInsideFields> send(visit);
                                      forEachCut(of, [&](std::size_t i, const AdvisorCut &cut) {
                                        for (const InsideKernel &kernel : cut.inside)
                                          send({i, kernel});
                                      });
                                    }};
const ResultTable kAdvisorAtomics = {
    {"advisor_atomic", "advisor_atomics", "An atomic access that CTAs of one launch share.",
     kColumnsOf<kAtomicFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      if (of.results.advisor)
        std::ranges::for_each(of.results.advisor->atomics, RowSender<kAtomicFields>(visit));
    }};
const ResultTable kAdvisorParts = {{"advisor_part", "advisor_parts",
                                    "Where the partition of the graph of CTAs puts a CTA; only with --parts.",
                                    kColumnsOf<kPartFields>},
                                   partRows};

} // namespace cupr::analysis
