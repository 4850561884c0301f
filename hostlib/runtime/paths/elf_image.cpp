#include "elf_image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cupr::host {
namespace {

/// Longer files are not looked at, nor are those with more sections: no linker makes them.
constexpr std::uint64_t kLongestFile = std::uint64_t{1} << 36;
constexpr std::uint64_t kMostSections = std::uint64_t{1} << 20;

/// What begins there; it must be inside.
template <typename T> T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The text that begins there and ends with a 0; empty where it doesn't.
std::string_view textAt(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size())
    return {};
  const auto *const begin = reinterpret_cast<const char *>(bytes.data()) + offset;
  const std::size_t length = ::strnlen(begin, bytes.size() - offset);
  return length == bytes.size() - offset ? std::string_view{} : std::string_view(begin, length);
}

} // namespace

std::unique_ptr<ElfImage> ElfImage::read(const std::string &path) {
  std::unique_ptr<ElfImage> image(new ElfImage);
  image->path_ = path;
  image->file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat status{};
  if (image->file_ < 0 || ::fstat(image->file_, &status) != 0 || !S_ISREG(status.st_mode))
    return nullptr;
  image->changeTime_ = static_cast<std::uint64_t>(status.st_ctim.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(status.st_ctim.tv_nsec);
  if (!image->reserve(static_cast<std::size_t>(status.st_size)) || !image->readTables())
    return nullptr;
  return image;
}

std::unique_ptr<ElfImage> ElfImage::copy(std::span<const std::byte> file) {
  std::unique_ptr<ElfImage> image(new ElfImage);
  if (!image->reserve(file.size()))
    return nullptr;
  std::ranges::copy(file, image->memory_.begin());
  if (!image->readTables())
    return nullptr;
  return image;
}

ElfImage::~ElfImage() {
  if (file_ >= 0)
    ::close(file_);
  if (!memory_.empty())
    ::munmap(memory_.data(), memory_.size());
}

bool ElfImage::reserve(std::size_t bytes) {
  if (bytes < sizeof(Elf64_Ehdr) || bytes > kLongestFile)
    return false;
  void *const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  memory_ = {static_cast<std::byte *>(memory), bytes};
  return true;
}

std::span<const std::byte> ElfImage::bytes(std::uint64_t offset, std::uint64_t size) {
  if (offset > memory_.size() || size > memory_.size() - offset)
    return {};
  const std::span<std::byte> part = memory_.subspan(offset, size);
  const auto isThere = [&](const auto &range) {
    return range.first <= offset && offset + size <= range.second;
  };
  if (file_ < 0 || std::ranges::any_of(copied_, isThere))
    return part;
  for (std::size_t done = 0; done < size;) {
    const ssize_t length = ::pread(file_, part.data() + done, size - done, static_cast<off_t>(offset + done));
    if (length < 0 && errno == EINTR)
      continue;
    if (length <= 0) // cut off since
      return {};
    done += static_cast<std::size_t>(length);
  }
  copied_.emplace_back(offset, offset + size);
  return part;
}

bool ElfImage::readTables() {
  const std::span<const std::byte> head = bytes(0, sizeof(Elf64_Ehdr));
  if (head.empty())
    return false;
  const auto header = at<Elf64_Ehdr>(head, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
    return false;
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) // without sections: nothing is named
    return true;
  // With very many sections, the first one says how many, and which has their names.
  const std::span<const std::byte> first = bytes(header.e_shoff, sizeof(Elf64_Shdr));
  if (first.empty())
    return true;
  const auto zeroth = at<Elf64_Shdr>(first, 0);
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : zeroth.sh_size;
  const std::uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : zeroth.sh_link;
  if (count > kMostSections || names >= count)
    return true;
  const std::span<const std::byte> table = bytes(header.e_shoff, count * sizeof(Elf64_Shdr));
  if (table.empty())
    return true;
  for (std::uint64_t i = 0; i < count; ++i)
    sections_.push_back({{}, at<Elf64_Shdr>(table, i * sizeof(Elf64_Shdr))});
  const std::span<const std::byte> texts = contents(sections_[names]);
  for (Section &section : sections_)
    section.name = textAt(texts, section.header.sh_name);
  return true;
}

const ElfImage::Section *ElfImage::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

std::span<const std::byte> ElfImage::contents(const Section &section) {
  return section.header.sh_type == SHT_NOBITS ? std::span<const std::byte>{}
                                              : bytes(section.header.sh_offset, section.header.sh_size);
}

/// It lies in a segment of notes: a file needs no sections for it, and many a linker gives the section another name.
std::string ElfImage::buildId() {
  const auto header = at<Elf64_Ehdr>(memory_, 0); // readTables has copied it
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  const std::span<const std::byte> segments =
      bytes(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  for (std::size_t offset = 0; offset < segments.size(); offset += sizeof(Elf64_Phdr)) {
    const auto segment = at<Elf64_Phdr>(segments, offset);
    if (segment.p_type != PT_NOTE)
      continue;
    std::span<const std::byte> notes = bytes(segment.p_offset, segment.p_filesz);
    while (notes.size() >= sizeof(Elf64_Nhdr)) {
      const auto note = at<Elf64_Nhdr>(notes, 0);
      notes = notes.subspan(sizeof note);
      const std::uint64_t name = padded(note.n_namesz);
      if (name > notes.size() || note.n_descsz > notes.size() - name)
        break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0) {
        std::string id;
        for (const std::byte byte : notes.subspan(name, note.n_descsz))
          id += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
        return id;
      }
      notes = notes.subspan(std::min<std::uint64_t>(name + padded(note.n_descsz), notes.size()));
    }
  }
  return {};
}

} // namespace cupr::host
