/// One table, since a CSV file has one heading. Lists stand in one cell, separated by spaces; null is an
/// empty cell.
#include "exporter.h"

#include "analysis/render/utf8.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

class CsvExporter final : public RowExporter {
public:
  CsvExporter(const Model &model, ByteSink &sink, RowKindId table)
      : RowExporter(model, isShapeOfAccesses(table) ? table : RowKindId::Record), sink_(sink), table_(table) {
    for (const Column &column : rowKind(table).columns)
      cell(column.name);
    endLine();
  }

  void row(RowKindId kind, const Values &values) override {
    if (kind != table_)
      return;
    for (const Value &value : values)
      std::visit([this](const auto &it) { write(it); }, value);
    endLine();
  }

  void finish() override { sink_.finish(); }

private:
  void write(std::monostate) { cell(""); }
  void write(std::uint64_t number) { cell(fmt::format_int(number).c_str()); }
  void write(bool flag) { cell(flag ? "true" : "false"); }
  void write(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos)
      return cell(validUtf8(text));
    std::string quoted = "\"";
    for (const char c : validUtf8(text))
      quoted += c == '"' ? "\"\"" : std::string(1, c);
    cell(quoted + '"');
  }
  template <typename T> void write(std::span<const T> list) {
    write(std::string_view(fmt::format("{}", fmt::join(list, " "))));
  }

  void cell(std::string_view text) {
    if (!line_.empty())
      line_ += ',';
    line_ += text;
    // An empty first cell would otherwise be taken for none.
    if (line_.empty())
      line_ = "\"\"";
  }
  void endLine() {
    line_ += '\n';
    sink_.write(line_);
    line_.clear();
  }

  ByteSink &sink_;
  const RowKindId table_;
  std::string line_;
};

} // namespace

std::unique_ptr<Exporter> csvExporter(const Model &model, ByteSink &sink, RowKindId table) {
  return std::make_unique<CsvExporter>(model, sink, table);
}

} // namespace cupr::analysis
