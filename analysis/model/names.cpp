/// Works on the text that demanglers give; what doesn't look like it is left alone.
#include "names.h"

#include <array>

namespace cupr::analysis {

std::string userName(std::string_view name) {
  static constexpr std::string_view kType = "cupr::argument::Trace";
  static constexpr std::array<std::string_view, 4> kSuffixes = {" const&", " const", "&", ""};
  std::string result;
  result.reserve(name.size());
  while (!name.empty()) {
    const std::size_t at = name.find(kType);
    result += name.substr(0, at);
    if (at == std::string_view::npos)
      break;
    name.remove_prefix(at);
    // Only a first parameter is ours.
    if (result.empty() || result.back() != '(') {
      result += kType;
      name.remove_prefix(kType.size());
      continue;
    }
    std::string_view rest = name.substr(kType.size());
    for (const std::string_view suffix : kSuffixes)
      if (rest.starts_with(suffix)) {
        rest.remove_prefix(suffix.size());
        break;
      }
    if (rest.starts_with(", ")) {
      rest.remove_prefix(2);
    } else if (!rest.starts_with(")")) {
      result += kType;
      rest = name.substr(kType.size());
    }
    name = rest;
  }
  return result;
}

std::string shortName(std::string_view name) {
  // Nested parentheses and angle brackets are dropped, except "(anonymous namespace)".
  static constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && name.substr(i).starts_with(kAnonymous)) {
      result += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && name.substr(i).starts_with("operator")) {
      // What follows may be any symbol, up to the parameters.
      const std::size_t symbol = i + 8;
      std::size_t end = name.find('(', symbol + (name.substr(symbol).starts_with("()") ? 2 : 0));
      end = end == std::string_view::npos ? name.size() : end;
      result += name.substr(i, end - i);
      break;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      --depth;
    } else if (c == '(' && depth == 0) {
      break;
    } else if (c == ' ' && depth == 0) {
      result.clear(); // the return type is done
    } else if (depth == 0) {
      result += c;
    }
  }
  return result.empty() ? std::string(name) : result;
}

} // namespace cupr::analysis
