/// What stands in a cell, and when it needs quotes.
#include "csv_table.h"

#include "analysis/output/utf8.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

std::string cellOf(std::monostate) { return {}; }
std::string cellOf(std::uint64_t number) { return fmt::format_int(number).str(); }
std::string cellOf(double number) { return fmt::format("{}", number); }
std::string cellOf(bool flag) { return flag ? "true" : "false"; }
/// A spreadsheet takes what begins so for a formula, and some do what it says. An apostrophe in front makes it
/// text there; texts that begin with one get another, so that a reader can take it away again.
bool isMarked(std::string_view text) { return text.find_first_of("=+-@\t\r'") == 0; }

std::string cellOf(std::string_view text) {
  if (!isMarked(text) && text.find_first_of(",\"\r\n") == text.npos)
    return validUtf8(text);
  std::string quoted = isMarked(text) ? "\"'" : "\"";
  for (const char c : validUtf8(text))
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}
template <typename T> std::string cellOf(std::span<const T> list) {
  return cellOf(std::string_view(fmt::format("{}", fmt::join(list, " "))));
}

} // namespace

CsvTable::CsvTable(ByteSink &sink, const RowKind &kind) : sink_(sink) {
  for (const Column &column : kind.tableColumns())
    cell(column.name);
  endLine();
}

void CsvTable::row(std::span<const Value> values) {
  for (const Value &value : values)
    cell(std::visit([](const auto &it) { return cellOf(it); }, value));
  endLine();
}

void CsvTable::cell(std::string_view text) {
  if (!line_.empty())
    line_ += ',';
  line_ += text;
  // An empty first cell would otherwise be taken for none.
  if (line_.empty())
    line_ = "\"\"";
}

void CsvTable::endLine() {
  line_ += '\n';
  sink_.write(line_);
  line_.clear();
}

} // namespace cupr::analysis
