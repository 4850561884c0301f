/// Variables of the device as the program declares them: the C++ type of their elements, in the source's words, and the place.
///
/// The compiler's front end tells the pass: the named metadata kDeclaredVariables has a node for each declaration,
///
///     !{!DICompileUnit, !"_ZZ4stepPfE4tile", !"_Z4stepPf", !"12:20 4 TAB float TAB step.cu"}
///     the unit; the name in the module; of an `extern` variable that a function declares, this function, else empty; the declaration
///
/// The pass gives shared variables their declarations in the site table, since kernels say where they lie. Of others it
/// tells the host: the device variable CUPR_DECLARED_VARIABLES of a module, a C string, has a line for each that others can find by its name,
///
///     _ZN3sim5tableE TAB __device__ TAB 7:28 8 TAB sim::Cell TAB tables.cu
///
/// with __constant__ for those in constant memory, and the user's column.
#ifndef CUPR_ABI_DECLARED_VARIABLES_H
#define CUPR_ABI_DECLARED_VARIABLES_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#define CUPR_DECLARED_VARIABLES "__cupr_declared_variables"

namespace cupr {
namespace abi {

constexpr const char *kDeclaredVariables = "cupr.declared.variables";
constexpr char kDeclarationSeparator = '\t';
constexpr const char *kOfDevice = "__device__", *const kOfConstantMemory = "__constant__";

struct Declaration {
  std::string type; ///< of an array that of its elements, of the innermost arrays; empty: it has no name
  std::uint64_t bytes = 0;       ///< of one of them
  std::string file;              ///< as the compiler was given it; empty: unknown
  unsigned line = 0, column = 0; ///< of the name; from 1; 0: unknown
};

inline std::string declarationText(const Declaration &declared) {
  return std::to_string(declared.line) + ":" + std::to_string(declared.column) + " " +
         std::to_string(declared.bytes) + kDeclarationSeparator + declared.type + kDeclarationSeparator +
         declared.file;
}

/// False: the text is none of a declaration.
inline bool readDeclaration(const std::string &text, Declaration &declared) {
  unsigned long long bytes = 0;
  const std::size_t type = text.find(kDeclarationSeparator),
                    file = type == std::string::npos ? type : text.find(kDeclarationSeparator, type + 1);
  if (file == std::string::npos ||
      std::sscanf(text.c_str(), "%u:%u %llu", &declared.line, &declared.column, &bytes) != 3)
    return false;
  declared.bytes = bytes;
  declared.type = text.substr(type + 1, file - type - 1);
  declared.file = text.substr(file + 1);
  return true;
}

} // namespace abi
} // namespace cupr

#endif
