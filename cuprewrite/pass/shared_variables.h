/// The shared variables of a kernel: what its accesses to shared memory are to.
///
/// Where they lie in the block's shared window is decided when the program is linked, and no table says it. So the traced
/// kernel says it itself, with a record for each of them (abi::Operation::Variable).
#ifndef CUPR_PASS_SHARED_VARIABLES_H
#define CUPR_PASS_SHARED_VARIABLES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/GlobalVariable.h"

#include <string>

namespace cupr::pass {

/// Those that the kernel or a function that it may call names, in the order of the module; where a function's address is taken, it may be called.
llvm::SmallVector<llvm::GlobalVariable *, 4> sharedVariablesOf(llvm::Function &kernel);

/// A variable as its source has it.
struct VariableName {
  std::string function; ///< demangled; empty where it stands outside of functions
  std::string name;     ///< with namespaces and classes there
};
/// `step(float*)` and `tile` for `_ZZ4stepPfE4tile`.
VariableName nameInSource(const llvm::GlobalVariable &variable);

} // namespace cupr::pass

#endif
