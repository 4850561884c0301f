/// Aligns arrays of threads as nvcc does.
///
///     float values[8];                          // natural alignment: 4 bytes; nvcc's: 16
///     *reinterpret_cast<float4 *>(values) = v;  // one instruction, that wants 16
///
/// nvcc aligns a local array by the largest power of two that divides its size, up to 16 bytes, and programs have come to
/// rely on it. Structures keep their alignment, and so do arrays in shared and global memory.
#ifndef CUPR_PASS_LOCAL_ARRAYS_H
#define CUPR_PASS_LOCAL_ARRAYS_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class LocalArraysPass : public llvm::PassInfoMixin<LocalArraysPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
