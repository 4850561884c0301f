/// What belongs to places of the source: dependences, allocations, lines, findings.
#include "analysis/output/kind_names.h"
#include "place_text.h"
#include "stride_list.h"
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

// Dependences.

struct DependenceRow {
  DependenceClass dependence;
  PlaceText first, second;
  const DependenceVolume &volume;
  bool isOrdered() const { return dependence.order == DependenceOrder::Ordered; }
};

constexpr auto kPlaceFields = std::to_array<Field<PlaceText>>({
    {{"kernel", Text, "\"host\": a copy or a set"}, CUPR_GET(row.kernel)},
    {{"file", Text, "empty: unknown"}, CUPR_GET(row.file)},
    {{"line", Number, "0: unknown"}, CUPR_GET(row.line)},
    {{"operation", Text, "\"load\", \"store\", \"atomic add\" ..."}, CUPR_GET(row.operation)},
});
constexpr auto kColumnFields = std::to_array<Field<PlaceText>>({
    {{"column", Number, "0: unknown"}, CUPR_GET(row.column)},
});

constexpr auto kDependenceFields =
    joined(std::to_array<Field<DependenceRow>>({
               {Column{"kind", Text, "RAW, WAR or WAW"}.oneOf("RAW|WAR|WAW"),
                CUPR_GET(dependenceName(row.dependence.kind))},
               {Column{"dependence_order", Text, "\"ordered\", \"concurrent\" or \"insideLaunch\""}
                    .as("order")
                    .oneOf("ordered|concurrent|insideLaunch"),
                CUPR_GET(dependenceName(row.dependence.order))},
           }),
           fieldsOf<DependenceRow, kPlaceFields, &DependenceRow::first, "first_", "first.">(),
           fieldsOf<DependenceRow, kPlaceFields, &DependenceRow::second, "second_", "second.">(),
           std::to_array<Field<DependenceRow>>({
               {{"bytes", Bytes, "RAW: of the threads' accesses; else distinct bytes per launch"},
                CUPR_GET(row.volume.bytes)},
               {{"same_index_bytes", Bytes, "of bytes"}, CUPR_GET(row.volume.sameIndex)},
               {{"other_index_bytes", Bytes, "of bytes"}, CUPR_GET(row.volume.otherIndex)},
           }),
           fieldsOf<DependenceRow, kColumnFields, &DependenceRow::first, "first_", "first.">(),
           fieldsOf<DependenceRow, kColumnFields, &DependenceRow::second, "second_", "second.">(),
           std::to_array<Field<DependenceRow>>({
               {Column{"guaranteed", Flag, "the order is `ordered`"}.inJson(), CUPR_GET(row.isOrdered())},
               {Column{"directed", Flag, "it is known which of the two came first"}.inJson(),
                CUPR_GET(row.isOrdered())},
           }));

DependenceRow rowOf(const ResultSource &of, const std::pair<const Dependence, DependenceVolume> &entry) {
  const Communication &c = of.results.communication;
  const auto &[dependence, volume] = entry;
  return {dependence.dependence, placeText(of.model, c, dependence.first),
          placeText(of.model, c, dependence.second), volume};
}

bool isShown(const ResultSource &of, const Dependence &dependence) {
  for (const KernelSite &place : {dependence.first, dependence.second})
    if (of.results.shown.hasPlace(place.launch, placeText(of.model, of.results.communication, place).file))
      return true;
  return false;
}

void dependenceRows(const ResultSource &of, const RowVisitor &visit) {
  RowSender<kDependenceFields> send(visit);
  for (const auto &entry : of.results.communication.dependences)
    if (isShown(of, entry.first))
      send(rowOf(of, entry));
}

void largestDependenceRows(const ResultSource &of, const RowVisitor &visit) {
  std::vector<const std::pair<const Dependence, DependenceVolume> *> sorted;
  for (const auto &entry : of.results.communication.dependences)
    if (isShown(of, entry.first))
      sorted.push_back(&entry);
  std::ranges::sort(sorted, [](const auto *a, const auto *b) {
    return a->second.bytes != b->second.bytes ? a->second.bytes > b->second.bytes : a->first < b->first;
  });
  RowSender<kDependenceFields> send(visit);
  for (const auto *entry : sorted)
    send(rowOf(of, *entry));
}

// Allocations.

struct AllocationRow {
  const AllocationInfo *info; ///< null: memory in no known allocation
  const AllocationVolume &volume;
  std::string_view name() const { return info ? std::string_view(info->allocation.name) : ""; }
  std::string_view call() const { return info ? std::string_view(info->allocation.call) : ""; }
  std::string_view type() const { return info ? std::string_view(info->allocation.type) : ""; }
  std::string_view file() const { return info ? std::string_view(info->allocation.file) : ""; }
};

