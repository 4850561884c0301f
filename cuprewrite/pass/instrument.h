/// The instrumentation pass: the "act" half.
///
/// Before (one device function, called in two ways):
///
///     define void @copy(ptr %trace, ptr %d, ptr %s) {
///       %v = load float, ptr %s
///       store float %v, ptr %d
///     ...
///     call void @copy(ptr poison, ptr @shared, ptr %global)
///     call void @copy(ptr poison, ptr %global, ptr @shared)
///
/// After: a clone per pattern of global arguments, each tracing its own side. The trace travels as an
/// added last argument, since optimisation has removed the source's first one
/// wherever the body did not use it.
///
///     define internal void @copy.global.2(ptr %0, ptr %d, ptr %s, ptr %trace) {
///       %recording = icmp ne ptr %trace, null
///       call void @__cupr_access_v6(ptr %trace, i32 0, ptr %s, i1 %recording)
///       %v = load float, ptr %s
///       store float %v, ptr %d
///
/// Where several chains of calls lead to a clone, a number comes behind the trace, which its sites' numbers are added to: they say which chain it was
/// (calling_contexts.h).
///
/// Kernels are cloned too: `k` stays as it is and records nothing, `__cupr_traced_k` records; the runtime
/// chooses at each launch. What is not traced thus runs the code, registers and occupancy of the
/// uninstrumented program. In a kernel of augmented sources the trace is the first parameter; any other
/// kernel's traced variant gets it as an added last one, which the runtime appends to the arguments.
///
/// A function that is called in ways that can't be seen (its address is taken)
/// keeps its signature, and both variants of a kernel call the same one. It finds the trace in a shared
/// variable, `__cupr_block_trace`, which every thread of
/// a kernel that may reach it writes on entry: shared memory belongs to a block, so launches that run
/// at the same time do not meet there. A null trace means: not recorded.
///
/// Each access that is not traced is counted by reason and
/// reported as a missed-optimisation remark (`-Rpass-missed=cupr-instrument`).
#ifndef CUPR_PASS_INSTRUMENT_H
#define CUPR_PASS_INSTRUMENT_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// A trace that records nothing, for code that isn't instrumented.
inline constexpr const char *kNoTrace = "__cupr_no_trace";

/// Answers the question for the trace (CUPR_CURRENT_SYMBOL) in code that isn't instrumented, which only hands
/// the trace on. The question left as it is would be an undefined symbol.
void answerUntraced(llvm::Module &module);

} // namespace cupr::pass

#endif
