/// A translation unit to read: a source with the flags that it is compiled with.
#ifndef CUPR_REWRITE_UNIT_H
#define CUPR_REWRITE_UNIT_H

#include <filesystem>
#include <string>
#include <vector>

namespace cupr::rewrite {

struct Unit {
  std::string input;              ///< as the compiler is told
  std::string folder;             ///< in which the compiler runs; empty: the current one
  std::vector<std::string> flags; ///< the compiler's, nvcc's or clang's
};

/// The absolute path of what the compiler of `unit` calls `name`; links are not followed.
std::filesystem::path located(const Unit &unit, const std::filesystem::path &name);

} // namespace cupr::rewrite

#endif