constexpr auto kAllocationFields = joined(
    std::to_array<Field<AllocationRow>>({
        {Column{"ordinal", Number, "from 0; null: memory in no known allocation"}.orNull(),
         CUPR_GET(row.info ? valueOf(row.info->ordinal) : Value())},
        {{"name", Text, "of the variable"}, CUPR_GET(row.name())},
        {{"call", Text, "that made it"}, CUPR_GET(row.call())},
        {{"kind", Text, "of memory"}, CUPR_GET(row.info ? kindName(row.info->allocation.kind) : "unknown")},
        {{"address", Address, "first byte"},
         CUPR_GET(row.info ? row.info->allocation.address : std::uint64_t{0})},
        {{"bytes", Bytes, "size"}, CUPR_GET(row.info ? row.info->allocation.bytes : std::uint64_t{0})},
        {{"freed", Flag, "before the program's end"},
         CUPR_GET(row.info && row.info->freedOrder != UINT64_MAX)},
    }),
    fieldsOf<AllocationRow, kCountFields, [](const AllocationRow &row) { return row.volume.counts; }>(),
    std::to_array<Field<AllocationRow>>({
        {{"unique_read_bytes", Bytes, "distinct bytes per launch, summed"}, CUPR_GET(row.volume.uniqueRead)},
        {{"unique_written_bytes", Bytes, "distinct bytes per launch, summed"},
         CUPR_GET(row.volume.uniqueWritten)},
        {{"communicated_bytes", Bytes, "of unique_written_bytes and copied_bytes"},
         CUPR_GET(row.volume.communicated)},
        {{"copied_bytes", Bytes, "into it, of what launches wrote"}, CUPR_GET(row.volume.copied)},
        {{"element_type", Text, "as in the source"}, CUPR_GET(row.type())},
        {{"file", Text, "of the call in the source"}, CUPR_GET(row.file())},
        {{"line", Number, "of the call in the source; 0: unknown"},
         CUPR_GET(row.info ? row.info->allocation.line : 0u)},
        {{"column", Number, "of the call in the source; 0: unknown"},
         CUPR_GET(row.info ? row.info->allocation.column : 0u)},
    }));

void allocationRows(const ResultSource &of, const RowVisitor &visit) {
  RowSender<kAllocationFields> send(visit);
  const std::vector<AllocationVolume> &volumes = of.results.communication.allocations;
  for (const AllocationInfo &info : of.model.allocations())
    send({&info, volumes[info.ordinal]});
  if (volumes.back().counts.accesses() != 0)
    send({nullptr, volumes.back()});
}

// Lines.

struct LineRow {
  const std::string &file;
  std::uint32_t number;
  const LineVolume &volume;
  std::vector<std::string> functions;
  std::string strides;
};

constexpr auto kLineFields = joined(
    std::to_array<Field<LineRow>>({
        {{"file", Text, "empty: unknown"}, CUPR_GET(row.file)},
        {{"line", Number, "0: unknown"}, CUPR_GET(row.number)},
        {{"functions", Texts, "that hold the accesses"}, CUPR_GET(row.functions)},
    }),
    fieldsOf<LineRow, kCountFields, [](const LineRow &row) { return row.volume.counts; }>(),
    std::to_array<Field<LineRow>>({
        {{"requests", Number, "accesses of warps"}, CUPR_GET(row.volume.requests)},
        {{"sectors", Number, "of 32 bytes, distinct per request, summed"}, CUPR_GET(row.volume.sectors)},
        {{"least_sectors", Number, "if each request's bytes lay side by side"},
         CUPR_GET(row.volume.leastSectors)},
        {{"communicated_bytes", Bytes, "distinct bytes written here that a later launch read"},
         CUPR_GET(row.volume.communicated)},
        {{"read_communicated_bytes", Bytes, "read here by threads that an earlier launch had written"},
         CUPR_GET(row.volume.readCommunicated)},
        {{"sectors_per_request", Real, "sectors / requests; 0 without requests"},
         CUPR_GET(row.volume.requests == 0
                      ? 0
                      : static_cast<double>(row.volume.sectors) / static_cast<double>(row.volume.requests))},
        {Column{"excess_sectors", Number, "sectors - leastSectors"}.inJson(),
         CUPR_GET(row.volume.sectors - row.volume.leastSectors)},
        {Column{"strides", JsonText, "as the member strides"}.oneOf(kStrideSchema).inJson(),
         CUPR_GET(row.strides)},
    }));

void lineRows(const ResultSource &of, const RowVisitor &visit) {
  RowSender<kLineFields> send(visit);
  for (const SourceFile &file : of.results.sources)
    for (const auto &[number, line] : file.lines)
      send({file.path,
            number,
            line,
            {line.functions.begin(), line.functions.end()},
            strideList(line.strides)});
}

// Accesses.

struct AccessRow {
  std::string_view kernel;
  const AccessKey &key;
  const AccessCost &cost;
};

