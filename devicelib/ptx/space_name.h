/// The names that PTX has for the kinds of memory: `global`, `shared::cluster`, `const`, `param` ...
#ifndef CUPR_PTX_SPACE_NAME_H
#define CUPR_PTX_SPACE_NAME_H

#include "devicelib/abi/memory_space.h"

#include <optional>
#include <string_view>

namespace cupr::ptx {

/// The space that a word of an operation names; none for other words, and for the memory of parameters.
inline std::optional<abi::MemorySpace> spaceNamed(std::string_view word) {
  if (word == "shared::cta" || word == "shared::cluster")
    return abi::MemorySpace::Shared;
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName)                                           \
  if (word == ptxName)                                                                                       \
    return abi::MemorySpace::enumerator;
#include "devicelib/abi/memory_space.def"
  return std::nullopt;
}

} // namespace cupr::ptx

#endif
