/// The functions of CUDA that launch a kernel with arguments in an array, so that their calls compile with
/// any signature of the kernel. (cudaLaunchKernelEx, which takes them one by one, is not among them.)
#ifndef CUPR_REWRITE_API_LAUNCH_H
#define CUPR_REWRITE_API_LAUNCH_H

#include <string_view>

namespace cupr::rewrite {

struct LaunchFunction {
  std::string_view name;
  int kernelArgument; ///< counted from 0; negative: the kernel stands in a structure, or is a handle
  /// Why launches by it are not traced; empty: the runtime library traces them.
  std::string_view untraced;
};

/// What the library knows of this function; null: it launches nothing.
const LaunchFunction *findLaunchFunction(std::string_view name);

} // namespace cupr::rewrite

#endif
