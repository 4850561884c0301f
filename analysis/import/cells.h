/// The cells of a row, taken one after the other: the counterpart of how ModelRows fills them.
#ifndef CUPR_ANALYSIS_CELLS_H
#define CUPR_ANALYSIS_CELLS_H

#include "analysis/output/kind_names.h"
#include "row_reader.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <type_traits>

namespace cupr::analysis {

/// What is null is left as it is, for files of earlier versions lack columns that were added later. Throws BrokenExport.
class Cells {
public:
  explicit Cells(const Row &row) : row_(row) {}

  void skip() { ++at_; }
  void take(bool &to) { assign<bool>(to); }
  void take(std::string &to) { assign<std::string_view>(to); }
  template <std::unsigned_integral Number> void take(Number &to) {
    std::uint64_t number = to;
    assign<std::uint64_t>(number);
    if (number > std::numeric_limits<Number>::max())
      bad("is too large");
    to = static_cast<Number>(number);
  }
  template <typename Id>
    requires(std::is_enum_v<Id> && !Named<Id>)
  void take(Id &to) {
    auto number = static_cast<std::underlying_type_t<Id>>(to);
    take(number);
    to = static_cast<Id>(number);
  }
  /// Takes the name of an element of an enumeration that has so many.
  template <typename Kind> void takeNamed(Kind &to, unsigned count, const char *(*nameOf)(Kind)) {
    std::string_view name = nameOf(to);
    assign<std::string_view>(name);
    for (unsigned number = 0; number < count; ++number)
      if (name == nameOf(static_cast<Kind>(number))) {
        to = static_cast<Kind>(number);
        return;
      }
    bad(kNoName);
  }
  template <Named Kind> void take(Kind &to) {
    std::string_view name = kindName(to);
    assign<std::string_view>(name);
    const std::optional<Kind> kind = kindNamed<Kind>(name);
    if (!kind)
      bad(kNoName);
    to = *kind;
  }
  void take(trace::Dim3 &to) { takeAll(to.x, to.y, to.z); }
  void take(trace::CtaSelection &to) { takeAll(to.first, to.end, to.period); }
  void take(trace::GraphPlace &to) {
    std::string after;
    takeAll(to.graph, to.node, after);
    for (std::size_t from = 0; from < after.size();) {
      const std::size_t end = std::min(after.find(' ', from), after.size());
      std::uint32_t node = 0;
      const auto [read, problem] = std::from_chars(after.data() + from, after.data() + end, node);
      if (problem != std::errc() || read != after.data() + end)
        bad("must be numbers with spaces between");
      to.after.push_back(node);
      from = end + 1;
    }
  }
  void takeAll(auto &...to) { (take(to), ...); }

  /// Nothing: the cell is null.
  template <typename Cell> std::optional<Cell> next() {
    const Value &value = row_.values[at_++];
    return std::holds_alternative<std::monostate>(value) ? std::nullopt
                                                         : std::optional(std::get<Cell>(value));
  }
  /// A list; empty: none.
  template <typename Element> std::span<const Element> list() {
    using List = std::span<const Element>;
    return next<List>().value_or(List());
  }
  std::span<const std::uint64_t> numbers() { return list<std::uint64_t>(); }
  std::span<const std::string> texts() { return list<std::string>(); }

  /// Of the column that was taken last.
  [[noreturn]] void bad(std::string_view rule) const {
    throw BrokenExport(fmt::format("`{}` {}", rowKind(row_.kind).columns[at_ - 1].name, rule));
  }

private:
  static constexpr const char *kNoName = "is none of the names that it can be";
  template <typename Cell> void assign(auto &to) {
    if (const auto value = next<Cell>())
      to = *value;
  }

  const Row &row_;
  std::size_t at_ = 0;
};

} // namespace cupr::analysis

#endif
