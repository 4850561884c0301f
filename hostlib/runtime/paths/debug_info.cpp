#include "debug_info.h"

#include "symbol_table.h"

#include <algorithm>
#include <cstddef>
#include <dwarf.h>
#include <iterator>
#include <utility>

namespace cupr::host {
namespace {

/// All debug sections of a file that are read; unpacked they are some times as long.
constexpr std::uint64_t kMostDebugBytes = std::uint64_t{1} << 30;
/// Functions that are inlined into each other.
constexpr std::size_t kDeepest = 256;
/// Entries between two looks at the clock.
constexpr unsigned kStride = 4096;

bool isOver(DebugInfo::Deadline deadline) { return std::chrono::steady_clock::now() > deadline; }

std::string text(const char *words) { return words ? words : ""; }

} // namespace

struct DebugInfo::Unit {
  Dwarf_Die head; ///< has the line table
  Dwarf_Die
      entries; ///< the tree: that of another file where the entries were split off (DWARF 5, section 7.3.2)
};

struct DebugInfo::Range {
  std::uint64_t begin, end;
  std::size_t unit;
};

std::unique_ptr<DebugInfo> DebugInfo::read(const DebugLibrary &library, ElfImage &image) {
  std::uint64_t bytes = 0;
  bool hasAny = false;
  const auto isDebug = [](const ElfImage::Section &section) {
    return section.name.starts_with(".debug_") || section.name.starts_with(".zdebug_") ||
           section.name.starts_with(".gnu_debug");
  };
  for (const ElfImage::Section &section : image.sections())
    if (isDebug(section)) {
      bytes += section.header.sh_type == SHT_NOBITS ? 0 : section.header.sh_size;
      hasAny = hasAny || section.name.ends_with("debug_info");
    }
  if (!hasAny || bytes > kMostDebugBytes)
    return nullptr;
  for (const ElfImage::Section &section : image.sections())
    if (isDebug(section))
      image.contents(section);
  Elf *const elf = library.elf_memory(reinterpret_cast<char *>(image.memory().data()), image.memory().size());
  if (!elf)
    return nullptr;
  Dwarf *const dwarf = library.dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  if (!dwarf) {
    library.elf_end(elf);
    return nullptr;
  }
  return std::unique_ptr<DebugInfo>(new DebugInfo(library, elf, dwarf));
}

DebugInfo::~DebugInfo() {
  library_.dwarf_end(dwarf_);
  library_.elf_end(elf_);
}

template <typename Body> void DebugInfo::forEachRange(Dwarf_Die &die, Body body) const {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = library_.dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
    if (begin < end)
      body(std::uint64_t{begin}, std::uint64_t{end});
}

bool DebugInfo::contains(Dwarf_Die &die, std::uint64_t address) const {
  bool isInside = false;
  forEachRange(die, [&](std::uint64_t begin, std::uint64_t end) {
    isInside = isInside || (begin <= address && address < end);
  });
  return isInside;
}

template <typename Body> void DebugInfo::forEachChild(Dwarf_Die &die, Body body) const {
  Dwarf_Die child;
  if (library_.dwarf_child(&die, &child) != 0)
    return;
  for (bool goesOn = body(child); goesOn;) {
    Dwarf_Die next;
    if (library_.dwarf_siblingof(&child, &next) != 0)
      return;
    child = next;
    goesOn = body(child);
  }
}

void DebugInfo::describe(std::span<trace::HostPlace> places, Deadline deadline) {
  std::vector<Unit> units;
  std::vector<Range> ranges;
  Dwarf_CU *unit = nullptr;
  Unit found{};
  for (unsigned count = 1;
       library_.dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &found.head, &found.entries) == 0;
       ++count) {
    if (count % kStride == 0 && isOver(deadline))
      return;
    if (!found.entries.addr)
      found.entries = found.head;
    forEachRange(found.head, [&](std::uint64_t begin, std::uint64_t end) {
      ranges.push_back({begin, end, units.size()});
    });
    units.push_back(found);
    found = {};
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<std::pair<std::size_t, std::size_t>> wanted; // units, and places
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto behind = std::ranges::upper_bound(ranges, places[i].offset, {}, &Range::begin);
    if (behind != ranges.begin() && places[i].offset < std::prev(behind)->end)
      wanted.emplace_back(std::prev(behind)->unit, i);
  }
  // A unit's code may lie in pieces between others': its places are gathered.
  std::ranges::sort(wanted);
  for (auto first = wanted.begin(); first != wanted.end() && !isOver(deadline);) {
    const auto last =
        std::find_if(first, wanted.end(), [&](const auto &pair) { return pair.first != first->first; });
    std::vector<trace::HostPlace> ofUnit;
    for (auto at = first; at != last; ++at)
      ofUnit.push_back(std::move(places[at->second]));
    describeUnit(units[first->first], ofUnit, deadline);
    for (auto at = first; at != last; ++at)
      places[at->second] = std::move(ofUnit[static_cast<std::size_t>(at - first)]);
    first = last;
  }
}

