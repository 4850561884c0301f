/// Keeps plain code the compiler's own: what is not traced becomes the machine code of a build without
/// cuprewrite.
///
/// Problem: some passes must come before the instrumentation, since what they make is what is traced: copies
/// become loops (lower_copies.h), neighbouring accesses are merged. In an ordinary build the back end does the same,
/// later, among its other passes; done earlier, it gives other code here and there. And a shared variable that
/// one kernel uses is part of that kernel in the PTX; with a traced variant two use it, it belongs to the
/// module, and loops over it are strength-reduced differently.
///
///     @tile = internal addrspace(3) global [64 x float]      ; used by @k and by @__cupr_traced_k
///
/// So the pass runs those passes and the instrumentation on the module, and then gives all functions back the
/// bodies that they had, but for those that are instrumented in place. Traced code gets shared variables of its own, and so does the
/// variant whose accesses are derived:
///
///     @tile = internal addrspace(3) global [64 x float]              ; used by @k
///     @tile.traced = internal addrspace(3) global [64 x float]       ; used by @__cupr_traced_k
#ifndef CUPR_PASS_PLAIN_CODE_H
#define CUPR_PASS_PLAIN_CODE_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class KeepPlainCodePass : public llvm::PassInfoMixin<KeepPlainCodePass> {
public:
  /// `instrumentation`: the passes that plain code is to show nothing of.
  explicit KeepPlainCodePass(llvm::ModulePassManager instrumentation)
      : instrumentation_(std::move(instrumentation)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  llvm::ModulePassManager instrumentation_;
};

} // namespace cupr::pass

#endif
