/// Small questions about text that several files of the tool ask.
#ifndef CUPR_TOOL_TEXT_H
#define CUPR_TOOL_TEXT_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

/// The parts between the separators; empty ones are left out.
inline std::vector<std::string> splitAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at)
      parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

} // namespace cupr::tool

#endif
