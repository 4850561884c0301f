/// The fields of these tables, and the cursors over them.
#include "access_tables.h"

#include "analysis/engine/access_runs.h"
#include "analysis/model/value_text.h"
#include "analysis/tables/field.h"
#include "analysis/tables/table.h"
#include "record_scan.h"

#include <array>
#include <bit>
#include <cassert>
#include <optional>

namespace cupr::analysis {

namespace {

using enum ColumnType;

/// A column that exports or results describe.
const Column &known(const RowKind &kind, std::string_view name) {
  const auto found = std::ranges::find(kind.columns, name, &Column::name);
  assert(found != kind.columns.end() && "it is one of the kind's columns");
  return *found;
}
const Column &recordColumn(std::string_view name) { return known(rowKind(RowKindId::Record), name); }
const Column &accessColumn(std::string_view name) { return known(rowKind(RowKindId::Access), name); }
const Column &wideColumn(std::string_view name) { return known(rowKind(RowKindId::WideAccess), name); }

/// A field whose column may be known when the program runs.
template <typename Row> struct QueryField : Field<Row> {
  Pushed pushed = Pushed::Nothing;
};
template <typename Row> using QueryFields = std::vector<QueryField<Row>>;

/// What is common to rows of a site in a launch.
struct SiteRow {
  OpenTrace &trace;
  const LaunchInfo &launch;
  const trace::Module &module;
  const trace::Site &site;
  std::uint64_t number; ///< id of the site
};

/// Fields of what `get` finds in a row: those of the site that exports give to each access.
template <typename Row, auto get> QueryFields<Row> siteFields() {
#define CUPR_SITE_GET(expression)                                                                            \
  [](const Row &of) -> Value {                                                                               \
    const SiteRow &row = get(of);                                                                            \
    return valueOf(expression);                                                                              \
  }
  return {
      {{wideColumn("kernel"), CUPR_SITE_GET(row.launch.kernel)}, Pushed::Kernel},
      {{wideColumn("operation"), CUPR_SITE_GET(abi::operationName(row.site.operation))}},
      {{wideColumn("space"), CUPR_SITE_GET(abi::spaceName(abi::spaceOf(row.site.space)))}},
      {{wideColumn("file"), CUPR_SITE_GET(row.module.strings[row.site.file])}},
      {{wideColumn("line"), CUPR_SITE_GET(row.site.line)}},
      {{wideColumn("column"), CUPR_SITE_GET(row.site.column)}},
      {{wideColumn("function"), CUPR_SITE_GET(row.trace.functionName(row.module, row.site.function))}},
  };
#undef CUPR_SITE_GET
}

template <typename Row> QueryFields<Row> operator+(QueryFields<Row> first, const QueryFields<Row> &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

template <typename Row> std::uint64_t launchId(const Row &row) {
  return static_cast<std::uint64_t>(row.launch.launch.id);
}

// Totals.

struct TotalRow : SiteRow {
  const SiteTotal &total;
  Value made(std::uint64_t RequestFigures::*figure) const {
    return abi::spaceOf(site.space) == abi::MemorySpace::Global ? Value(total.made.*figure) : Value();
  }
};

/// Null where requests are not counted.
Column requestColumn(std::string_view name) { return known(kLines, name).orNull(); }

const QueryFields<TotalRow> &totalFields() {
  static const QueryFields<TotalRow> kFields =
      QueryFields<TotalRow>{
          {{accessColumn("launch"), [](const TotalRow &row) -> Value { return launchId(row); }},
           Pushed::Launch},
          {{accessColumn("site"), CUPR_GET(row.number)}, Pushed::Site},
          {{{"records", Number, "accesses of warps"}, CUPR_GET(row.total.records)}},
          {{{"accesses", Number, "by threads"}, CUPR_GET(row.total.accesses)}},
          {{{"bytes", Bytes, "of all threads"}, CUPR_GET(row.total.bytes)}},
          {{requestColumn("requests"),
            [](const TotalRow &row) { return row.made(&RequestFigures::requests); }}},
          {{requestColumn("sectors"),
            [](const TotalRow &row) { return row.made(&RequestFigures::sectors); }}},
          {{requestColumn("least_sectors"),
            [](const TotalRow &row) { return row.made(&RequestFigures::leastSectors); }}},
      } +
      siteFields<TotalRow, [](const TotalRow &row) -> const SiteRow & { return row; }>();
  return kFields;
}

class TotalsCursor final : public TableCursor {
public:
  TotalsCursor(OpenTrace &trace, const RowFilter &filter) : trace_(trace), filter_(filter) {
    for (std::size_t column = 0; column < totalFields().size(); ++column)
      if (const std::string_view name = totalFields()[column].column.name;
          filter.wants(column) && (name == "requests" || name == "sectors" || name == "least_sectors"))
        figures_ = SiteTotals::Figures::Requests;
    for (std::size_t place = 0; place < trace.model().launches().size(); ++place)
      if (passes(trace, trace.model().launches()[place], filter))
        launches_.push_back(place);
  }

  bool next() override {
    for (;;) {
      if (!totals_) {
        if (launch_ == launches_.size())
          return false;
        if (launch_ == 0)
          trace_.siteTotals().count(launches_, figures_);
        totals_ = &trace_.siteTotals().of(trace_.model().launches()[launches_[launch_++]]);
        at_ = 0;
      }
      while (at_ != totals_->size())
        if (const auto &[number, total] = (*totals_)[at_++]; setRow(number, total))
          return true;
      totals_ = nullptr;
    }
  }
  Value value(std::size_t column) override { return totalFields()[column].get(*row_); }

private:
  bool setRow(std::uint32_t number, const SiteTotal &total) {
    const LaunchInfo &launch = trace_.model().launches()[launches_[launch_ - 1]];
    const trace::Module &module = *trace_.model().moduleOf(launch);
    const std::uint64_t id =
        trace_.references().firstSite(static_cast<std::size_t>(launch.launch.module)) + number;
    if (!filter_.site.has(id))
      return false;
    row_.emplace(TotalRow{{trace_, launch, module, module.sites[number], id}, total});
    return true;
  }

  OpenTrace &trace_;
  const RowFilter filter_;
  SiteTotals::Figures figures_ = SiteTotals::Figures::Counts;
  std::vector<std::size_t> launches_;
  std::size_t launch_ = 0; ///< the next one
  const LaunchSiteTotals *totals_ = nullptr;
  std::size_t at_ = 0;
  std::optional<TotalRow> row_;
};

// Records and accesses.

struct RecordRow : SiteRow {
  RecordScan &scan;
  const Record &record;
  unsigned lane; ///< of accesses
  /// What values of the row point to, and what is found out once.
  mutable std::vector<std::uint64_t> numbers;
  mutable std::vector<std::string> texts;
  mutable std::optional<RequestFigures> made;
  mutable std::optional<ValueForm> form;

  /// What the row's lanes read, wrote or compared with.
  Value ofLanes(ValueRole role) const {
    texts.clear();
    for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1)
      if (auto text = valueAt(role, static_cast<unsigned>(std::countr_zero(left))))
        texts.push_back(std::move(*text));
    return valueOf(texts);
  }
  Value ofLane(ValueRole role) const {
    texts.clear();
    auto text = valueAt(role, lane);
    return text ? valueOf(texts.emplace_back(std::move(*text))) : Value();
  }
  std::optional<std::string> valueAt(ValueRole role, unsigned at) const {
    if (record.values.shape.parts == 0)
      return std::nullopt;
    if (!form)
      form = valueForm(module, site);
    return valueText(*form, site.operation, record.values, role, at);
  }
  trace::Dim3 place() const { return placeInGrid(launch.launch.grid, record.access.cta); }
  /// Of a lane of the row.
  trace::Dim3 thread(unsigned at) const { return threadOf(record.access, at, launch.launch.block); }
  std::uint64_t address() const { return record.access.address[lane]; }
  template <typename Get> Value ofLanes(Get get) const {
    numbers.clear();
    for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1)
      numbers.push_back(get(static_cast<unsigned>(std::countr_zero(left))));
    return valueOf(numbers);
  }
  Value request(std::uint64_t RequestFigures::*figure) const {
    if (!isAccess(site) || abi::spaceOf(site.space) != abi::MemorySpace::Global)
      return {};
    AccessRuns runs;
    if (!made)
      made = requestsOf(record, runs.of(record));
    return (*made).*figure;
  }
  const ImageObjectInfo *imageObject() const {
    return trace.model().imageObjectAt(launch, site.operation, address());
  }
  Value allocation() const {
    if (const ImageObjectInfo *object = imageObject())
      return object->allocation ? Value(std::uint64_t{*object->allocation}) : Value();
    const AllocationInfo *info = scan.allocationAt(address());
    return info ? Value(std::uint64_t{info->ordinal}) : Value();
  }
  Value offset() const {
    const AllocationInfo *info = scan.allocationAt(address());
    return info ? Value(address() - info->allocation.address) : Value();
  }
};

/// Where a record is: the first fields of both tables.
QueryFields<RecordRow> placeFields(const RowKind &kind) {
  return {
      {{known(kind, "launch"), [](const RecordRow &row) -> Value { return launchId(row); }}, Pushed::Launch},
      {{known(kind, "site"), CUPR_GET(row.number)}, Pushed::Site},
      {{known(kind, "cta_x"), CUPR_GET(row.place().x)}},
      {{known(kind, "cta_y"), CUPR_GET(row.place().y)}},
      {{known(kind, "cta_z"), CUPR_GET(row.place().z)}},
      {{known(kind, "warp"), CUPR_GET(row.record.access.warp)}},
  };
}
/// What exports don't have; `of` the first thread of a record, or the one of an access.
QueryFields<RecordRow> memoryFields() {
  return {
      {{{"cta", Number, "linear number of the block in its grid"}, CUPR_GET(row.record.access.cta)},
       Pushed::Cta},
      {{Column{"allocation", Number,
               "allocation.id of the address, or of what a texture or surface reads; null: none is known"}
            .orNull(),
        CUPR_GET(row.allocation())}},
      {{Column{"offset", Bytes, "of the address in the allocation"}.orNull(), CUPR_GET(row.offset())}},
      {{Column{"image_object", Number,
               "image_object.id of the texture or surface; null: it is none, or not known"}
            .orNull(),
        [](const RecordRow &row) {
          const ImageObjectInfo *object = row.imageObject();
          return object ? Value(std::uint64_t{object->ordinal}) : Value();
        }}},
  };
}
QueryFields<RecordRow> siteFieldsOfRecord() {
  return siteFields<RecordRow, [](const RecordRow &row) -> const SiteRow & { return row; }>();
}

const QueryFields<RecordRow> &recordFields() {
  static const QueryFields<RecordRow> kFields =
      placeFields(rowKind(RowKindId::Record)) +
      QueryFields<RecordRow>{
          {{recordColumn("sm"), CUPR_GET(row.record.access.sm)}},
          {{recordColumn("lanes"),
            [](const RecordRow &row) { return row.ofLanes([](unsigned lane) { return lane; }); }}},
          {{recordColumn("addresses"),
            [](const RecordRow &row) {
              return row.ofLanes([&](unsigned lane) { return row.record.access.address[lane]; });
            }}},
          {{recordColumn("bytes"),
            [](const RecordRow &row) {
              if (row.record.access.form != abi::RecordForm::Range)
                return Value(std::span<const std::uint64_t>());
              return row.ofLanes([&](unsigned lane) { return row.record.access.bytes[lane]; });
            }}},
          {{recordColumn("read"), [](const RecordRow &row) { return row.ofLanes(ValueRole::Read); }}},
          {{recordColumn("written"), [](const RecordRow &row) { return row.ofLanes(ValueRole::Written); }}},
          {{recordColumn("compared"), [](const RecordRow &row) { return row.ofLanes(ValueRole::Compared); }}},
          {{recordColumn("thread_x"),
            [](const RecordRow &row) {
              return row.ofLanes([&](unsigned lane) { return row.thread(lane).x; });
            }}},
          {{recordColumn("thread_y"),
            [](const RecordRow &row) {
              return row.ofLanes([&](unsigned lane) { return row.thread(lane).y; });
            }}},
          {{recordColumn("thread_z"),
            [](const RecordRow &row) {
              return row.ofLanes([&](unsigned lane) { return row.thread(lane).z; });
            }}},
          {{recordColumn("coordinates"),
            [](const RecordRow &row) { return row.ofLanes(ValueRole::Coordinates); }}},
          {{recordColumn("clock"),
            [](const RecordRow &row) {
              const trace::AccessValues &values = row.record.values;
              return values.shape.hasClock ? row.ofLanes([&](unsigned lane) { return values.clock(lane); })
                                           : Value(std::span<const std::uint64_t>());
            }}},
          {{recordColumn("duration"),
            [](const RecordRow &row) {
              const trace::AccessValues &values = row.record.values;
              return values.shape.hasDuration
                         ? row.ofLanes([&](unsigned lane) { return values.duration(lane); })
                         : Value(std::span<const std::uint64_t>());
            }}},
          {{{"lane_mask", Number, "bit n: lane n made the access"}, CUPR_GET(row.record.access.laneMask)}},
          {{{"accesses", Number, "by threads; 0: it is none, but synchronisation or a variable"},
            CUPR_GET(isAccess(row.site) ? abi::activeLanes(row.record.access.laneMask) : 0)}},
          {{{"total_bytes", Bytes, "of all threads"},
            CUPR_GET(abi::recordBytes(row.record.access, row.site.bytes))}},
          {{{"address", Address, "first byte of the first lane"}, CUPR_GET(row.address())}, Pushed::Address},
          {{requestColumn("requests"),
            [](const RecordRow &row) { return row.request(&RequestFigures::requests); }}},
          {{requestColumn("sectors"),
            [](const RecordRow &row) { return row.request(&RequestFigures::sectors); }}},
          {{requestColumn("least_sectors"),
            [](const RecordRow &row) { return row.request(&RequestFigures::leastSectors); }}},
      } +
      memoryFields() + siteFieldsOfRecord();
  return kFields;
}

const QueryFields<RecordRow> &accessFields() {
  static const QueryFields<RecordRow> kFields =
      placeFields(rowKind(RowKindId::Access)) +
      QueryFields<RecordRow>{
          {{accessColumn("lane"), CUPR_GET(row.lane)}},
          {{accessColumn("sm"), CUPR_GET(row.record.access.sm)}},
          {{accessColumn("address"), CUPR_GET(row.address())}, Pushed::Address},
          {{accessColumn("bytes"), CUPR_GET(abi::laneBytes(row.record.access, row.lane, row.site.bytes))}},
          {{accessColumn("read"), [](const RecordRow &row) { return row.ofLane(ValueRole::Read); }}},
          {{accessColumn("written"), [](const RecordRow &row) { return row.ofLane(ValueRole::Written); }}},
          {{accessColumn("compared"), [](const RecordRow &row) { return row.ofLane(ValueRole::Compared); }}},
          {{accessColumn("thread_x"), CUPR_GET(row.thread(row.lane).x)}},
          {{accessColumn("thread_y"), CUPR_GET(row.thread(row.lane).y)}},
          {{accessColumn("thread_z"), CUPR_GET(row.thread(row.lane).z)}},
          {{accessColumn("coordinates"),
            [](const RecordRow &row) { return row.ofLane(ValueRole::Coordinates); }}},
          {{accessColumn("clock"),
            [](const RecordRow &row) {
              const trace::AccessValues &values = row.record.values;
              return values.shape.hasClock ? Value(values.clock(row.lane)) : Value();
            }}},
          {{accessColumn("duration"),
            [](const RecordRow &row) {
              const trace::AccessValues &values = row.record.values;
              return values.shape.hasDuration ? Value(std::uint64_t{values.duration(row.lane)}) : Value();
            }}},
      } +
      memoryFields() + siteFieldsOfRecord();
  return kFields;
}

/// `fields`: what there is a row for, each record or each of its lanes.
enum class Each { Record, Lane };
template <Each each, const auto &fields> class AccessCursor final : public TableCursor {
public:
  AccessCursor(OpenTrace &trace, const RowFilter &filter)
      : trace_(trace), filter_(filter),
        scan_(trace, filter_, each == Each::Record ? RecordsOf::Everything : RecordsOf::AllMemory) {}

  bool next() override {
    while (left_ == 0) {
      const Record *record = scan_.next();
      if (!record)
        return false;
      row_.emplace(RecordRow{{trace_, scan_.launch(), scan_.module(), *record->site, scan_.site()},
                             scan_,
                             *record,
                             0,
                             {},
                             {},
                             {},
                             {}});
      left_ = lanesOf(*record);
    }
    row_->lane = static_cast<unsigned>(std::countr_zero(left_));
    left_ = each == Each::Lane ? left_ & (left_ - 1) : 0;
    return true;
  }
  Value value(std::size_t column) override { return fields()[column].get(*row_); }

private:
  /// Those that are rows, or one of which a row is made.
  std::uint32_t lanesOf(const Record &record) const {
    std::uint32_t lanes = record.access.laneMask;
    if (each == Each::Lane && !filter_.address.isAll())
      for (std::uint32_t left = lanes; left != 0; left &= left - 1)
        if (const int lane = std::countr_zero(left); !filter_.address.has(record.access.address[lane]))
          lanes &= ~(1u << lane);
    return lanes;
  }

  OpenTrace &trace_;
  const RowFilter filter_;
  RecordScan scan_;
  std::uint32_t left_ = 0; ///< lanes of the record that rows are still to come of
  std::optional<RecordRow> row_;
};

/// Columns in one place for good, as RowKind wants them.
template <const auto &fields> std::span<const Column> columnsOf() {
  static const std::vector<Column> kColumns = [] {
    std::vector<Column> columns;
    for (const auto &field : fields())
      columns.push_back(field.column);
    return columns;
  }();
  return kColumns;
}
template <const auto &fields, typename Cursor>
QueryTable tableOf(std::string_view name, std::string_view table, std::string_view what, double rows) {
  QueryTable result{{name, table, what, columnsOf<fields>()},
                    {},
                    rows,
                    [](const QueryTable &, OpenTrace &trace, const RowFilter &filter) {
                      return std::unique_ptr<TableCursor>(std::make_unique<Cursor>(trace, filter));
                    }};
  for (const auto &field : fields())
    result.pushed.push_back(field.pushed);
  return result;
}

} // namespace

QueryTable siteTotalsTable() {
  return tableOf<totalFields, TotalsCursor>("site_total", "site_totals",
                                            "What the accesses of a site in a launch add up to.", 100'000);
}
QueryTable recordsTable() {
  const RowKind &kind = rowKind(RowKindId::Record);
  return tableOf<recordFields, AccessCursor<Each::Record, recordFields>>(kind.name, kind.table, kind.what,
                                                                         1e9);
}
QueryTable accessesTable() {
  const RowKind &kind = rowKind(RowKindId::Access);
  return tableOf<accessFields, AccessCursor<Each::Lane, accessFields>>(kind.name, kind.table, kind.what,
                                                                       1e10);
}

} // namespace cupr::analysis
