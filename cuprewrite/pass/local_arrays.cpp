#include "local_arrays.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace cupr::pass {

static constexpr Align kLargestVector = Align::Constant<16>();
static constexpr unsigned kSharedSpace = 3;

/// What accesses through `pointer`, which is a multiple of `step` bytes behind a variable, want that to be aligned by.
/// Offsets that are no multiple of what an access wants say nothing of the variable.
static Align wantedThrough(const Value &pointer, Align step, const DataLayout &layout) {
  Align wanted;
  const auto access = [&](Align alignment) {
    if (alignment <= step)
      wanted = std::max(wanted, alignment);
  };
  for (const Use &use : pointer.uses()) {
    const User *const user = use.getUser();
    if (const auto *const load = dyn_cast<LoadInst>(user)) {
      access(load->getAlign());
    } else if (const auto *const store = dyn_cast<StoreInst>(user)) {
      if (use.getOperandNo() == StoreInst::getPointerOperandIndex())
        access(store->getAlign());
    } else if (const auto *const copy = dyn_cast<MemTransferInst>(user)) {
      if (copy->getArgOperandNo(&use) == 0)
        access(copy->getDestAlign().valueOrOne());
      else if (copy->getArgOperandNo(&use) == 1)
        access(copy->getSourceAlign().valueOrOne());
    } else if (const auto *const set = dyn_cast<MemSetInst>(user)) {
      access(set->getDestAlign().valueOrOne());
    } else if (isa<AddrSpaceCastOperator>(user)) {
      wanted = std::max(wanted, wantedThrough(*user, step, layout));
    } else if (const auto *const at = dyn_cast<GEPOperator>(user)) {
      const unsigned width = layout.getIndexTypeSizeInBits(at->getType());
      SmallMapVector<Value *, APInt, 4> scales;
      APInt constant(width, 0);
      if (!at->collectOffset(layout, width, scales, constant))
        continue;
      Align there = commonAlignment(step, constant.getZExtValue());
      for (const auto &[index, scale] : scales)
        there = commonAlignment(there, scale.getZExtValue());
      wanted = std::max(wanted, wantedThrough(*at, there, layout));
    }
  }
  return wanted;
}

static Align wantedOf(const AllocaInst &variable, const DataLayout &layout) {
  const std::uint64_t bytes = layout.getTypeAllocSize(variable.getAllocatedType());
  if (variable.getAllocatedType()->isArrayTy() && bytes != 0)
    return commonAlignment(kLargestVector, bytes);
  return wantedThrough(variable, kLargestVector, layout);
}

/// Dynamic shared memory: `extern __shared__ T name[]`.
static bool isDynamicShared(const GlobalVariable &variable) {
  const auto *const type = dyn_cast<ArrayType>(variable.getValueType());
  return variable.getAddressSpace() == kSharedSpace && variable.isDeclaration() && type &&
         type->getNumElements() == 0;
}

PreservedAnalyses LocalArraysPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  const DataLayout &layout = module.getDataLayout();
  bool changed = false;
  for (GlobalVariable &variable : module.globals())
    if (isDynamicShared(variable) && variable.getAlign().valueOrOne() < kLargestVector) {
      variable.setAlignment(kLargestVector);
      changed = true;
    }
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *const variable = dyn_cast<AllocaInst>(&instruction);
      if (!variable)
        continue;
      const Align wanted = wantedOf(*variable, layout);
      if (wanted > variable->getAlign()) {
        variable->setAlignment(wanted);
        changed = true;
      }
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace cupr::pass
