/// The global values that code and constants name.
#ifndef CUPR_PASS_NAMED_GLOBALS_H
#define CUPR_PASS_NAMED_GLOBALS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace cupr::pass {

/// Calls `visit` for each global value that the body of a function or the initializer of a variable names, also inside of constant
/// expressions. Some are visited twice.
void forEachGlobal(const llvm::GlobalValue &global, llvm::function_ref<void(llvm::GlobalValue &)> visit);

} // namespace cupr::pass

#endif
