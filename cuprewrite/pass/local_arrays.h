/// Aligns variables as nvcc does.
///
///     float values[8];                          // natural alignment: 4 bytes; nvcc's: 16
///     *reinterpret_cast<float4 *>(values) = v;  // one instruction, that wants 16
///     extern __shared__ char bytes[];           // natural alignment: 1 byte; nvcc's: 16
///
/// nvcc aligns a local array by the largest power of two that divides its size, up to 16 bytes, and an array of dynamic
/// shared memory by 16, whatever its elements; programs have come to rely on it. Local structures keep their alignment,
/// unless an access at a place in them that is known wants more: it would go wrong otherwise. Static arrays in shared
/// memory keep theirs, and so do variables in global memory.
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
