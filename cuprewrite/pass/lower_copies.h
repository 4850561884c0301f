/// Turns copies and sets into the loads and stores that will be executed.
///
/// LLVM's intrinsics say what is copied, not how. For NVPTX the back end makes loops
/// of those whose length is not a constant, or is 128 bytes or more, and of
/// pairs of an aggregate's load and store of that size (LLVM,
/// lib/Target/NVPTX/NVPTXLowerAggrCopies.cpp), after every pass that a plugin could add.
/// Instrumented before that, such a copy is an access of unknown size, or one that
/// no instruction makes. So the same is done here, with the same functions and the
/// target's own description, before the instrumentation looks: what is traced is
/// what is executed, and the back end finds nothing left to do.
///
///     call void @llvm.memcpy(ptr %d, ptr %s, i64 %n, i1 false)     ; heat.cu:3
///
///     loop:
///       %v = load i8, ptr %from                                    ; heat.cu:3
///       store i8 %v, ptr %to                                       ; heat.cu:3
///
/// Shorter constant ones become straight-line loads and stores of the widest type that the
/// alignment allows, during instruction selection. They stay one access of the whole size. Where values are recorded
/// (access_values.h) they become a load and a store of one number, which the back end splits likewise.
#ifndef CUPR_PASS_LOWER_COPIES_H
#define CUPR_PASS_LOWER_COPIES_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class LowerCopiesPass : public llvm::PassInfoMixin<LowerCopiesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
