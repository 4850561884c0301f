#include "elf_section.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>

namespace cupr::tool {
namespace {

/// A file whose parts are read where they are needed: programs can be large.
class Elf {
public:
  explicit Elf(const std::string &path) : file_(path, std::ios::binary | std::ios::ate) {
    bytes_ = file_ ? static_cast<std::uint64_t>(file_.tellg()) : 0;
  }

  template <typename T> bool read(std::uint64_t offset, T &value) {
    return read(offset, &value, sizeof value);
  }
  bool read(std::uint64_t offset, void *to, std::uint64_t bytes) {
    if (offset > bytes_ || bytes > bytes_ - offset)
      return false;
    file_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(file_.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes)));
  }
  std::optional<std::string> text(const Elf64_Shdr &section) {
    if (section.sh_type == SHT_NOBITS || section.sh_size > bytes_)
      return std::nullopt;
    std::string text(section.sh_size, '\0');
    if (!read(section.sh_offset, text.data(), text.size()))
      return std::nullopt;
    return text;
  }

private:
  std::ifstream file_;
  std::uint64_t bytes_;
};

/// Calls `visit` with each section and its name, until it answers false. Nothing for what is no such file.
template <typename Visit> void forEachSection(Elf &elf, Visit visit) {
  Elf64_Ehdr head;
  if (!elf.read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shoff == 0 ||
      head.e_shentsize != sizeof(Elf64_Shdr))
    return;
  Elf64_Shdr first, names, section;
  if (!elf.read(head.e_shoff, first))
    return;
  // Counts that don't fit the head stand in the first section's (ELF specification, "Sections").
  const std::uint64_t count = head.e_shnum ? head.e_shnum : first.sh_size;
  const std::uint64_t nameTable = head.e_shstrndx == SHN_XINDEX ? first.sh_link : head.e_shstrndx;
  if (nameTable >= count || !elf.read(head.e_shoff + nameTable * sizeof section, names))
    return;
  const std::optional<std::string> table = elf.text(names);
  if (!table)
    return;
  for (std::uint64_t i = 0; i < count; ++i)
    if (!elf.read(head.e_shoff + i * sizeof section, section) ||
        (section.sh_name < table->size() &&
         !visit(section, std::string_view(table->c_str() + section.sh_name))))
      return;
}

} // namespace

std::optional<std::string> elfSection(const std::string &path, std::string_view name) {
  Elf elf(path);
  std::optional<std::string> found;
  forEachSection(elf, [&](const Elf64_Shdr &section, std::string_view each) {
    if (each == name)
      found = elf.text(section);
    return each != name;
  });
  return found;
}

std::vector<std::string> elfSections(const std::string &path, std::string_view prefix) {
  Elf elf(path);
  std::vector<std::string> found;
  forEachSection(elf, [&](const Elf64_Shdr &section, std::string_view name) {
    if (auto text = name.starts_with(prefix) ? elf.text(section) : std::nullopt)
      found.push_back(std::move(*text));
    return true;
  });
  return found;
}

} // namespace cupr::tool
