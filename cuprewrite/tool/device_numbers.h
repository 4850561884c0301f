/// What nvcc's flags say about the numbers that device code computes, and how clang is told.
///
/// Where clang has no flag for what nvcc's asks for, a pass does it (pass/nvcc_arithmetic.h). None of this is
/// for host code: nvcc hands these flags to no host compiler.
#ifndef CUPR_TOOL_DEVICE_NUMBERS_H
#define CUPR_TOOL_DEVICE_NUMBERS_H

#include <optional>
#include <string>
#include <vector>

namespace cupr::tool {

struct DeviceNumbers {
  bool fastMath = false;                ///< --use_fast_math, which decides what the other flags leave open
  std::optional<bool> flushesDenormals; ///< --ftz
  std::optional<bool> dividesExactly;   ///< --prec-div
  std::optional<bool> rootsExactly;     ///< --prec-sqrt
  std::optional<bool> contracts;        ///< --fmad; never with -G

  /// For each of clang's looks at device code.
  std::vector<std::string> clangFlags() const;
  /// For making code of it, with the pass plugin loaded.
  std::vector<std::string> codeFlags() const;
};

} // namespace cupr::tool

#endif
