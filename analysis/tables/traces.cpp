/// Several traces, one in a row.
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

constexpr auto kTraceFields = joined(
    std::to_array<Field<TraceSummary>>({
        {{"trace", Text, "path of the file"}, CUPR_GET(row.path)},
        {Column{"rank", Number, "of an MPI program, as the file's name says it; null: it says nothing"}
             .orNull(),
         CUPR_GET(row.rank ? valueOf(*row.rank) : Value())},
        {{"program", Text, "path of the executable"}, CUPR_GET(row.program)},
        {{"device", Text, "as the CUDA runtime calls it"}, CUPR_GET(row.device)},
        {{"launches", Number, "that are shown"}, CUPR_GET(row.launches)},
        {{"incomplete_launches", Number, "of these: not traced, or not completely"},
         CUPR_GET(row.incompleteLaunches)},
        {{"truncated", Flag, "the trace stops early, or was repaired: figures cover what is there"},
         CUPR_GET(row.isTruncated)},
    }),
    fieldsOf<TraceSummary, kCountFields, &TraceSummary::counts>(),
    std::to_array<Field<TraceSummary>>({
        {Column{"device_time", Nanoseconds, "sum of the launches', with tracing; null: of none is it known"}
             .orNull(),
         CUPR_GET(row.deviceTime ? valueOf(*row.deviceTime) : Value())},
        {{"requests", Number, "accesses of warps"}, CUPR_GET(row.made.requests)},
        {{"sectors", Number, "of 32 bytes, distinct per request, summed"}, CUPR_GET(row.made.sectors)},
        {{"least_sectors", Number, "if each request's bytes lay side by side"},
         CUPR_GET(row.made.leastSectors)},
        {{"excess_seconds", Real, "that the excess sectors take at the bandwidth of the device's memory"},
         CUPR_GET(row.excessSeconds)},
        {{"written_bytes", Bytes, "distinct bytes per launch, summed, and what copies wrote for launches"},
         CUPR_GET(row.volume.uniqueWritten + row.volume.copied)},
        {{"communicated_bytes", Bytes, "of written_bytes: a later launch read them"},
         CUPR_GET(row.volume.readByLaunches)},
        {{"handed_on_bytes", Bytes, "of communicated_bytes: to another CTA or another kernel"},
         CUPR_GET(row.volume.handedOn)},
        {{"to_host_bytes", Bytes, "of written_bytes: the host read them"}, CUPR_GET(row.volume.readByHost)},
        {{"from_host_bytes", Bytes, "distinct bytes per launch that the host had written"},
         CUPR_GET(row.volume.readFromHost)},
        {{"worst_kernel", Text, "with most excess sectors; empty: no access has any"}, CUPR_GET(row.kernel)},
        {{"worst_kernel_excess_sectors", Number, "of all its accesses"},
         CUPR_GET(row.ofKernel.sectors - row.ofKernel.leastSectors)},
        {{"worst_file", Text, "of its access with most excess sectors; empty: unknown"},
         CUPR_GET(row.access.file)},
        {{"worst_line", Number, "0: unknown"}, CUPR_GET(row.access.line)},
        {{"worst_operation", Text, "\"load\", \"store\", \"atomic add\" ...; empty: no access has any"},
         CUPR_GET(row.kernel.empty() ? "" : abi::operationName(row.access.operation))},
        {{"worst_excess_sectors", Number, "of this access"},
         CUPR_GET(row.ofAccess.sectors - row.ofAccess.leastSectors)},
        {Column{"faults", Number, "that the check found; null: it was not asked for"}.orNull(),
         CUPR_GET(row.faults ? valueOf(*row.faults) : Value())},
    }));

} // namespace

const ResultTable kTraces = {
    {"trace", "", "One of several traces: what its launches did, in sums.", kColumnsOf<kTraceFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      traceRow(summaryOf(of.model, of.results), visit);
    }};

void traceRow(const TraceSummary &summary, const RowVisitor &visit) {
  RowSender<kTraceFields>{visit}(summary);
}

} // namespace cupr::analysis
