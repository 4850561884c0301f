/// What nvcc's flags on numbers ask for, and clang has no flag for.
///
/// LibraryContractionPass, before anything is inlined: products and sums inside libdevice's functions
/// (`__nv_logf`) may be rounded together, as clang allows it for the program's own. nvcc does so unless it
/// gets
/// --fmad=false. It must be early: later nothing tells an addition of libdevice's from __fadd_rn, which is
/// never contracted.
///
/// ApproximateDivisionPass, at the end: divisions that clang has marked by -fapprox-func.
///
///     %q = fdiv contract afn float %x, %y
///
/// stays so, and becomes `div.approx`, what nvcc has under --use_fast_math; or, for --prec-div=false alone,
///
///     %q = call float @llvm.nvvm.div.full(float %x, float %y)
///
/// which is as exact, for divisors beyond 2^126, too. Reciprocals stay: they are `rcp.approx` either way.
/// That of an approximate square root becomes one instruction; the back end would do it to exact reciprocals
/// as well, and is kept from it (tool/device_code.cpp).
#ifndef CUPR_PASS_NVCC_ARITHMETIC_H
#define CUPR_PASS_NVCC_ARITHMETIC_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class LibraryContractionPass : public llvm::PassInfoMixin<LibraryContractionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

class ApproximateDivisionPass : public llvm::PassInfoMixin<ApproximateDivisionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
