/// What one function has for itself: local variables and by-value parameters. Who writes to them
/// can be seen, as long as their address stays in the function.
#ifndef CUPR_PASS_STORAGE_H
#define CUPR_PASS_STORAGE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Instruction.h"

#include <cstdint>
#include <optional>

namespace cupr::pass {

bool isKernel(const llvm::Function &function);

/// Whether a value of this type can hold a pointer.
bool holdsPointer(const llvm::Type *type);

/// The by-value kernel parameter that a pointer points into, or null.
const llvm::Argument *kernelParameter(const llvm::Value *pointer);

/// Calls `visit` for each instruction that writes to `object`, a local variable or a by-value
/// parameter, with the address. False: `visit` said so, or there may be writes that can't be seen.
bool visitWrites(const llvm::Value &object,
                 llvm::function_ref<bool(const llvm::Instruction &write, const llvm::Value &address)> visit);

/// Some of the bytes of an object.
struct Extent {
  std::optional<std::int64_t> offset;  ///< none: anywhere
  std::optional<std::uint64_t> length; ///< none: not known

  bool mayOverlap(const Extent &other) const;
};

/// The extent in `object` of `length` bytes at `address`.
Extent extentIn(const llvm::Value &object, const llvm::Value &address, std::optional<std::uint64_t> length,
                const llvm::DataLayout &layout);

} // namespace cupr::pass

#endif
