#include "copy.h"

#include <fmt/format.h>

namespace cupr::rewrite {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kMark = "// augmented by cuprewrite";

static std::string escaped(std::string_view path) {
  std::string out;
  for (char c : path) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

/// FNV-1a: names the edit table, so that tables of different files can meet.
static std::uint64_t hashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

static std::string_view newlineOf(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string tableText(const File &file, std::span<const Edit> edits, std::string_view newline) {
  const std::string table = editTable(file.text, edits);
  return fmt::format("#ifndef CUPR_EDITS_{0:016x}{1}#define CUPR_EDITS_{0:016x}{1}"
                     "CUPR_EDITS({0:016x}, \"{2}\", \"{3}\"){1}#endif{1}",
                     hashOf(file.spelled + '\n' + table), newline, escaped(file.spelled), table);
}

std::string copyText(const File &file, std::span<const Edit> edits, std::string_view otherTables) {
  const std::string_view text = file.text;
  const std::string_view newline = newlineOf(text);
  std::string body = applyEdits(text, edits);
  std::string out;
  if (text.starts_with(kByteOrderMark)) {
    out = kByteOrderMark;
    body.erase(0, kByteOrderMark.size());
  }
  // An input comes first of all, where the header is included in no namespace.
  if (file.input || (!edits.empty() && !file.nested))
    out += fmt::format("#include <cupr/cupr.h> {}{}", kMark, newline);
  else
    out += fmt::format("{}{}", kMark, newline);
  out += fmt::format("#line 1 \"{}\"{}", escaped(file.spelled), newline);
  out += body;
  std::string tables(otherTables);
  if (!edits.empty() && !file.nested)
    tables += tableText(file, edits, newline);
  if (tables.empty())
    return out;
  if (!body.ends_with('\n'))
    out += newline;
  // A backslash there would continue the last line.
  if (std::string_view(body).substr(0, body.find_last_not_of("\r\n") + 1).ends_with('\\'))
    out += newline;
  return out + tables;
}

bool isAugmented(std::string_view text) {
  if (text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  const std::string_view first = text.substr(0, text.find('\n'));
  return first.find(kMark) != std::string_view::npos;
}

} // namespace cupr::rewrite
