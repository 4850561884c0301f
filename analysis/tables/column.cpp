#include "column.h"

#include <algorithm>
#include <cctype>

namespace cupr::analysis {

Storage storageOf(ColumnType type) {
  switch (type) {
  case ColumnType::Number:
  case ColumnType::Bytes:
  case ColumnType::Nanoseconds:
  case ColumnType::Address:
  case ColumnType::LaunchOrHost:
    return Storage::Number;
  case ColumnType::Real:
  case ColumnType::Share:
  case ColumnType::Ratio:
  case ColumnType::Seconds:
    return Storage::Real;
  case ColumnType::Flag:
    return Storage::Flag;
  case ColumnType::Text:
    return Storage::Text;
  case ColumnType::Numbers:
    return Storage::Numbers;
  case ColumnType::Texts:
  case ColumnType::JsonText:
    return Storage::Texts;
  }
  return Storage::Text;
}

std::span<const Column> RowKind::tableColumns() const {
  const auto end = std::ranges::find(columns, Column::In::Json, &Column::in);
  return columns.first(static_cast<std::size_t>(end - columns.begin()));
}

std::string camelCase(std::string_view name) {
  std::string result;
  bool upper = false;
  for (const char c : name) {
    if (c != '_')
      result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return result;
}

} // namespace cupr::analysis
