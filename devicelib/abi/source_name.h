/// Functions' names as their source has them.
///
/// Device code is linked with the names of what it was compiled from: mangled, with the mark of a variant (symbols.h) in front and
/// that of the translation unit behind (unit_suffix.h), and with the trace argument as first parameter.
#ifndef CUPR_ABI_SOURCE_NAME_H
#define CUPR_ABI_SOURCE_NAME_H

#include "symbols.h"
#include "unit_suffix.h"

#include <cstddef>
#include <cstdlib>
#include <cxxabi.h>
#include <string>

namespace cupr {
namespace abi {

/// `f(cupr::argument::Trace const&, int)` becomes `f(int)`, wherever such parameters stand first.
inline std::string withoutTrace(std::string demangled) {
  const std::string parameter = "(cupr::argument::Trace";
  for (std::size_t at = 0; (at = demangled.find(parameter, at)) != std::string::npos; ++at) {
    std::size_t end = at + parameter.size();
    for (const char *const suffix : {" const", "&"}) {
      const std::string text = suffix;
      if (demangled.compare(end, text.size(), text) == 0)
        end += text.size();
    }
    if (demangled.compare(end, 2, ", ") == 0)
      demangled.erase(at + 1, end + 2 - (at + 1));
    else if (demangled.compare(end, 1, ")") == 0)
      demangled.erase(at + 1, end - (at + 1));
  }
  return demangled;
}

/// The name of what was linked under the name `linked`; that itself, without its marks, if it can't be demangled.
inline std::string sourceName(const std::string &linked) {
  std::string name = withoutUnit(linked);
  for (const char *const variant : {CUPR_TRACED_PREFIX, CUPR_DERIVED_PREFIX, CUPR_TIMED_PREFIX}) {
    const std::string prefix = variant;
    if (name.compare(0, prefix.size(), prefix) == 0)
      name.erase(0, prefix.size());
  }
  if (name.compare(0, 2, "_Z") != 0) // a type's code to the demangler: "f" would be float
    return name;
  int status = 0;
  char *const text = ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (status == 0 && text)
    name = withoutTrace(text);
  std::free(text);
  return name;
}

} // namespace abi
} // namespace cupr

#endif
