/// Links the device library into an instrumented module, so that the hooks have
/// bodies, and inlines those that ask for it.
///
/// An inlined hook costs ptxas some 25 ms, so a module with many accesses (more than `-cupr-inline-limit`)
/// gets them as functions, and so do functions that call themselves, directly or not. In functions with several calling contexts (calling_contexts.h) those that count on one site are replaced by
/// ones that do not. What that means for the assembler: tool/hook_assembly.h.
///
/// The CPU device brings its own hooks: there, this pass is not run.
#ifndef CUPR_PASS_LINK_HOOKS_H
#define CUPR_PASS_LINK_HOOKS_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class LinkHooksPass : public llvm::PassInfoMixin<LinkHooksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
