/// One table, in batches of bounded size. Names that come from launches and sites are dictionaries: there are few of them, and a row has
/// their number.
#include "arrow_stream.h"
#include "exporter.h"
#include "model_rows.h"

#include "analysis/output/utf8.h"

#include <algorithm>
#include <deque>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kRowsPerBatch = 65536, kBytesPerBatch = std::uint64_t{64} << 20;

class ArrowExporter final : public RowExporter {
public:
  ArrowExporter(const Model &model, ByteSink &sink, RowKindId table, ArrowShape shape)
      : RowExporter(model, isShapeOfAccesses(table) ? table : RowKindId::Record), model_(model), sink_(sink),
        table_(table), stream_(sink, shape) {
    const std::span<const Column> columns = rowKind(table).tableColumns();
    std::vector<std::optional<std::int64_t>> ids;
    std::deque<ArrowColumn> texts;
    for (const Column &column : columns) {
      const ArrowDictionary *const dictionary = addDictionary(column, texts);
      ids.push_back(dictionary ? std::optional(static_cast<std::int64_t>(texts.size() - 1)) : std::nullopt);
      columns_.emplace_back(storageOf(column.type), dictionary);
    }
    stream_.schema(columns, ids);
    for (std::size_t id = 0; id < texts.size(); ++id)
      stream_.dictionary(static_cast<std::int64_t>(id), texts[id]);
  }

  void row(RowKindId kind, const Values &values) override {
    if (kind != table_)
      return;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].add(values[i]);
      bytes += columns_[i].bytes();
    }
    if (columns_[0].size() == kRowsPerBatch || bytes >= kBytesPerBatch)
      flush();
  }

  void finish() override {
    if (columns_[0].size() != 0)
      flush();
    stream_.finish();
    sink_.finish();
  }

private:
  /// All that a column has that is taken from a launch or a site, as its description says: "site.file". Null: it isn't.
  const ArrowDictionary *addDictionary(const Column &column, std::deque<ArrowColumn> &texts) {
    if (storageOf(column.type) != Storage::Text)
      return nullptr;
    for (const RowKindId id : {RowKindId::Launch, RowKindId::Site}) {
      const RowKind &kind = rowKind(id);
      const auto from = std::ranges::find_if(kind.columns, [&](const Column &of) {
        return column.what == std::string(kind.name) + "." + std::string(of.name);
      });
      if (from == kind.columns.end())
        continue;
      ArrowDictionary &dictionary = dictionaries_.emplace_back();
      ArrowColumn &all = texts.emplace_back(Storage::Text);
      RowReferences references(model_);
      ModelRows rows(references);
      for (std::size_t i = 0; i < rows.size(id); ++i) {
        const Value value = (*rows.row(id, i))[static_cast<std::size_t>(from - kind.columns.begin())];
        const std::string text = validUtf8(std::get<std::string_view>(value));
        if (!dictionary.try_emplace(text, static_cast<std::int32_t>(dictionary.size())).second)
          continue;
        model_.limit().keep(2 * text.size(), [] { return std::string("names of an export"); });
        all.add(std::string_view(text));
      }
      return &dictionary;
    }
    return nullptr;
  }
  void flush() {
    stream_.batch(columns_);
    for (ArrowColumn &column : columns_)
      column.clear();
  }

  const Model &model_;
  ByteSink &sink_;
  const RowKindId table_;
  ArrowStream stream_;
  std::deque<ArrowDictionary> dictionaries_;
  std::vector<ArrowColumn> columns_;
};

} // namespace

std::unique_ptr<Exporter> arrowExporter(const Model &model, ByteSink &sink, RowKindId table,
                                        ArrowShape shape) {
  return std::make_unique<ArrowExporter>(model, sink, table, shape);
}

} // namespace cupr::analysis
