#include "diagnostics.h"

#include <fmt/format.h>

namespace cupr::rewrite {

void Diagnostics::report(Severity severity, std::optional<Place> place, std::string text) {
  errors_ += severity == Severity::Error;
  warnings_ += severity == Severity::Warning;
  all_.push_back({severity, place, std::move(text)});
}

static std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "error";
}

static std::string_view sourceLine(std::string_view text, std::uint32_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r'))
    text.remove_suffix(1);
  return text;
}

std::string render(const Diagnostic &diagnostic, const Facts &facts) {
  if (!diagnostic.place)
    return fmt::format("cuprewrite: {}: {}\n", severityName(diagnostic.severity), diagnostic.text);
  const Place &place = *diagnostic.place;
  const File &file = facts.file(place.file);
  std::string out = fmt::format("{}:{}:{}: {}: {}\n", file.shown(), place.line, place.column,
                                severityName(diagnostic.severity), diagnostic.text);
  const std::string_view line = sourceLine(file.text, place.line);
  if (line.empty() || place.column == 0 || place.column > line.size() + 1)
    return out;
  std::string caret;
  for (char c : line.substr(0, place.column - 1))
    caret += c == '\t' ? '\t' : ' ';
  return out + fmt::format("{:5} | {}\n      | {}^\n", place.line, line, caret);
}

} // namespace cupr::rewrite
