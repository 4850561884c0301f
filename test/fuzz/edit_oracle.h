/// What must hold for the edits of a file, whatever facts they come from: nothing is lost, each line keeps
/// its number, and the original can be got back, from the copy by the edit table as from the diff.
#ifndef CUPR_TEST_EDIT_ORACLE_H
#define CUPR_TEST_EDIT_ORACLE_H

#include "cuprewrite/rewriter/copy.h"
#include "cuprewrite/rewriter/diff.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace cupr::test {

inline std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines(1);
  for (char c : text)
    c == '\n' ? lines.emplace_back() : lines.back() += c;
  return lines;
}

inline std::string joined(const std::vector<std::string> &lines) {
  std::string out = lines.front();
  for (std::size_t i = 1; i < lines.size(); ++i)
    out += '\n' + lines[i];
  return out;
}

/// Takes out of `copy` what the table lists, the way the pass reads it: line by line, each position one of
/// the original. "?" when the table names a place that is not there.
inline std::string undone(const std::string &copy, const std::string &table) {
  const std::size_t mark = copy.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0; // takes no column
  std::vector<std::string> lines = linesOf(copy.substr(mark));
  std::istringstream entries(table);
  for (std::string entry; entries >> entry;) {
    std::size_t line = 0, column = 0, length = 0;
    char colon = 0, plus = 0;
    std::istringstream(entry) >> line >> colon >> column >> plus >> length;
    if (line < 1 || line > lines.size() || column < 1 || column - 1 + length > lines[line - 1].size())
      return "?";
    lines[line - 1].erase(column - 1, length);
  }
  return copy.substr(0, mark) + joined(lines);
}

/// What `patch` makes of `original`; "?" when a hunk doesn't fit.
inline std::string patched(const std::string &original, const std::string &diff) {
  std::string out;
  std::size_t at = 0; // in the original
  const auto take = [&](bool keep) {
    const std::size_t end = std::min(original.find('\n', at), original.size() - 1) + 1;
    const std::string line = original.substr(at, end - at);
    at = end;
    out += keep ? line : "";
    return line;
  };
  const std::vector<std::string> lines = linesOf(diff);
  for (std::size_t i = 2; i + 1 < lines.size(); ++i) {
    const std::string &line = lines[i];
    const bool endsHere = lines[i + 1].rfind("\\ No newline", 0) == 0;
    const std::string text = line.substr(1) + (endsHere ? "" : "\n");
    if (line[0] == '@') { // "@@ -first,count": the lines up to there are in no hunk
      std::size_t first = 0, count = 1;
      char comma = 0;
      std::istringstream numbers(line.substr(4));
      numbers >> first;
      if (numbers.peek() == ',')
        numbers >> comma >> count;
      const auto done = static_cast<std::size_t>(
          std::count(original.begin(), original.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      for (std::size_t n = done; n + (count > 0) < first; ++n)
        take(true);
    } else if (line[0] == '+') {
      out += text;
    } else if (line[0] != '\\' && (at >= original.size() || take(line[0] == ' ') != text)) {
      return "?";
    }
  }
  return out + original.substr(at);
}

/// The rule that the edits of `file` break; empty: none.
inline std::string brokenEditRule(const rewrite::File &file, const std::vector<rewrite::Edit> &edits) {
  const std::string &original = file.text;
  std::size_t added = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].offset > original.size())
      return "an edit lies behind the end";
    if (i > 0 && edits[i - 1].offset >= edits[i].offset)
      return "edits are in no order, or two stand at one place";
    if (edits[i].text.empty() || edits[i].text.find('\n') != std::string::npos)
      return "an edit adds nothing, or a line";
    added += edits[i].text.size();
  }
  const std::string copy = rewrite::applyEdits(original, edits);
  if (copy.size() != original.size() + added)
    return "text is lost";
  if (linesOf(copy).size() != linesOf(original).size())
    return "a line is lost or won";
  const std::vector<rewrite::EditTable> tables = rewrite::editTables(file, edits); // one: there is no #line
  if (undone(copy, tables.empty() ? "" : tables.front().entries) != original)
    return "the edit table does not lead back to the original";
  const std::string written = rewrite::copyText(file, edits);
  if (patched(original, rewrite::unifiedDiff(original, written, rewrite::kLinesInFront, "a", "b")) != written)
    return "the diff does not lead to the copy";
  return "";
}

} // namespace cupr::test

#endif
