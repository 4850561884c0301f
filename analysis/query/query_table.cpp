/// Rows of the model, and which tables there are.
#include "query_table.h"

#include "access_tables.h"
#include "analysis/export/model_rows.h"
#include "analysis/export/schema.h"

#include <array>

namespace cupr::analysis {

namespace {

class ModelCursor final : public TableCursor {
public:
  ModelCursor(RowKindId kind, OpenTrace &trace, const RowFilter &filter)
      : kind_(kind), rows_(trace.references()), end_(rows_.size(kind)) {
    if (!filter.key.isOne())
      return;
    const auto key = static_cast<std::uint64_t>(filter.key.least);
    if (kind == RowKindId::Launch || kind == RowKindId::LaunchEnd || kind == RowKindId::Count) {
      perLaunch_ = kind == RowKindId::Count ? abi::kMemorySpaces : 1;
      launches_ = trace.launchesOf(key);
      end_ = launches_->size() * perLaunch_;
    } else if (hasNumbers(kind)) {
      end_ = std::min<std::uint64_t>(end_, key == UINT64_MAX ? key : key + 1);
      index_ = std::min<std::uint64_t>(end_, key);
    }
  }

  bool next() override {
    do {
      if (index_ == end_)
        return false;
      values_ = rows_.row(kind_, launches_ ? (*launches_)[index_ / perLaunch_].second * perLaunch_ +
                                                 index_ % perLaunch_
                                           : index_);
      ++index_;
    } while (!values_);
    return true;
  }
  Value value(std::size_t column) override { return (*values_)[column]; }

private:
  /// Rows whose first column is their place.
  static bool hasNumbers(RowKindId kind) {
    return kind == RowKindId::Frame || kind == RowKindId::Site || kind == RowKindId::Allocation ||
           kind == RowKindId::ImageObject || kind == RowKindId::HostCall || kind == RowKindId::HostSample ||
           kind == RowKindId::HostFrame || kind == RowKindId::Loop;
  }

  const RowKindId kind_;
  ModelRows rows_;
  std::optional<std::span<const std::pair<std::uint64_t, std::size_t>>>
      launches_;              ///< where they are looked up
  std::size_t perLaunch_ = 1; ///< rows
  std::size_t index_ = 0, end_;
  const Values *values_ = nullptr;
};

QueryTable modelTable(RowKindId id) {
  const RowKind &kind = rowKind(id);
  QueryTable table{kind, std::vector(kind.columns.size(), Pushed::Nothing), 10'000,
                   [](const QueryTable &of, OpenTrace &trace, const RowFilter &filter) {
                     return std::unique_ptr<TableCursor>(std::make_unique<ModelCursor>(of.of, trace, filter));
                   },
                   id};
  if (storageOf(kind.columns[0].type) == Storage::Number)
    table.pushed[0] = Pushed::Key;
  return table;
}

} // namespace

std::span<const QueryTable> queryTables() {
  static const std::vector<QueryTable> kTables = [] {
    std::vector<QueryTable> tables = {siteTotalsTable(), recordsTable(), accessesTable()};
    for (std::size_t id = 0; id < kRowKindCount; ++id)
      if (!isShapeOfAccesses(static_cast<RowKindId>(id)) && static_cast<RowKindId>(id) != RowKindId::End)
        tables.push_back(modelTable(static_cast<RowKindId>(id)));
    return tables;
  }();
  return kTables;
}

std::string queryMarkdown() {
  std::string text;
  for (const QueryTable &table : queryTables())
    text += markdownTable(table.kind);
  return text;
}

} // namespace cupr::analysis
