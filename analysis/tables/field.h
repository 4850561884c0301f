/// Fields of a kind of rows: a column, and how to get its value. A table is a list of them, known when this is
/// compiled; lists that several kinds share (counts, places, volumes) are one, taken in with a name in front.
#ifndef CUPR_ANALYSIS_TABLES_FIELD_H
#define CUPR_ANALYSIS_TABLES_FIELD_H

#include "column.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace cupr::analysis {

template <typename Row> struct Field {
  using RowType = Row;
  Column column;
  Value (*get)(const Row &row);
};

/// The value of a field as an expression of its `row`.
#define CUPR_GET(expression) [](const auto &row) -> Value { return valueOf(expression); }

/// Of nothing: 0.
inline double shareOf(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Lists of fields of one kind of rows, one behind the other.
template <typename Row, std::size_t... N> constexpr auto joined(const std::array<Field<Row>, N> &...lists) {
  std::array<Field<Row>, (N + ...)> all{};
  auto to = all.begin();
  ((to = std::ranges::copy(lists, to).out), ...);
  return all;
}

/// A text as an argument of a template.
template <std::size_t N> struct FixedText {
  char text[N]{};
  constexpr FixedText(const char (&from)[N]) { std::copy_n(from, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};
template <std::size_t N> FixedText(const char (&)[N]) -> FixedText<N>;

/// Two texts as one, for good; the second as it is, or in camelCase.
enum class Letters { AsTheyAre, Camel };
template <FixedText First, const std::string_view &Second, Letters letters> struct JoinedText {
  static constexpr std::size_t kDropped =
      letters == Letters::Camel ? static_cast<std::size_t>(std::ranges::count(Second, '_')) : 0;
  static constexpr auto kText = [] {
    std::array<char, First.view().size() + Second.size() - kDropped> text{};
    auto to = std::ranges::copy(First.view(), text.begin()).out;
    bool isUpper = false;
    for (const char c : Second) {
      const bool isBreak = letters == Letters::Camel && c == '_';
      if (!isBreak)
        *to++ = isUpper ? static_cast<char>(c - 'a' + 'A') : c;
      isUpper = isBreak;
    }
    return text;
  }();
  static constexpr std::string_view kView{kText.data(), kText.size()};
};

template <const auto &Fields, std::size_t I, FixedText Prefix, FixedText Path> struct PrefixedColumn {
  static constexpr std::string_view kName = Fields[I].column.name, kMember = Fields[I].column.member;
  static constexpr Column kColumn = [] {
    Column column = Fields[I].column;
    column.name = JoinedText<Prefix, kName, Letters::AsTheyAre>::kView;
    if constexpr (!kMember.empty())
      column.member = JoinedText<Path, kMember, Letters::AsTheyAre>::kView;
    else if constexpr (!Path.view().empty())
      column.member = JoinedText<Path, kName, Letters::Camel>::kView;
    return column;
  }();
};

/// The fields of what `get` finds in a row. Names get `Prefix` in front, and their places in JSON `Path`.
template <typename Row, const auto &Fields, auto get, FixedText Prefix = "", FixedText Path = "">
constexpr auto fieldsOf() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Field<Row>, sizeof...(I)>{
        Field<Row>{PrefixedColumn<Fields, I, Prefix, Path>::kColumn,
                   [](const Row &row) -> Value { return Fields[I].get(std::invoke(get, row)); }}...};
  }(std::make_index_sequence<Fields.size()>());
}

/// Where a list has fields of JSON alone, they come last: tables take what is before them.
template <const auto &Fields> consteval bool hasJsonLast() {
  return std::ranges::is_partitioned(Fields,
                                     [](const auto &field) { return field.column.in != Column::In::Json; });
}

template <const auto &Fields>
  requires(hasJsonLast<Fields>())
inline constexpr auto kColumnsOf = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<Column, sizeof...(I)>{Fields[I].column...};
}(std::make_index_sequence<Fields.size()>());

} // namespace cupr::analysis

#endif
