/// Makes one program of device code that was joined from several parts (relocatable_part.h): what is
/// wanted must be there, and what only device code uses becomes internal, so that the
/// optimiser, the analysis and the instrumentation see every caller.
///
/// Kernels and the variables that the host may ask for stay visible.
#ifndef CUPR_PASS_WHOLE_PROGRAM_H
#define CUPR_PASS_WHOLE_PROGRAM_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class WholeProgramPass : public llvm::PassInfoMixin<WholeProgramPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
