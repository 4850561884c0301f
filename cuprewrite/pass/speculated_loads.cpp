#include "speculated_loads.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace cupr::pass {
namespace {

constexpr const char *kMarked = "cupr.loads"; // the module's: its loads are in this group
constexpr std::size_t kMost = 256;            // values that are looked at

void mark(Instruction &instruction, MDNode &group) {
  if (isa<LoadInst, AnyMemTransferInst>(instruction))
    instruction.setMetadata(LLVMContext::MD_access_group,
                            uniteAccessGroups(instruction.getMetadata(LLVMContext::MD_access_group), &group));
}

/// Whether a branch depends on this bit, be it behind logic.
bool decidesBranch(const CmpInst &comparison) {
  SmallVector<const Value *, 8> left = {&comparison};
  SmallPtrSet<const Value *, 16> seen = {&comparison};
  while (!left.empty())
    for (const User *user : left.pop_back_val()->users()) {
      if (cast<Instruction>(user)->isTerminator() || seen.size() == kMost)
        return true;
      const bool isLogic = user->getType()->isIntegerTy(1) &&
                           isa<PHINode, SelectInst, BinaryOperator, CastInst, FreezeInst>(user);
      if (isLogic && seen.insert(user).second)
        left.push_back(user);
    }
  return false;
}

/// Whether a branch is seen to depend on what it is compared with, be it behind arithmetic. What is too far away to be looked at counts as
/// compared. A select may throw the value away, as the condition has it.
bool isCompared(const LoadInst &load) {
  SmallVector<const Value *, 8> left = {&load};
  SmallPtrSet<const Value *, 16> seen = {&load};
  while (!left.empty()) {
    for (const User *user : left.pop_back_val()->users()) {
      const auto *const comparison = dyn_cast<CmpInst>(user);
      if ((comparison && decidesBranch(*comparison)) || seen.size() == kMost)
        return true;
      const bool isValue =
          isa<PHINode, BinaryOperator, UnaryOperator, CastInst, FreezeInst>(user) || isa<IntrinsicInst>(user);
      if (isValue && seen.insert(user).second)
        left.push_back(user);
    }
  }
  return false;
}

} // namespace

PreservedAnalyses MarkLoadsPass::run(Module &module, ModuleAnalysisManager &) {
  NamedMDNode &marks = *module.getOrInsertNamedMetadata(kMarked);
  if (marks.getNumOperands() == 0)
    marks.addOperand(MDNode::getDistinct(module.getContext(), {}));
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      mark(instruction, *marks.getOperand(0));
  return PreservedAnalyses::all();
}

void markAsAskedFor(Instruction &instruction) {
  if (NamedMDNode *const marks = instruction.getModule()->getNamedMetadata(kMarked))
    mark(instruction, *marks->getOperand(0));
}

bool isSpeculated(const Instruction &instruction) {
  const auto *const load = dyn_cast<LoadInst>(&instruction);
  if (!load || !load->isSimple() || load->getMetadata(LLVMContext::MD_access_group) ||
      !load->getModule()->getNamedMetadata(kMarked))
    return false;
  // What is moved there loses its line. A condition that becomes a select gives its own line to what it was for;
  // that is done only where the address is known to be good, and one that is loaded on the way into a loop is marked no longer, either.
  return (!load->getDebugLoc() || load->getDebugLoc().getLine() == 0 ||
          isDereferenceablePointer(load->getPointerOperand(), load->getType(), load->getDataLayout())) &&
         !isCompared(*load);
}

} // namespace cupr::pass
