/// libdw, of elfutils, as it is opened while the program runs: it reads debug information (DWARF).
///
/// It is not linked: programs would need it to start. It is opened as the process ends, which is an unusual time:
///
/// - Handlers and destructors of the program have run by then, those of libraries have not, or not all: libdw brings its own, which nobody
///   calls any more, and needs none of the program's.
/// - The loader's lock may be held, by a thread that is in the middle of dlopen, or that a signal interrupted there. Whoever opens libdw
///   waits for it, so it is done by a thread that nobody waits for without a limit (host_symbols.h).
/// - In a child of fork that lock may be held by a thread that does not exist here, for ever: likewise.
/// - A program without a loader (linked statically) can't open it: dlopen would need the very C library that it was linked with, and may
///   fail badly. There it is not tried.
#ifndef CUPR_RUNTIME_DEBUG_LIBRARY_H
#define CUPR_RUNTIME_DEBUG_LIBRARY_H

#include <elfutils/libdw.h>
#include <libelf.h>

namespace cupr::host {

/// Functions of libelf, which libdw brings, and of libdw.
#define CUPR_DEBUG_FUNCTIONS(X)                                                                              \
  X(elf_version)                                                                                             \
  X(elf_memory)                                                                                              \
  X(elf_end)                                                                                                 \
  X(dwarf_begin_elf)                                                                                         \
  X(dwarf_end)                                                                                               \
  X(dwarf_get_units)                                                                                         \
  X(dwarf_ranges)                                                                                            \
  X(dwarf_tag)                                                                                               \
  X(dwarf_child)                                                                                             \
  X(dwarf_siblingof)                                                                                         \
  X(dwarf_attr)                                                                                              \
  X(dwarf_attr_integrate)                                                                                    \
  X(dwarf_formstring)                                                                                        \
  X(dwarf_formudata)                                                                                         \
  X(dwarf_diename)                                                                                           \
  X(dwarf_getsrc_die)                                                                                        \
  X(dwarf_linesrc)                                                                                           \
  X(dwarf_lineno)                                                                                            \
  X(dwarf_linecol)                                                                                           \
  X(dwarf_lineendsequence)                                                                                   \
  X(dwarf_getsrcfiles)                                                                                       \
  X(dwarf_filesrc)

struct DebugLibrary {
#define CUPR_DEBUG_MEMBER(name) decltype(&::name) name = nullptr;
  CUPR_DEBUG_FUNCTIONS(CUPR_DEBUG_MEMBER)
#undef CUPR_DEBUG_MEMBER

  /// Opens it at the first call, and never closes it. Null where that can't be: there is none, or no loader.
  static const DebugLibrary *get();
};

} // namespace cupr::host

#endif
