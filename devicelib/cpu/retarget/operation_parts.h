/// What the dotted names of PTX instructions and of llvm.nvvm intrinsics say alike: `cvt.rn.f16.f32`.
#ifndef CUPR_CPU_OPERATION_PARTS_H
#define CUPR_CPU_OPERATION_PARTS_H

#include "devicelib/cpu/runtime/runtime_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace cupr::cpu {

/// Whether the name, taken apart at its dots, has this part.
template <class Parts> bool has(const Parts &parts, llvm::StringRef part) {
  return llvm::is_contained(parts, part);
}

/// The rounding that a part names; the integral ones (rni, ...) are the same with another result.
template <class Parts> unsigned roundingOf(const Parts &parts, unsigned fallback) {
  for (const llvm::StringRef part : parts) {
    if (part == "rn" || part == "rni" || part == "rna")
      return kRoundNearest;
    if (part == "rz" || part == "rzi")
      return kRoundZero;
    if (part == "rm" || part == "rmi")
      return kRoundDown;
    if (part == "rp" || part == "rpi")
      return kRoundUp;
  }
  return fallback;
}

} // namespace cupr::cpu

#endif