constexpr auto kAccessFields = joined(
    std::to_array<Field<AccessRow>>({
        {{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)},
    }),
    fieldsOf<AccessRow, kAccessKeyFields,
             [](const AccessRow &row) -> const AccessKey & { return row.key; }>(),
    std::to_array<Field<AccessRow>>({
        {{"accesses", Number, "by threads"}, CUPR_GET(row.cost.threads)},
        {{"requests", Number, "accesses of warps"}, CUPR_GET(row.cost.made.requests)},
        {{"sectors", Number, "of 32 bytes, distinct per request, summed"}, CUPR_GET(row.cost.made.sectors)},
        {{"least_sectors", Number, "if each request's bytes lay side by side"},
         CUPR_GET(row.cost.made.leastSectors)},
    }));

constexpr auto kSourceFields = std::to_array<Field<SourceFile>>({
    {{"path", Text, ""}, CUPR_GET(row.path)},
    {{"text", Text, ""}, CUPR_GET(row.text)},
});

// Findings.

constexpr auto kFindingFields = std::to_array<Field<Finding>>({
    {{"id", Text, "of the rule"}, CUPR_GET(idOf(row.rule))},
    {{"title", Text, "what is the matter"}, CUPR_GET(row.title)},
    {{"advice", Text, "what to do"}, CUPR_GET(row.advice)},
    {{"kernel", Text, "empty: no single one"}, CUPR_GET(row.kernel)},
    {{"file", Text, "empty: none"}, CUPR_GET(row.file)},
    {{"line", Number, "0: none"}, CUPR_GET(row.line)},
    {{"amount", Number, "the cost"}, CUPR_GET(row.amount)},
    {Column{"unit", Text, "of amount"}.oneOf("sectors|requests|wavefronts|bytes|accesses|copies|launches"),
     CUPR_GET(unitOf(row.rule))},
    {{"share", Share, "amount, of all of this unit in the program"}, CUPR_GET(row.share)},
    {{"column", Number, "of the access; 0: none"}, CUPR_GET(row.column)},
    {Column{"operation", Text, "\"load\", \"store\" or \"atomic\"; empty: no single access"}.oneOf(
         "|load|store|atomic"),
     CUPR_GET(row.operation)},
    {Column{
         "severity", Text,
         "\"correctness\" comes first, then \"cost\", by cycles where launches lost them, else by its time, "
         "then \"coverage\": what figures lack"}
         .oneOf("correctness|cost|coverage"),
     CUPR_GET(nameOf(severityOf(row.rule)))},
    {{"expression", Text, "the source's words for the access, so far as its place tells; empty: not known"},
     CUPR_GET(row.expression)},
    {{"seconds", Real, "that the amount takes at most; 0: not known"}, CUPR_GET(row.seconds)},
    {{"measured", Flag, "seconds are the trace's own times; else they follow from the device's figures"},
     CUPR_GET(row.isMeasured)},
    {{"path", Text,
      "functions of the host that lead to the call at this place, outermost first; empty: it concerns no "
      "call, or is not known"},
     CUPR_GET(row.path)},
    {Column{"lost_cycles", Real,
            "that timed launches took beyond narrower accesses of the same bytes; null: not known"}
         .orNull(),
     CUPR_GET(row.lost ? valueOf(row.lost->cycles) : Value())},
    {Column{"lost_cycles_error", Real, "half width of the interval of 95 % around lost_cycles"}.orNull(),
     CUPR_GET(row.lost ? valueOf(row.lost->error) : Value())},
    {Column{"lost_cycles_share", Share, "of the access's records that lost_cycles are known of"}.orNull(),
     CUPR_GET(row.lost ? valueOf(row.lost->share) : Value())},
});

} // namespace

const ResultTable kDependences = {
    {"dependence", "dependences", "Bytes by two places in the source.", kColumnsOf<kDependenceFields>},
    dependenceRows};
const ResultTable kLargestDependences = {{"largest_dependence", "",
                                          "Which line depends on which, by descending bytes.",
                                          kColumnsOf<kDependenceFields>},
                                         largestDependenceRows};
const ResultTable kAllocations = {
    {"allocation", "allocations", "Accesses by allocation.", kColumnsOf<kAllocationFields>}, allocationRows};
const ResultTable kLines = {{"line", "lines", "Accesses by source line.", kColumnsOf<kLineFields>}, lineRows};
const ResultTable kAccesses = {
    {"access", "accesses",
     "Accesses of the source by kernel, and by the calls that led there. Barriers of grids, "
     "which lines count, are left out.",
     kColumnsOf<kAccessFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kAccessFields> send(visit);
      for (const auto &[key, cost] : of.results.accesses)
        send({of.model.launches()[key.kernel].kernel, key, cost});
    }};
const ResultTable kSources = {
    {"source", "", "The text of the sources, as far as it is known.", kColumnsOf<kSourceFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kSourceFields> send(visit);
      for (const SourceFile &file : of.results.sources)
        if (!file.text.empty())
          send(file);
    }};
const ResultTable kFindings = {{"finding", "findings", "What costs most.", kColumnsOf<kFindingFields>},
                               [](const ResultSource &of, const RowVisitor &visit) {
                                 std::ranges::for_each(of.results.findings, RowSender<kFindingFields>(visit));
                               }};

} // namespace cupr::analysis
