/// Works on the text that demanglers give; what doesn't look like it is left alone.
#include "function_name.h"

namespace cupr::trace {

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

std::string baseName(std::string_view name) {
  const std::string whole = shortName(name);
  // An operator's symbol holds no scope, and the words of a conversion are no scopes of it.
  const std::size_t symbol = whole.find("operator");
  const std::size_t scope = whole.rfind("::", symbol == std::string::npos ? whole.size() : symbol);
  return scope == std::string::npos ? whole : whole.substr(scope + 2);
}

} // namespace cupr::trace
