/// The kinds of memory as LLVM numbers them in the types of pointers.
#ifndef CUPR_PASS_POINTER_SPACE_H
#define CUPR_PASS_POINTER_SPACE_H

#include "devicelib/abi/memory_space.h"

#include "llvm/IR/Type.h"

#include <optional>

namespace cupr::pass {

/// The space of a pointer of this type; none for generic ones, and for memory that no program
/// addresses.
std::optional<abi::MemorySpace> spaceOfPointerType(const llvm::Type &type);

} // namespace cupr::pass

#endif
