/// The ELF object that a piece of the program's code lies in, while it is loaded.
#ifndef CUPR_RUNTIME_CODE_OBJECT_H
#define CUPR_RUNTIME_CODE_OBJECT_H

#include <cstdint>

namespace cupr::host {

struct CodeObject {
  std::uint64_t begin = 0, end = 0;           ///< where it is loaded; end 0: there is none
  std::uint64_t bias = 0;                     ///< address less the ELF file's own
  const char *path = nullptr;                 ///< as the loader knows it: empty for the program itself
  const unsigned char *unwindIndex = nullptr; ///< .eh_frame_hdr
  bool operator==(const CodeObject &) const = default;
};

/// No lock is taken, and nothing allocated.
CodeObject codeObjectAt(std::uint64_t pc);

} // namespace cupr::host

#endif
