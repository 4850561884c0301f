/// Files for what does not fit in memory. They have no name, so nothing stays behind however the program
/// ends.
#ifndef CUPR_ANALYSIS_UNNAMED_FILE_H
#define CUPR_ANALYSIS_UNNAMED_FILE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <vector>

namespace cupr::analysis {

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using UnnamedFile = std::unique_ptr<std::FILE, CloseFile>;
/// A new file without a name, in $TMPDIR or /tmp. Throws std::runtime_error.
UnnamedFile unnamedFile();
/// Throw std::runtime_error.
void writeAll(std::FILE *file, const void *data, std::size_t bytes);
void readAll(std::FILE *file, void *data, std::size_t bytes);
/// What was written can be read by readAllAt().
void flushAll(std::FILE *file);
/// From `offset`, wherever the file is read and written else. Several threads may do so at a time.
void readAllAt(std::FILE *file, std::uint64_t offset, void *data, std::size_t bytes);

/// A plain value.
template <typename T> void saveOne(std::FILE *file, const T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  writeAll(file, &value, sizeof value);
}
template <typename T> T loadOne(std::FILE *file) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  readAll(file, &value, sizeof value);
  return value;
}

/// A vector of plain values, with its length in front.
template <typename T> void saveVector(std::FILE *file, const std::vector<T> &values) {
  const std::uint64_t count = values.size();
  writeAll(file, &count, sizeof count);
  writeAll(file, values.data(), values.size() * sizeof(T));
}
template <typename T> void loadVector(std::FILE *file, std::vector<T> &values) {
  std::uint64_t count = 0;
  readAll(file, &count, sizeof count);
  // Not all at once: a file that ends before has said a wrong length.
  constexpr std::uint64_t kBlock = 4096;
  values.clear();
  for (std::uint64_t left = count; left != 0;) {
    const auto more = static_cast<std::size_t>(std::min(left, kBlock));
    values.resize(values.size() + more);
    readAll(file, values.data() + values.size() - more, more * sizeof(T));
    left -= more;
  }
}

} // namespace cupr::analysis

#endif