void DebugInfo::describeUnit(Unit &unit, std::span<trace::HostPlace> places, Deadline deadline) {
  // The smallest function around each place. Functions may stand anywhere in the tree: in namespaces, classes, other functions.
  struct Found {
    Dwarf_Die die{};
    std::uint64_t size = UINT64_MAX;
  };
  std::vector<Found> functions(places.size());
  std::vector<Dwarf_Die> open{unit.entries};
  for (unsigned count = 1; !open.empty(); ++count) {
    if (count % kStride == 0 && isOver(deadline))
      return;
    Dwarf_Die die = open.back();
    open.pop_back();
    if (library_.dwarf_tag(&die) == DW_TAG_subprogram)
      forEachRange(die, [&](std::uint64_t begin, std::uint64_t end) {
        for (auto at = std::ranges::lower_bound(places, begin, {}, &trace::HostPlace::offset);
             at != places.end() && at->offset < end; ++at)
          if (Found &best = functions[static_cast<std::size_t>(at - places.begin())];
              end - begin <= best.size)
            best = {die, end - begin};
      });
    forEachChild(die, [&](Dwarf_Die &child) {
      switch (library_.dwarf_tag(&child)) {
      case DW_TAG_subprogram:
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_module:
      case DW_TAG_lexical_block:
        open.push_back(child);
        break;
      default:
        break;
      }
      return open.size() < (std::size_t{1} << 24);
    });
  }
  Dwarf_Files *files = nullptr;
  std::size_t fileCount = 0;
  if (library_.dwarf_getsrcfiles(&unit.entries, &files, &fileCount) != 0)
    files = nullptr;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (isOver(deadline))
      return;
    trace::HostPlace &place = places[i];
    trace::HostFrame here;
    bool isBehind = false;
    if (Dwarf_Line *const line = library_.dwarf_getsrc_die(&unit.head, place.offset);
        line && library_.dwarf_lineendsequence(line, &isBehind) == 0 && !isBehind) {
      int number = 0, column = 0;
      library_.dwarf_lineno(line, &number);
      library_.dwarf_linecol(line, &column);
      if (number > 0) // 0: code that is of no line
        here = {"", text(library_.dwarf_linesrc(line, nullptr, nullptr)), static_cast<std::uint32_t>(number),
                static_cast<std::uint32_t>(std::max(column, 0))};
    }
    if (!functions[i].die.addr) { // the symbol table's name, and the line
      if (place.frames.empty())
        place.frames.emplace_back();
      here.function = std::move(place.frames.front().function);
      place.frames.front() = std::move(here);
      continue;
    }
    std::vector<Dwarf_Die> chain = chainAt(functions[i].die, place.offset);
    std::vector<trace::HostFrame> frames;
    for (std::size_t depth = chain.size(); depth-- > 0;) {
      here.function =
          nameOf(chain[depth], depth == 0 && !place.frames.empty() ? place.frames.back().function : "");
      frames.push_back(std::move(here));
      here = {};
      const std::uint64_t file = numberOf(chain[depth], DW_AT_call_file);
      if (const auto line = static_cast<std::uint32_t>(numberOf(chain[depth], DW_AT_call_line));
          line != 0 && files && file < fileCount)
        here = {"", text(library_.dwarf_filesrc(files, file, nullptr, nullptr)), line,
                static_cast<std::uint32_t>(numberOf(chain[depth], DW_AT_call_column))};
    }
    place.frames = std::move(frames);
  }
}

std::vector<Dwarf_Die> DebugInfo::chainAt(Dwarf_Die function, std::uint64_t address) const {
  std::vector<Dwarf_Die> chain{function};
  // Blocks are looked into, but are no functions.
  for (Dwarf_Die within = function;;) {
    bool isFound = false;
    forEachChild(within, [&](Dwarf_Die &child) {
      const int tag = library_.dwarf_tag(&child);
      if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || !contains(child, address))
        return true;
      if (tag == DW_TAG_inlined_subroutine)
        chain.push_back(child);
      within = child;
      isFound = true;
      return false;
    });
    if (!isFound || chain.size() == kDeepest)
      return chain;
  }
}

/// gcc gives no linked names to functions that nobody else can call. The symbol table's name has namespaces and parameters, then.
std::string DebugInfo::nameOf(Dwarf_Die &die, const std::string &symbol) const {
  Dwarf_Attribute attribute;
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (library_.dwarf_attr_integrate(&die, kind, &attribute))
      if (const char *const linked = library_.dwarf_formstring(&attribute))
        return sourceName(linked);
  const std::string name = text(library_.dwarf_diename(&die));
  return name.empty() || symbol.find(name + "(") != std::string::npos ? symbol : name;
}

std::uint64_t DebugInfo::numberOf(Dwarf_Die &die, unsigned attribute) const {
  Dwarf_Attribute found;
  Dwarf_Word number = 0;
  return library_.dwarf_attr(&die, attribute, &found) && library_.dwarf_formudata(&found, &number) == 0
             ? number
             : 0;
}

} // namespace cupr::host
