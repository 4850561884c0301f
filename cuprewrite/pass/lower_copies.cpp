#include "lower_copies.h"

#include "access_timing.h"
#include "access_values.h"
#include "devicelib/abi/value_record.h"
#include "speculated_loads.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// The back end's MaxAggrCopySize: from this many bytes on, it makes a loop.
constexpr std::uint64_t kLoopBytes = 128;

/// A load whose value goes nowhere but into one store.
StoreInst *onlyStoreOf(LoadInst &load) {
  if (!load.hasOneUse())
    return nullptr;
  auto *store = dyn_cast<StoreInst>(load.user_back());
  return store && store->getValueOperand() == &load ? store : nullptr;
}

/// LLVM's loops have no debug locations: theirs is that of the copy. The program asks for what they load as it does for the copy.
class PlaceKeeper {
public:
  explicit PlaceKeeper(Function &function) : function_(function) {
    for (Instruction &instruction : instructions(function))
      known_.insert(&instruction);
  }
  void give(const DebugLoc &place) {
    for (Instruction &instruction : instructions(function_)) {
      if (!known_.insert(&instruction).second)
        continue;
      if (!instruction.getDebugLoc())
        instruction.setDebugLoc(place);
      markAsAskedFor(instruction);
    }
  }

private:
  Function &function_;
  SmallPtrSet<const Instruction *, 32> known_;
};

bool expand(MemIntrinsic &intrinsic, const TargetTransformInfo &target) {
  if (auto *copy = dyn_cast<MemCpyInst>(&intrinsic))
    expandMemCpyAsLoop(copy, target);
  else if (auto *move = dyn_cast<MemMoveInst>(&intrinsic))
    return expandMemMoveAsLoop(move, target);
  else if (auto *set = dyn_cast<MemSetInst>(&intrinsic))
    expandMemSetAsLoop(set);
  else
    return false;
  return true;
}

void copyInLoop(LoadInst &load, StoreInst &store, const TargetTransformInfo &target) {
  const std::uint64_t bytes = load.getModule()->getDataLayout().getTypeStoreSize(load.getType());
  createMemCpyLoopKnownSize(&store, load.getPointerOperand(), store.getPointerOperand(),
                            ConstantInt::get(Type::getInt32Ty(load.getContext()), bytes), load.getAlign(),
                            store.getAlign(), load.isVolatile(), store.isVolatile(), /*CanOverlap=*/true,
                            target);
}

/// A copy or set whose length is this constant, through a register of so many bytes. False: it stays as it is.
bool useRegister(MemIntrinsic &intrinsic, std::uint64_t bytes) {
  if (bytes == 0 || bytes > largestValue())
    return false;
  IRBuilder<> b(&intrinsic);
  Type *const type = b.getIntNTy(static_cast<unsigned>(8 * bytes));
  Value *value = nullptr;
  if (auto *set = dyn_cast<MemSetInst>(&intrinsic)) {
    value = b.CreateZExt(set->getValue(), type);
    value =
        b.CreateMul(value, ConstantInt::get(b.getContext(),
                                            APInt::getSplat(static_cast<unsigned>(8 * bytes), APInt(8, 1))));
  } else {
    auto &transfer = cast<MemTransferInst>(intrinsic);
    LoadInst *const load = b.CreateAlignedLoad(type, transfer.getRawSource(),
                                               transfer.getSourceAlign().valueOrOne(), transfer.isVolatile());
    markAsAskedFor(*load);
    value = load;
  }
  b.CreateAlignedStore(value, intrinsic.getRawDest(), intrinsic.getDestAlign().valueOrOne(),
                       intrinsic.isVolatile());
  return true;
}

} // namespace

PreservedAnalyses LowerCopiesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  const Module &module = *function.getParent();
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  SmallVector<LoadInst *, 4> loads;
  SmallVector<MemIntrinsic *, 4> intrinsics, shortOnes;
  for (Instruction &instruction : instructions(function)) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (module.getDataLayout().getTypeStoreSize(load->getType()) >= kLoopBytes && onlyStoreOf(*load))
        loads.push_back(load);
    } else if (auto *intrinsic = dyn_cast<MemIntrinsic>(&instruction)) {
      const auto *length = dyn_cast<ConstantInt>(intrinsic->getLength());
      if (!length || length->getZExtValue() >= kLoopBytes)
        intrinsics.push_back(intrinsic);
      else if (ValueChoice::isAny() || latencyScheme() != abi::LatencyScheme::None)
        shortOnes.push_back(intrinsic);
    }
  }
  for (MemIntrinsic *intrinsic : shortOnes)
    if (useRegister(*intrinsic, cast<ConstantInt>(intrinsic->getLength())->getZExtValue()))
      intrinsic->eraseFromParent();
  if (loads.empty() && intrinsics.empty())
    return shortOnes.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  const TargetTransformInfo &target = analyses.getResult<TargetIRAnalysis>(function);
  PlaceKeeper places(function);
  for (LoadInst *load : loads) {
    StoreInst *store = onlyStoreOf(*load);
    const DebugLoc place = store->getDebugLoc() ? store->getDebugLoc() : load->getDebugLoc();
    copyInLoop(*load, *store, target);
    store->eraseFromParent();
    load->eraseFromParent();
    places.give(place);
  }
  for (MemIntrinsic *intrinsic : intrinsics) {
    const DebugLoc place = intrinsic->getDebugLoc();
    if (expand(*intrinsic, target))
      intrinsic->eraseFromParent();
    places.give(place);
  }
  return PreservedAnalyses::none();
}

} // namespace cupr::pass
