#include "difference.h"

#include "analysis/output/json.h"
#include "analysis/output/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

std::string subjectOf(const Difference &difference) {
  if (!difference.kernel.empty())
    return difference.kernel;
  if (difference.file.empty())
    return "program";
  const bool isMoved =
      difference.line != difference.lineBefore && difference.line != 0 && difference.lineBefore != 0;
  return fmt::format("{}:{}{}", difference.file,
                     difference.line != 0 ? difference.line : difference.lineBefore,
                     isMoved ? fmt::format(", was {}", difference.lineBefore) : "");
}

std::string changeOf(const Difference &difference) {
  if (difference.before == 0)
    return "new";
  return fmt::format(
      "{:+.1f} %",
      100 * (static_cast<double>(difference.after) / static_cast<double>(difference.before) - 1));
}

void lineOrNull(Json &json, std::string_view name, std::uint32_t line) {
  json.key(name);
  line != 0 ? json.value(line) : json.null();
}

} // namespace

std::string differencesText(const std::vector<Difference> &differences, std::size_t top) {
  if (differences.empty())
    return "the figures are the same\n";
  using enum Table::Align;
  Table table({Left, Left, Right, Right, Right});
  table.row({"", "", "before", "after", "change"});
  for (std::size_t i = 0; i < std::min(top, differences.size()); ++i) {
    const Difference &d = differences[i];
    table.row({subjectOf(d), d.what, grouped(d.before), grouped(d.after), changeOf(d)});
  }
  return table.text() +
         (differences.size() > top ? fmt::format("and {} more\n", differences.size() - top) : "");
}

std::string differencesJson(const std::vector<Difference> &differences) {
  Json json(Json::Style::Indented);
  json.beginObject().key("differences").beginArray();
  for (const Difference &difference : differences) {
    json.beginObject().field("figure", difference.what);
    if (!difference.kernel.empty())
      json.field("kernel", difference.kernel);
    if (!difference.file.empty()) {
      json.field("file", difference.file);
      lineOrNull(json, "line", difference.line);
      lineOrNull(json, "lineBefore", difference.lineBefore);
    }
    json.field("before", difference.before).field("after", difference.after).endObject();
  }
  json.endArray().endObject();
  return json.take();
}

} // namespace cupr::analysis
