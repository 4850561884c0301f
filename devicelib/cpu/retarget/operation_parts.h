/// What the dotted names of PTX instructions and of llvm.nvvm intrinsics say alike: `cvt.rn.f16.f32`.
#ifndef CUPR_CPU_OPERATION_PARTS_H
#define CUPR_CPU_OPERATION_PARTS_H

#include "devicelib/cpu/runtime/runtime_calls.h"
#include "devicelib/ptx/instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace cupr::cpu {

/// Whether the name, taken apart at its dots, has this part.
template <class Parts> bool has(const Parts &parts, llvm::StringRef part) {
  return llvm::is_contained(parts, part);
}

/// What `isspacep` asks for, as Call::IsSpace takes it.
inline std::uint32_t askedSpace(llvm::StringRef part) {
  if (part == "shared::cluster")
    return kSpaceCluster;
  const auto space = ptx::spaceNamed(part);
  return space ? static_cast<std::uint32_t>(*space) : kSpaceParameter;
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

/// The mode of a byte permutation (prmt).
template <class Parts> unsigned permuteModeOf(const Parts &parts) {
  unsigned mode = kPermuteIndex;
  for (const llvm::StringRef part : parts)
    mode = llvm::StringSwitch<unsigned>(part)
               .Case("f4e", kPermuteF4e)
               .Case("b4e", kPermuteB4e)
               .Case("rc8", kPermuteRc8)
               .Case("ecl", kPermuteEcl)
               .Case("ecr", kPermuteEcr)
               .Case("rc16", kPermuteRc16)
               .Default(mode);
  return mode;
}

} // namespace cupr::cpu

#endif
