#include "words.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>

namespace fs = std::filesystem;

namespace cupr::commandline {
namespace {

constexpr unsigned kMaxNesting = 16; ///< of files that name files

class Reader {
public:
  Reader(const std::string &folder, std::string &error) : folder_(folder), error_(error) {}

  void read(const std::vector<std::string> &words, unsigned depth = 0) {
    for (std::size_t i = 0; i < words.size() && error_.empty(); ++i) {
      const std::string &word = words[i];
      std::string files;
      if (word.starts_with("@"))
        files = word.substr(1);
      else if ((word == "--options-file" || word == "-optf") && i + 1 < words.size())
        files = words[++i];
      else if (word.starts_with("--options-file=") || word.starts_with("-optf="))
        files = word.substr(word.find('=') + 1);
      if (files.empty())
        words_.push_back(word);
      for (const std::string &file : splitAt(files, ','))
        if (error_.empty())
          readFile(file, depth + 1);
    }
  }
  std::vector<std::string> take() { return std::move(words_); }

private:
  void readFile(const std::string &path, unsigned depth) {
    std::ifstream file(folder_.empty() ? fs::path(path) : fs::path(folder_) / path, std::ios::binary);
    if (!file)
      error_ = fmt::format("the options file {} can't be read", path);
    else if (depth > kMaxNesting)
      error_ = fmt::format("the options file {} names itself", path);
    else
      read(shellWords({std::istreambuf_iterator<char>(file), {}}), depth);
  }

  const std::string &folder_;
  std::string &error_;
  std::vector<std::string> words_;
};

} // namespace

std::vector<std::string> splitAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at)
      parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> shellWords(const std::string &text) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *, 16> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

std::vector<std::string> handedOn(const std::string &list) {
  constexpr char kComma = '\x01';
  std::string text = list;
  for (std::size_t at = 0; (at = text.find("\\,", at)) != std::string::npos;)
    text.replace(at, 2, 1, kComma);
  std::vector<std::string> words;
  for (const std::string &part : splitAt(text, ','))
    for (std::string &word : shellWords(part)) {
      std::replace(word.begin(), word.end(), kComma, ',');
      words.push_back(std::move(word));
    }
  return words;
}

std::vector<std::string> withFilesRead(const std::vector<std::string> &words, const std::string &folder,
                                       std::string &error) {
  Reader reader(folder, error);
  reader.read(words);
  return reader.take();
}

} // namespace cupr::commandline
