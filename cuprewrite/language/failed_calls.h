/// Lets host code tell the runtime of calls of CUDA's API that have failed, and whether the program drops the error.
///
/// The problem: when the program runs, nobody can see whether it looks at what a call has returned. The module shows it before the
/// optimiser begins: clang has a use for each value that the source uses, if only a store, and none for one that it drops: a
/// statement of its own, a cast to void, what stands left of a comma.
///
/// What is told is in devicelib/abi/failed_call.h. Drops are told of files that the rewriter has copied alone: what a library does
/// with its errors is its own affair. A launch is a call of `cudaLaunchKernel` in the kernel's stub, which drops the value, as
/// `<<<>>>` has none.
#ifndef CUPR_LANGUAGE_FAILED_CALLS_H
#define CUPR_LANGUAGE_FAILED_CALLS_H

#include "clang/AST/ASTContext.h"

#include "llvm/IR/Module.h"

namespace cupr::language {

/// `module`: of the host, complete and not optimised; `context`: its tree.
void tellFailedCalls(llvm::Module &module, clang::ASTContext &context);

} // namespace cupr::language

#endif
