#include "markup.h"

#include "utf8.h"

namespace cupr::analysis {
namespace {

/// U+FFFE and U+FFFF are no characters, and XML has no way to write them.
constexpr std::string_view kNoCharacters = "\xef\xbf";

} // namespace

std::string markup(std::string_view text) {
  std::string escaped;
  const std::string plain = shown(text);
  for (std::size_t i = 0; i < plain.size(); ++i)
    switch (const char letter = plain[i]) {
    case '&':
      escaped += "&amp;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '\xbe':
    case '\xbf':
      escaped += escaped.ends_with(kNoCharacters) ? '\xbd' : letter; // U+FFFD
      break;
    default:
      escaped += letter;
    }
  return escaped;
}

} // namespace cupr::analysis
