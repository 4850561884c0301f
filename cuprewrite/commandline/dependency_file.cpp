#include "dependency_file.h"

namespace cupr::commandline {

std::vector<std::string> prerequisitesOf(const std::string &rules) {
  std::vector<std::string> files;
  std::string word;
  bool behindColon = false;
  const auto end = [&] {
    if (!word.empty() && behindColon)
      files.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const char c = rules[i], next = i + 1 < rules.size() ? rules[i + 1] : '\0';
    if (c == '\\' && next == '\n') {
      end();
      ++i;
    } else if (c == '\\' && (next == ' ' || next == '#')) {
      word += next;
      ++i;
    } else if (c == '$' && next == '$') {
      word += '$';
      ++i;
    } else if (c == ':' && !behindColon && (next == ' ' || next == '\n' || next == '\\')) {
      word.clear();
      behindColon = true;
    } else if (c == '\n') {
      end();
      if (behindColon)
        break;
    } else if (c == ' ' || c == '\t') {
      end();
    } else {
      word += c;
    }
  }
  end();
  return files;
}

std::string makeQuoted(const std::string &path) {
  std::string quoted;
  for (const char c : path) {
    if (c == ' ' || c == '#')
      quoted += '\\';
    else if (c == '$')
      quoted += '$';
    quoted += c;
  }
  return quoted;
}

std::string dependencyRule(const std::vector<std::string> &targets,
                           const std::vector<std::string> &prerequisites, bool phony) {
  std::string text;
  for (const std::string &target : targets)
    text += (text.empty() ? "" : " ") + target;
  text += ':';
  for (const std::string &file : prerequisites)
    text += " \\\n  " + makeQuoted(file);
  text += '\n';
  if (phony)
    for (std::size_t i = 1; i < prerequisites.size(); ++i)
      text += makeQuoted(prerequisites[i]) + ":\n";
  return text;
}

} // namespace cupr::commandline
