#include "stamped_files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace cupr::headers {
namespace {

std::string stampOf(const std::string &path) {
  struct stat state{};
  if (stat(path.c_str(), &state) != 0)
    return "gone 0";
  return fmt::format("{}.{:09} {}", state.st_mtim.tv_sec, state.st_mtim.tv_nsec, state.st_size);
}

} // namespace

StampedFiles StampedFiles::of(const std::vector<std::string> &paths) {
  StampedFiles all;
  for (const std::string &path : paths)
    all.files_.push_back({stampOf(path), path});
  return all;
}

StampedFiles StampedFiles::read(const std::string &text) {
  StampedFiles all;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const std::size_t time = line.find(' '), size = time == line.npos ? line.npos : line.find(' ', time + 1);
    if (size != line.npos)
      all.files_.push_back({line.substr(0, size), line.substr(size + 1)});
    start = end + 1;
  }
  return all;
}

std::string StampedFiles::text() const {
  std::string text;
  for (const File &file : files_)
    text += file.stamp + " " + file.path + "\n";
  return text;
}

bool StampedFiles::areUnchanged() const {
  return !files_.empty() &&
         std::ranges::all_of(files_, [](const File &file) { return stampOf(file.path) == file.stamp; });
}

bool StampedFiles::areHiddenBy(const std::string &folder) const {
  constexpr int kFolders = 2;
  std::set<fs::path> names; // many have one
  for (const File &file : files_) {
    const fs::path path(file.path);
    fs::path name = path.filename(), above = path.parent_path();
    names.insert(name);
    for (int i = 0; i < kFolders && above.has_filename(); ++i, above = above.parent_path())
      names.insert(name = above.filename() / name);
  }
  std::error_code error;
  return fs::is_directory(folder, error) && std::ranges::any_of(names, [&](const fs::path &name) {
           struct stat state{};
           return stat((fs::path(folder) / name).c_str(), &state) == 0 && !S_ISDIR(state.st_mode);
         });
}

} // namespace cupr::headers
