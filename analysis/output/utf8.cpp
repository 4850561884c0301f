/// The table of well-formed sequences is Unicode 15, table 3-7.
#include "utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// Length of the well-formed sequence at the start of `text`; 0: there is none.
std::size_t sequenceLength(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xbf; // of the second byte
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    low = lead == 0xe0 ? 0xa0 : 0x80;
    high = lead == 0xed ? 0x9f : 0xbf;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    low = lead == 0xf0 ? 0x90 : 0x80;
    high = lead == 0xf4 ? 0x8f : 0xbf;
  } else {
    return 0;
  }
  if (text.size() < length || at(1) < low || at(1) > high)
    return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (at(i) < 0x80 || at(i) > 0xbf)
      return 0;
  return length;
}

} // namespace

std::string validUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    if (length == 0)
      result += "\xef\xbf\xbd";
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

namespace {

char32_t codePoint(std::string_view sequence) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  static constexpr unsigned char kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t point = at(0) & kLeadBits[sequence.size()];
  for (std::size_t i = 1; i < sequence.size(); ++i)
    point = point << 6 | (at(i) & 0x3fu);
  return point;
}

/// Beyond ASCII: C1, separators of lines, and the marks, embeddings, overrides and isolates of the
/// bidirectional algorithm.
bool isObeyed(char32_t point) {
  return (point >= 0x80 && point < 0xa0) || point == 0x61c || point == 0x200e || point == 0x200f ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

bool isPlain(char c) { return c >= 0x20 && c < 0x7f; }

std::string escaped(std::string_view text, bool keepsLines) {
  const auto stays = [&](char c) { return isPlain(c) || (keepsLines && c == '\n'); };
  if (std::ranges::all_of(text, stays))
    return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    const char c = sequence.front();
    if (length == 1 && stays(c))
      result += c;
    else if (c == '\n' || c == '\t' || c == '\r')
      result += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else if (length < 2)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else if (const char32_t point = codePoint(sequence); isObeyed(point))
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    else
      result += sequence;
    text.remove_prefix(sequence.size());
  }
  return result;
}

} // namespace

std::string shown(std::string_view text) { return escaped(text, false); }
std::string shownLines(std::string_view text) { return escaped(text, true); }

} // namespace cupr::analysis
