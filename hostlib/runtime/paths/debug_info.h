/// What debug information says of places in one ELF file's code: the functions there, inlined ones too, with file, line and column.
///
/// A *unit* is what was compiled at once. The units' code ranges lead to the unit of a place; in it, the tree of entries (DIEs) has the functions,
/// each with what was inlined into it, and the line table says where the place itself is. The lists of ranges by address that
/// files may have (.debug_aranges) are not used: clang does not write them.
///
/// Source: DWARF 5, sections 2.17 (ranges), 3.3 (subroutines), 6.2 (lines).
///
/// Threads: one at a time.
#ifndef CUPR_RUNTIME_DEBUG_INFO_H
#define CUPR_RUNTIME_DEBUG_INFO_H

#include "debug_library.h"
#include "elf_image.h"
#include "hostlib/trace/host_batch.h"

#include <chrono>
#include <memory>
#include <span>

namespace cupr::host {

class DebugInfo {
public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// Null where the file has none, or more than is worth reading. Both must outlive it.
  static std::unique_ptr<DebugInfo> read(const DebugLibrary &library, ElfImage &image);
  ~DebugInfo();
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;

  /// Replaces the frames of `places`, sorted by offset, by what is known; others stay as they are. Behind the deadline, no further unit is begun.
  void describe(std::span<trace::HostPlace> places, Deadline deadline);

private:
  struct Range;
  struct Unit;
  DebugInfo(const DebugLibrary &library, Elf *elf, Dwarf *dwarf)
      : library_(library), elf_(elf), dwarf_(dwarf) {}
  /// Calls `body(begin, end)` for each range of the entry's code.
  template <typename Body> void forEachRange(Dwarf_Die &die, Body body) const;
  bool contains(Dwarf_Die &die, std::uint64_t address) const;
  /// Calls `body(child)` for each child, until it returns false.
  template <typename Body> void forEachChild(Dwarf_Die &die, Body body) const;
  void describeUnit(Unit &unit, std::span<trace::HostPlace> places, Deadline deadline);
  /// The innermost function, and what is inlined there, one into the other.
  std::vector<Dwarf_Die> chainAt(Dwarf_Die function, std::uint64_t address) const;
  /// `symbol`: what the symbol table calls it; empty: it is inlined there, or has none.
  std::string nameOf(Dwarf_Die &die, const std::string &symbol) const;
  std::uint64_t numberOf(Dwarf_Die &die, unsigned attribute) const;

  const DebugLibrary &library_;
  Elf *const elf_;
  Dwarf *const dwarf_;
};

} // namespace cupr::host

#endif
