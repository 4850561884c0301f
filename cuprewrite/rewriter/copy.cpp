#include "copy.h"

#include "devicelib/abi/augmented_mark.h"

#include <fmt/format.h>

namespace cupr::rewrite {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

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

static std::string tableText(const File &file, std::span<const Edit> edits, std::string_view newline) {
  std::string out;
  for (const EditTable &table : editTables(file, edits)) {
    const std::string id = fmt::format("{:016x}", hashOf(table.file + '\n' + table.entries));
    out += fmt::format("#ifndef CUPR_EDITS_{0}{1}#define CUPR_EDITS_{0}{1}"
                       "CUPR_EDITS({0}, \"{2}\", \"{3}\"){1}#endif{1}",
                       id, newline, escaped(table.file), table.entries);
  }
  return out;
}

std::string copyText(const File &file, std::span<const Edit> edits, std::span<const Hosted> hosted) {
  const std::string_view text = file.text;
  const std::size_t firstEnd = text.find('\n');
  const std::string_view newline =
      firstEnd != std::string_view::npos && firstEnd > 0 && text[firstEnd - 1] == '\r' ? "\r\n" : "\n";
  const bool holdsTable = !edits.empty() && !file.nested;
  std::string body = applyEdits(text, edits);
  std::string out;
  if (text.starts_with(kByteOrderMark)) {
    out = kByteOrderMark;
    body.erase(0, kByteOrderMark.size());
  }
  // An input comes first of all, where no namespace is open around the header.
  if (file.input || holdsTable || !hosted.empty())
    out += "#include <cupr/cupr.h> ";
  out += fmt::format("{}{}#line 1 \"{}\"{}{}", abi::kAugmentedMark, newline, escaped(file.spelled), newline,
                     body);
  if (!holdsTable && hosted.empty())
    return out;
  if (!body.ends_with('\n'))
    out += newline;
  // A backslash at the end would make the table part of the last line.
  if (std::string_view(body).substr(0, body.find_last_not_of("\r\n") + 1).ends_with('\\'))
    out += newline;
  if (holdsTable)
    out += tableText(file, edits, newline);
  for (const Hosted &other : hosted)
    out += tableText(*other.file, other.edits, newline);
  return out;
}

bool isAugmented(std::string_view text) {
  if (text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  const std::string_view first = text.substr(0, text.find('\n'));
  return first.find(abi::kAugmentedMark) != std::string_view::npos;
}

} // namespace cupr::rewrite
