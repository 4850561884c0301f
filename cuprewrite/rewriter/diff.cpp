#include "diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cupr::rewrite {

namespace {

constexpr std::size_t kContext = 3;

/// A line of the diff: ' ' both have it, '-' the original alone, '+' the copy alone.
struct Line {
  char mark;
  std::string_view text; ///< with its end of line, if it has one
};

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<Line> compare(const std::vector<std::string_view> &original,
                          const std::vector<std::string_view> &copy, std::size_t linesInFront) {
  std::vector<Line> out;
  std::size_t next = 0;
  for (; next < std::min(linesInFront, copy.size()); ++next)
    out.push_back({'+', copy[next]});
  for (std::size_t i = 0; i < original.size();) {
    // Lines that change one after the other: the original's all first, as diff writes it.
    std::size_t end = i;
    while (end < original.size() && (next + end - i >= copy.size() || original[end] != copy[next + end - i]))
      ++end;
    if (end == i) {
      out.push_back({' ', original[i++]});
      ++next;
      continue;
    }
    for (std::size_t line = i; line < end; ++line)
      out.push_back({'-', original[line]});
    for (; i < end && next < copy.size(); ++i)
      out.push_back({'+', copy[next++]});
    i = end;
  }
  for (; next < copy.size(); ++next)
    out.push_back({'+', copy[next]});
  return out;
}

/// `first,count` of a hunk; a range without lines names the line in front of it.
std::string range(std::size_t linesBefore, std::size_t count) {
  const std::size_t first = count == 0 ? linesBefore : linesBefore + 1;
  return count == 1 ? std::to_string(first) : fmt::format("{},{}", first, count);
}

} // namespace

std::string unifiedDiff(std::string_view original, std::string_view copy, std::size_t linesInFront,
                        std::string_view originalName, std::string_view copyName) {
  const std::vector<Line> lines = compare(linesOf(original), linesOf(copy), linesInFront);
  const auto changes = [](const Line &line) { return line.mark != ' '; };
  std::string out;
  std::size_t originalBefore = 0, copyBefore = 0; // lines in front of lines[at]
  for (std::size_t at = 0; at < lines.size();) {
    const auto change = static_cast<std::size_t>(
        std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.end(), changes) - lines.begin());
    if (change == lines.size())
      break;
    const std::size_t start = std::max(at, change - std::min(change, kContext));
    originalBefore += start - at; // what is skipped is in both
    copyBefore += start - at;
    std::size_t last = change, end = change;
    for (; end < lines.size() && end <= last + 2 * kContext + 1; ++end)
      if (changes(lines[end]))
        last = end;
    end = std::min(last + kContext + 1, lines.size());
    std::size_t originalCount = 0, copyCount = 0;
    std::string body;
    for (std::size_t i = start; i < end; ++i) {
      originalCount += lines[i].mark != '+';
      copyCount += lines[i].mark != '-';
      body += lines[i].mark;
      body += lines[i].text;
      if (!lines[i].text.ends_with('\n'))
        body += "\n\\ No newline at end of file\n";
    }
    if (out.empty())
      out = fmt::format("--- {}\n+++ {}\n", originalName, copyName);
    out += fmt::format("@@ -{} +{} @@\n{}", range(originalBefore, originalCount),
                       range(copyBefore, copyCount), body);
    originalBefore += originalCount;
    copyBefore += copyCount;
    at = end;
  }
  return out;
}

} // namespace cupr::rewrite
