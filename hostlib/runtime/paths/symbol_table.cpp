#include "symbol_table.h"

#include "devicelib/abi/source_name.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace cupr::host {

std::string sourceName(std::string_view linked) {
  // Parts and copies of functions that compilers make are the same function in the source. Other languages than C have dots in names.
  for (const std::string_view mark : {".cold", ".part.", ".isra.", ".constprop.", ".lto_priv.", ".llvm."})
    linked = linked.substr(0, linked.find(mark));
  // What is not mangled can look like a type's mangled name ("f" is float).
  return linked.starts_with("_Z") ? abi::sourceName(std::string(linked)) : std::string(linked);
}

SymbolTable::SymbolTable(ElfImage &image) {
  const auto ofType = [&](std::uint32_t type) {
    return std::ranges::find_if(
        image.sections(), [&](const ElfImage::Section &section) { return section.header.sh_type == type; });
  };
  auto table = ofType(SHT_SYMTAB);
  isStripped_ = table == image.sections().end();
  if (isStripped_)
    table = ofType(SHT_DYNSYM);
  if (table == image.sections().end() || table->header.sh_link >= image.sections().size())
    return;
  const std::span<const std::byte> symbols = image.contents(*table);
  const std::span<const std::byte> names = image.contents(image.sections()[table->header.sh_link]);
  for (std::size_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + i * sizeof symbol, sizeof symbol);
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_name >= names.size())
      continue;
    const auto *const name = reinterpret_cast<const char *>(names.data()) + symbol.st_name;
    const std::size_t room = names.size() - symbol.st_name;
    const std::size_t length = ::strnlen(name, room);
    // One without a length (of assembly) ends where the next one begins, or its section.
    std::uint64_t end = symbol.st_value + symbol.st_size;
    if (symbol.st_size == 0 && symbol.st_shndx < image.sections().size()) {
      const Elf64_Shdr &section = image.sections()[symbol.st_shndx].header;
      end = section.sh_addr + section.sh_size;
    }
    if (length != 0 && length < room && end > symbol.st_value)
      functions_.push_back({symbol.st_value,
                            end,
                            {name, length},
                            ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL,
                            static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(functions_, {}, [](const Function &function) {
    return std::tuple(function.begin, function.isGlobal, ~function.index);
  });
}

std::string_view SymbolTable::nameAt(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
  return behind != functions_.begin() && address < std::prev(behind)->end ? std::prev(behind)->name
                                                                          : std::string_view{};
}

} // namespace cupr::host
