/// The tables that results consist of: every figure of the analysis is a field of one, with its name, unit,
/// meaning and how to get it, and stands nowhere else. CSV, SQLite, their schemas and the page of tables are
/// made from them, and so are most members of `comm --json` and its schema. docs/analysis.md defines the figures.
///
/// Rules for changes: columns are only added at the end of their tables, tables at the end of kResultTables, and
/// nothing is renamed.
#ifndef CUPR_ANALYSIS_TABLES_TABLE_H
#define CUPR_ANALYSIS_TABLES_TABLE_H

#include "analysis/metrics/address_history.h"
#include "analysis/metrics/entity_volumes.h"
#include "analysis/metrics/results.h"
#include "analysis/metrics/thread_strides.h"
#include "analysis/metrics/trace_summary.h"
#include "field.h"

#include <functional>
#include <memory>
#include <span>

namespace cupr::analysis {

/// What there are results of; all of it outlives its use.
struct ResultSource {
  const Model &model;
  const Results &results;
  SortedSum<HistoryEntry> *history = nullptr;                            ///< null: it was not asked for
  SortedSum<ThreadStride> *threadStrides = nullptr;                      ///< likewise
  bool parts = false;                                                    ///< of the graph of CTAs, too
  mutable std::shared_ptr<const EntityTraffics> knownTraffics = nullptr; ///< see traffics()

  /// Computed when they are first asked for: not from two threads.
  const EntityTraffics &traffics() const {
    if (!knownTraffics)
      knownTraffics = std::make_shared<const EntityTraffics>(entityTraffics(results.communication));
    return *knownTraffics;
  }
  std::uint64_t idOf(LaunchIndex launch) const {
    return static_cast<std::uint64_t>(model.launches()[launch].launch.id);
  }
  /// Null: the host.
  Value launchOrHost(LaunchIndex launch) const { return launch == kHost ? Value() : Value(idOf(launch)); }
};

/// The values are valid during the call.
using RowVisitor = std::function<void(const Values &)>;

struct ResultTable : RowKind {
  /// Row by row. Nothing is kept: there may be millions.
  void (*forEachRow)(const ResultSource &source, const RowVisitor &visit);
};

/// Those of CSV and SQLite, in their order.
extern const std::span<const ResultTable *const> kResultTables;
/// Those that only JSON has.
extern const std::span<const ResultTable *const> kJsonTables;

extern const ResultTable kProgram, kKernelVolumes, kLaunches, kSupersteps, kCtaVolumes, kSmVolumes,
    kTransfers, kLaunchPairs, kDistances, kTransferSizes, kDegrees, kStrides, kBisections, kDependences,
    kAllocations, kLines, kFindings, kAdvisorCuts, kAdvisorSupersteps, kAdvisorInside, kAdvisorAtomics,
    kAdvisorParts, kAddressHistory, kThreadStrides, kCtaStrides, kAccesses, kBankAccesses, kBankKernels,
    kProfileNodes, kProfileProcedures, kProfileKinds, kProfileThreads, kProfileSamplings;
/// kLargestDependences: kDependences by descending bytes.
extern const ResultTable kVolumes, kOtherMemory, kKernels, kCommunicationTransfers, kLargestDependences,
    kSources, kCacheAccesses, kCacheKernels, kCacheAllocations, kLatencyKernels, kLatencyAccesses,
    kLatencyLines, kLatencyShapes, kLatencyHistogram, kLatencyClasses, kLatencyMultiprocessors, kLatencyWarps,
    kLatencySeries, kLatencySlowdowns, kCacheReuse, kCacheAllocationReuse, kInstructionKernels,
    kInstructionLines, kRooflineKernels, kRooflineLines, kRooflineCeilings, kTraces;

/// The row of kVolumes for what several programs did.
void volumesRow(const ProgramVolume &volume, const RowVisitor &visit);
/// The row of kTraces.
void traceRow(const TraceSummary &summary, const RowVisitor &visit);

/// Gives a visitor rows of a list of fields.
template <const auto &Fields> class RowSender {
public:
  using Row = typename std::remove_cvref_t<decltype(Fields[0])>::RowType;
  explicit RowSender(const RowVisitor &visit) : visit_(visit) {}
  void operator()(const Row &row) {
    values_.clear();
    for (const Field<Row> &field : Fields)
      values_.push_back(field.get(row));
    visit_(values_);
  }

private:
  const RowVisitor &visit_;
  Values values_;
};

// What several tables have.

/// A grid, a block, or the place of a block in its grid: in JSON a list of three numbers.
template <FixedText Unit>
inline constexpr auto kDimFields = std::to_array<Field<trace::Dim3>>({
    {Column{"x", ColumnType::Number, Unit.view()}.as("[]"), CUPR_GET(row.x)},
    {Column{"y", ColumnType::Number, Unit.view()}.as("[]"), CUPR_GET(row.y)},
    {Column{"z", ColumnType::Number, Unit.view()}.as("[]"), CUPR_GET(row.z)},
});

inline constexpr auto kCountFields = std::to_array<Field<trace::Counts>>({
    {{"loads", ColumnType::Number, "by threads"}, CUPR_GET(row.loads)},
    {{"stores", ColumnType::Number, "by threads"}, CUPR_GET(row.stores)},
    {{"atomics", ColumnType::Number, "by threads"}, CUPR_GET(row.atomics)},
    {{"load_bytes", ColumnType::Bytes, "by threads"}, CUPR_GET(row.loadBytes)},
    {{"store_bytes", ColumnType::Bytes, "by threads"}, CUPR_GET(row.storeBytes)},
    {{"atomic_bytes", ColumnType::Bytes, "by threads"}, CUPR_GET(row.atomicBytes)},
});

inline constexpr auto kAccessKeyFields = std::to_array<Field<AccessKey>>({
    {{"file", ColumnType::Text, "empty: unknown"}, CUPR_GET(row.file)},
    {{"line", ColumnType::Number, "0: unknown"}, CUPR_GET(row.line)},
    {{"column", ColumnType::Number, "0: unknown"}, CUPR_GET(row.column)},
    {{"operation", ColumnType::Text, "\"load\", \"store\", \"atomic add\" ..."},
     CUPR_GET(abi::operationName(row.operation))},
    {{"function", ColumnType::Text, "that holds the access in the source"}, CUPR_GET(row.function)},
    {{"callers", ColumnType::Texts,
      "functions that led there by calls, inlined or not, innermost first; in brackets what nobody can name"},
     CUPR_GET(row.callers)},
    {{"call_sites", ColumnType::Texts, "file:line:column of the call in each of callers"},
     CUPR_GET(row.callSites)},
    {{"bytes", ColumnType::Bytes, "of each thread; 0: they differ"}, CUPR_GET(row.bytes)},
});

} // namespace cupr::analysis

#endif
