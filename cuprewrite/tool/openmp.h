/// Where LLVM's OpenMP lies: the library that clang's code calls, and its header, which clang finds by itself
/// only if they are of its own version. Debian's packages of several versions exclude each other, so that of
/// another one may be what there is; hostlib/openmp adds what older ones lack. gcc's has the same functions
/// and other types behind them.
#ifndef CUPR_TOOL_OPENMP_H
#define CUPR_TOOL_OPENMP_H

#include "driver_options.h"

#include <string>

namespace cupr::tool {

struct OpenMp {
  std::string headerFolder, libraryFolder; ///< empty: not installed

  /// The newest of Debian's folders, below `llvmParent`.
  static OpenMp find(const std::string &llvmParent = "/usr/lib");
  /// Whether a program's flags ask for it: -fopenmp for the host's compiler, -lgomp, -lomp.
  static bool isWanted(const DriverOptions &options);
};

} // namespace cupr::tool

#endif
