/// Command lines as lists of words: how texts become words, and words that stand for others.
#ifndef CUPR_COMMANDLINE_WORDS_H
#define CUPR_COMMANDLINE_WORDS_H

#include <string>
#include <string_view>
#include <vector>

namespace cupr::commandline {

/// The parts between the separators; empty ones are left out.
std::vector<std::string> splitAt(std::string_view text, char separator);

/// Words as a shell would read them, without its expansions.
std::vector<std::string> shellWords(const std::string &text);

/// The list that nvcc hands on to another program (-Xcompiler, ...): commas and blanks stand between its
/// members, and `\,` is a comma in one.
std::vector<std::string> handedOn(const std::string &list);

/// Puts the words of files, `@file` and nvcc's `--options-file file,...`, in their places; files may name
/// others. Relative names lie in `folder`; empty: the current one. What can't be read is said in `error`.
std::vector<std::string> withFilesRead(const std::vector<std::string> &words, const std::string &folder,
                                       std::string &error);

inline void append(std::vector<std::string> &list, const std::vector<std::string> &words) {
  list.insert(list.end(), words.begin(), words.end());
}

} // namespace cupr::commandline

#endif
