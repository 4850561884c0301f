/// Memory instructions inside inline PTX.
///
/// clang's own headers write cache-hint loads and stores, half-precision atomics and
/// more as inline PTX, so a pass that looks for loads and stores alone misses them.
/// Recognised are `ld`, `ldu`, `st`, `atom` and `red` on global or generic addresses, scalar and
/// vector, whose address is an operand of the asm, with or without a constant
/// offset: `[$1]`, `[$1+16]`. What is not recognised (a predicated instruction, an
/// address computed inside the asm, cp.async, matrix loads) is named, not guessed.
#ifndef CUPR_PASS_PTX_ACCESS_H
#define CUPR_PASS_PTX_ACCESS_H

#include "devicelib/abi/operation.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cupr::pass {

struct PtxAccess {
  unsigned operand = 0;    ///< number of the asm's operand (`$n`) that holds the address
  std::int64_t offset = 0; ///< bytes added to it
  abi::Operation operation = abi::Operation::Load;
  std::uint64_t bytes = 0;
  bool isGlobal = false; ///< the instruction says `.global`; else the address is generic
};

/// The operation that PTX, and LLVM's intrinsics for it, call by this word: `add`, `cas` ...
std::optional<abi::Operation> atomicOperation(llvm::StringRef word);

/// The accesses of an asm string, in order. `unknown` is set to the first
/// instruction that accesses memory other than shared, local, constant or parameter memory and is not
/// recognised.
llvm::SmallVector<PtxAccess, 2> parsePtxAccesses(llvm::StringRef assembly, std::string &unknown);

} // namespace cupr::pass

#endif
