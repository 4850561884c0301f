/// Gives kernels the attributes that clang has no spelling for.
///
/// `__maxnreg__(32)` and `__cluster_dims__(2, 1, 1)` become annotations, by way of macros
/// (devicelib/device/compatibility/declarations.h). In the IR these are entries of one list:
///
///     @llvm.global.annotations = [{ ptr @kernel, ptr "cupr.maxnreg", ..., ptr { i32 32 } }]
///
/// which become the function attributes that the NVPTX back end prints as directives, "nvvm.maxnreg"="32".
/// The entries go away: they would count as uses of the kernels' addresses. Entries of others stay.
#ifndef CUPR_PASS_KERNEL_ATTRIBUTES_H
#define CUPR_PASS_KERNEL_ATTRIBUTES_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class KernelAttributesPass : public llvm::PassInfoMixin<KernelAttributesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
