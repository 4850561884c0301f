/// Loads that the compiler makes, and the program does not: ahead of their conditions, where nothing can trap.
///
///     for (...)                          loaded = shared.count
///       if (is found)              ->    for (...)
///         shared.count |= bit              if (is found)
///                                            shared.count = loaded |= bit
///
/// The value is thrown away by whom the condition keeps from it, so it does not matter who writes there
/// meanwhile; it is no race, though the machine makes the access, and it is counted like others.
///
/// Nothing in the optimised code says of a load where it is from. So each load of the program is marked before
/// anything is optimised, by a group of accesses of its own (`!llvm.access.group`, which nothing else asks for here): LLVM keeps that
/// where it makes one load of several, splits one or moves it to where it is made anyway, and drops it, as all that may not hold there, from
/// a load that it makes ahead of a condition (Instruction::dropUBImplyingAttrsAndMetadata).
///
/// One load in front of a loop may also stand for those that the program makes in it, round by round. Who stores what
/// comes of the value is met by that store, and who only compares it would not be met at all: so a load whose value is compared with
/// something, and decides a branch by that, counts as the program's.
#ifndef CUPR_PASS_SPECULATED_LOADS_H
#define CUPR_PASS_SPECULATED_LOADS_H

#include "llvm/IR/Instruction.h"
#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class MarkLoadsPass : public llvm::PassInfoMixin<MarkLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// The same, of what is made of the program's copies later; of anything else than a load nothing.
void markAsAskedFor(llvm::Instruction &instruction);

/// Whether the program may not make this load where it is made, and lets no branch depend on it. False where the loads of its module were not
/// marked.
bool isSpeculated(const llvm::Instruction &instruction);

} // namespace cupr::pass

#endif
