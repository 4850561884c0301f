#include "edit.h"

#include <algorithm>

namespace cupr::rewrite {

void EditPlan::want(const Spot &spot, std::string text, const Place &place) {
  auto [it, isNew] = wishes_.emplace(spot, Wish{text, place});
  if (isNew || it->second.text == text)
    return;
  const bool told =
      std::any_of(conflicts_.begin(), conflicts_.end(), [&](const Conflict &c) { return c.spot == spot; });
  if (!told)
    conflicts_.push_back({spot, it->second.place, place, it->second.text, std::move(text)});
}

std::vector<Edit> EditPlan::edits(FileId file) const {
  std::vector<Edit> out;
  for (auto it = wishes_.lower_bound(Spot{file, 0}); it != wishes_.end() && it->first.file == file; ++it)
    if (!it->second.text.empty())
      out.push_back({it->first.offset, it->second.text});
  return out;
}

std::string applyEdits(std::string_view text, std::span<const Edit> edits) {
  std::string out;
  std::size_t done = 0;
  for (const Edit &edit : edits) {
    out.append(text.substr(done, edit.offset - done));
    out += edit.text;
    done = edit.offset;
  }
  out.append(text.substr(done));
  return out;
}

std::vector<EditTable> editTables(const File &file, std::span<const Edit> edits) {
  const std::string_view text = file.text;
  std::vector<EditTable> tables;
  std::uint32_t line = 1;
  std::size_t lineStart = 0, scanned = 0;
  // A byte order mark is no column.
  if (text.starts_with("\xef\xbb\xbf"))
    lineStart = scanned = 3;
  for (const Edit &edit : edits) {
    for (; scanned < edit.offset; ++scanned)
      if (text[scanned] == '\n') {
        ++line;
        lineStart = scanned + 1;
      }
    const auto behind = file.lineMarks.upper_bound(line);
    const bool marked = behind != file.lineMarks.begin();
    const std::string &name = marked ? std::prev(behind)->second.file : file.spelled;
    const std::uint32_t number =
        marked ? std::prev(behind)->second.line + line - std::prev(behind)->first : line;
    auto table =
        std::find_if(tables.begin(), tables.end(), [&](const EditTable &t) { return t.file == name; });
    if (table == tables.end())
      table = tables.insert(tables.end(), {name, ""});
    else
      table->entries += ' ';
    table->entries += std::to_string(number) + ':' + std::to_string(edit.offset - lineStart + 1) + '+' +
                      std::to_string(edit.text.size());
  }
  return tables;
}

} // namespace cupr::rewrite
