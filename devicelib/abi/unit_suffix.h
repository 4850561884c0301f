/// Names of static kernels and variables in linked device code.
///
/// Clang makes them unique among the files that are linked (clang 22,
/// CodeGenModule::printPostfixForExternalizedDecl): `k__intern__` or `v__static__`, and up to 16 hexadecimal
/// digits that stand for the translation unit.
#ifndef CUPR_ABI_UNIT_SUFFIX_H
#define CUPR_ABI_UNIT_SUFFIX_H

#include <cstddef>
#include <string>

namespace cupr {
namespace abi {

/// The name as it stands in the source, mangled; any other name as it is.
inline std::string withoutUnit(const std::string &name) {
  const std::size_t end = name.find_last_not_of("0123456789abcdef"), markBytes = 10;
  if (end == std::string::npos || end + 1 == name.size() || end < markBytes)
    return name;
  const std::size_t start = end + 1 - markBytes;
  const std::string mark = name.substr(start, markBytes);
  return mark == "__intern__" || mark == "__static__" ? name.substr(0, start) : name;
}

} // namespace abi
} // namespace cupr

#endif
