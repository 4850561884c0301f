/// The kinds of memory that accesses are traced in, and sets of them.
///
/// What a record gives as the address depends on the space:
///
///     Global    the address that the program knows
///     Shared    the offset in the block's shared window, as cvta.to.shared gives it: the same in every
///               block. What the system keeps for itself lies at the start, the variables behind it. Of
///               another block of the cluster, with whose it is above (cluster_address.h)
///     Constant  the generic address: that of the variable, as cudaGetSymbolAddress gives it
///     Local     the offset in the thread's own local memory, as cvta.to.local gives it; on the CPU
///               device the place in the stack of the thread, counted from its lowest byte
///
///     Texture   the texture or surface object: textures and surfaces have coordinates, which are recorded as values
///               are (operation.h)
///
/// Kernel parameters are not memory of any of these spaces.
#ifndef CUPR_ABI_MEMORY_SPACE_H
#define CUPR_ABI_MEMORY_SPACE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cupr {
namespace abi {

enum class MemorySpace : std::uint8_t {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) enumerator,
#include "memory_space.def"
};

constexpr unsigned kMemorySpaces = 0
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) +1
#include "memory_space.def"
    ;

/// A set of spaces: bit n stands for the space with index n.
typedef std::uint32_t SpaceSet;

constexpr SpaceSet spaceBit(MemorySpace space) { return 1u << static_cast<unsigned>(space); }
constexpr bool holds(SpaceSet set, MemorySpace space) { return (set & spaceBit(space)) != 0; }
/// How many spaces of `set` come before `space`: which of the sites that an access has when it may be in
/// any space of `set` is the one for `space`.
inline unsigned placeIn(SpaceSet set, MemorySpace space) {
  return static_cast<unsigned>(__builtin_popcount(set & (spaceBit(space) - 1)));
}

inline const char *spaceName(MemorySpace space) {
  switch (space) {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName)                                           \
  case MemorySpace::enumerator:                                                                              \
    return #name;
#include "memory_space.def"
  }
  return "unknown space";
}

/// All of them: `global, shared ...`.
constexpr const char *kSpaceNames = &(
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) ", " #name
#include "memory_space.def"
    )[2]; // without the first comma

/// LLVM's number for it, in NVPTX's code.
constexpr unsigned addressSpaceOf(MemorySpace space) {
  // clang-format off
  return
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName)                                           \
  space == MemorySpace::enumerator ? addressSpace :
#include "memory_space.def"
                                   0u;
  // clang-format on
}

/// Reads a list like `global,shared`. False: it is not one, or is empty.
inline bool parseSpaces(const char *text, SpaceSet &set) {
  set = 0;
  for (;;) {
    const std::size_t length = std::strcspn(text, ",");
    bool found = false;
    for (unsigned index = 0; index < kMemorySpaces && !found; ++index) {
      const MemorySpace space = static_cast<MemorySpace>(index);
      if (std::strlen(spaceName(space)) == length && std::strncmp(text, spaceName(space), length) == 0) {
        set |= spaceBit(space);
        found = true;
      }
    }
    if (!found)
      return false;
    text += length;
    if (!*text)
      return true;
    ++text;
  }
}

} // namespace abi
} // namespace cupr

#endif
