#include "source_expression.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace cupr::analysis {

namespace {

constexpr std::size_t kLongest = 80;

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isSpace(char c) { return c == ' ' || c == '\t'; }
bool isOneOf(char c, std::string_view of) { return of.find(c) != of.npos; }

std::string_view lineOf(std::string_view text, std::uint32_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == text.npos)
      return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// Behind the bracket that closes the one at `at`; npos: it is in another line.
std::size_t behindBracket(std::string_view line, std::size_t at) {
  int depth = 0;
  for (; at < line.size(); ++at) {
    depth += isOneOf(line[at], "([{") ? 1 : isOneOf(line[at], ")]}") ? -1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return line.npos;
}
/// Where the bracket opens that ends before `end`; npos: in another line.
std::size_t openingOf(std::string_view line, std::size_t end) {
  int depth = 0;
  for (std::size_t at = end; at-- > 0;) {
    depth += isOneOf(line[at], ")]}") ? 1 : isOneOf(line[at], "([{") ? -1 : 0;
    if (depth == 0)
      return at;
  }
  return line.npos;
}

/// Names, members and subscripts that follow each other from `at` on.
std::size_t endOfAccess(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size()) {
    if (isWord(line[end]) || line[end] == '.') {
      ++end;
    } else if (line.substr(end, 2) == "->" || line.substr(end, 2) == "::") {
      end += 2;
    } else if (line[end] == '[' || (line[end] == '(' && end > at)) {
      if ((end = behindBracket(line, end)) == line.npos)
        return line.npos;
    } else {
      break;
    }
  }
  return end;
}

/// Where what ends at `end` begins: names, members, subscripts.
std::size_t beginOfAccess(std::string_view line, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0) {
    if (isWord(line[begin - 1]) || isOneOf(line[begin - 1], ".:")) {
      --begin;
    } else if (begin > 1 && line.substr(begin - 2, 2) == "->") {
      begin -= 2;
    } else if (isOneOf(line[begin - 1], "])")) {
      if ((begin = openingOf(line, begin)) == line.npos)
        return line.npos;
    } else {
      break;
    }
  }
  return begin;
}

} // namespace

SourceExpression expressionAt(std::string_view text, std::uint32_t line, std::uint32_t column, bool isLoad) {
  const std::string_view all = lineOf(text, line);
  if (line == 0 || column == 0 || column > all.size())
    return {};
  std::size_t at = column - 1, begin = at, end = at;
  if (isLoad && all[at] == '=' && all.substr(at, 2) != "==") {
    begin = std::min(all.find_first_not_of(" \t=", at), all.size());
    end = endOfAccess(all, begin);
  } else if (isOneOf(all[at], "=+-*/%&|^<>") &&
             all.substr(at, 3).find('=') != all.npos) { // an assignment: its left side
    end = at;
    while (end > 0 && isSpace(all[end - 1]))
      --end;
    begin = beginOfAccess(all, end);
  } else if (all[at] == '*') {
    end = endOfAccess(all, at + 1);
  } else if (all[at] == '[') {
    begin = beginOfAccess(all, at);
    end = endOfAccess(all, at);
  } else if (isWord(all[at])) {
    begin = beginOfAccess(all, at); // of a member, its structure
    end = endOfAccess(all, at);
  }
  if (begin == all.npos || end == all.npos || end <= begin)
    return {};
  const std::string_view found = all.substr(begin, end - begin);
  const bool isAccess =
      isOneOf(found.front(), "*") || found.find('[') != found.npos || found.find("->") != found.npos;
  if (!isAccess || found.size() > kLongest)
    return {};
  return {std::string(found), static_cast<std::uint32_t>(begin) + 1};
}

std::string lookedUpIn(std::string_view expression) {
  const std::size_t open = expression.find('[');
  if (open == expression.npos)
    return {};
  const std::size_t close = behindBracket(expression, open);
  if (close == expression.npos)
    return {};
  const std::string_view inside = expression.substr(open + 1, close - open - 2);
  const std::size_t inner = inside.find('[');
  if (inner == inside.npos)
    return {};
  const std::size_t begin = beginOfAccess(inside, inner), end = endOfAccess(inside, inner);
  return begin == inside.npos || end == inside.npos || begin == inner
             ? std::string()
             : std::string(inside.substr(begin, end - begin));
}

} // namespace cupr::analysis
