/// A copy of those parts of an ELF file that are looked at, for finding names in it.
///
/// The file is the program's, or a library's of it, and may have changed since it was loaded: been built anew, cut off, overwritten this very
/// moment. A file that is mapped and then cut off kills who reads it (SIGBUS). So its parts are copied: into memory that has the file's
/// layout, where what is not asked for takes no room. What a copy holds can be nonsense, but no longer changes: each number in it is
/// compared with the file's length before it is used.
///
/// Source: System V ABI, chapter 4 (object files), and elf(5).
///
/// Threads: one at a time.
#ifndef CUPR_RUNTIME_ELF_IMAGE_H
#define CUPR_RUNTIME_ELF_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::host {

class ElfImage {
public:
  /// Null where there is no such file, or it is none for x86-64. What is no regular file is not opened: it could wait for ever.
  static std::unique_ptr<ElfImage> read(const std::string &path);
  /// A copy of a file that lies in memory, complete: the vDSO, which the kernel puts there.
  static std::unique_ptr<ElfImage> copy(std::span<const std::byte> file);
  ~ElfImage();
  ElfImage(const ElfImage &) = delete;
  ElfImage &operator=(const ElfImage &) = delete;

  const std::string &path() const { return path_; }
  /// Of the file: nanoseconds since the epoch at which anything about it was changed last; 0: it is no file.
  std::uint64_t changeTime() const { return changeTime_; }
  /// In hexadecimal digits; empty: it has none.
  std::string buildId();

  struct Section {
    std::string_view name;
    Elf64_Shdr header;
  };
  const std::vector<Section> &sections() const { return sections_; }
  const Section *section(std::string_view name) const;
  /// Copied now, if it was not before; empty: it lies outside of the file, or in none.
  std::span<const std::byte> contents(const Section &section);
  /// All of it; what has been copied is there, the rest is zero.
  std::span<std::byte> memory() const { return memory_; }

private:
  ElfImage() = default;
  /// Reserves memory as long as the file; false: there is none.
  bool reserve(std::size_t bytes);
  /// False where it is no ELF file that is understood.
  bool readTables();
  /// The bytes there; empty where there are not so many.
  std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t size);

  std::string path_;
  int file_ = -1; ///< -1: all has been copied
  std::uint64_t changeTime_ = 0;
  std::span<std::byte> memory_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> copied_; ///< offsets, and ends
  std::vector<Section> sections_;
};

} // namespace cupr::host

#endif
