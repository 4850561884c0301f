/// What tables are made of: columns with their names, units and meanings, and the values of a row.
#ifndef CUPR_ANALYSIS_TABLES_COLUMN_H
#define CUPR_ANALYSIS_TABLES_COLUMN_H

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cupr::analysis {

/// What stands in a column, with its unit. Numbers are unsigned, of 64 bits.
enum class ColumnType {
  Number,
  Real,
  Flag,
  Text,
  Numbers,
  Texts,
  // Numbers.
  Bytes,
  Nanoseconds,
  Address,      ///< in JSON a text, "0x..."
  LaunchOrHost, ///< null for the host, in JSON "host"
  // Reals.
  Share, ///< from 0 to 1
  Ratio, ///< from 1 on
  Seconds,
  // A list as JSON has it, and only there.
  JsonText
};

/// The same without its unit.
enum class Storage { Number, Real, Flag, Text, Numbers, Texts };
Storage storageOf(ColumnType type);

struct Column {
  /// Who has it.
  enum class In { All, Tables, Json };

  std::string_view name; ///< in snake_case; JSON has it in camelCase
  ColumnType type;
  std::string_view what;
  bool optional = false; ///< may be null
  /// Where it is in JSON: "a.b" for the member b of an object a, "a[]" for an element of the array a. Empty:
  /// by its name.
  std::string_view member = {};
  In in = In::All;
  /// Of a text: all that it may be, separated by |. Of JSON text: what a schema says of an element.
  std::string_view among = {};

  constexpr Column orNull() const {
    Column column = *this;
    column.optional = true;
    return column;
  }
  constexpr Column as(std::string_view path) const {
    Column column = *this;
    column.member = path;
    return column;
  }
  constexpr Column oneOf(std::string_view all) const {
    Column column = *this;
    column.among = all;
    return column;
  }
  constexpr Column inTables() const { return onlyIn(In::Tables); }
  constexpr Column inJson() const { return onlyIn(In::Json); }

private:
  constexpr Column onlyIn(In where) const {
    Column column = *this;
    column.in = where;
    return column;
  }
};

/// Null, or a value of the column's type. Texts and lists are the caller's.
using Value = std::variant<std::monostate, std::uint64_t, double, bool, std::string_view,
                           std::span<const std::uint64_t>, std::span<const std::string>>;
using Values = std::vector<Value>;

inline Value valueOf(const Value &value) { return value; }
inline Value valueOf(std::unsigned_integral auto number) {
  if constexpr (std::same_as<decltype(number), bool>)
    return number;
  else
    return std::uint64_t{number};
}
inline Value valueOf(double number) { return number; }
inline Value valueOf(const char *text) { return std::string_view(text); }
inline Value valueOf(std::string_view text) { return text; }
inline Value valueOf(const std::string &text) { return std::string_view(text); }
Value valueOf(std::string &&text) = delete; // nobody would keep it
inline Value valueOf(std::span<const std::string> texts) { return texts; }
inline Value valueOf(const std::vector<std::string> &texts) { return std::span<const std::string>(texts); }
inline Value valueOf(const std::vector<std::uint64_t> &numbers) {
  return std::span<const std::uint64_t>(numbers);
}
template <typename T> Value valueOf(const std::optional<T> &value) {
  return value ? valueOf(*value) : Value();
}

/// A kind of rows: a table, a message, an object.
struct RowKind {
  std::string_view name;
  std::string_view table; ///< in CSV and SQLite; empty: it isn't there
  std::string_view what;
  std::span<const Column> columns; ///< those of JSON alone come last

  /// Without those that only JSON has.
  std::span<const Column> tableColumns() const;
};

/// `row_bytes` as `rowBytes`, `launch_end` as `launchEnd`.
std::string camelCase(std::string_view name);

} // namespace cupr::analysis

#endif
