/// The functions of an ELF file by its own symbol table: .symtab, or .dynsym where that was stripped. It has names, and no lines.
#ifndef CUPR_RUNTIME_SYMBOL_TABLE_H
#define CUPR_RUNTIME_SYMBOL_TABLE_H

#include "elf_image.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::host {

/// A function's name as its source has it: demangled, without the trace argument. C's names are what they are.
std::string sourceName(std::string_view linked);

class SymbolTable {
public:
  /// `image` must outlive it.
  explicit SymbolTable(ElfImage &image);

  bool isStripped() const { return isStripped_; }
  /// The linked name of the function there (an address of the file's own); empty: it lies in none. Where several have the same
  /// code, the one that others can call; then the first in the table.
  std::string_view nameAt(std::uint64_t address) const;

private:
  struct Function {
    std::uint64_t begin, end;
    std::string_view name;
    bool isGlobal;
    std::uint32_t index;
  };
  std::vector<Function> functions_; ///< by their beginnings, of one beginning the best one last
  bool isStripped_ = true;
};

} // namespace cupr::host

#endif
