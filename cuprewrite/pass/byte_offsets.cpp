#include "byte_offsets.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Those of one pointer with as many operands, in the order of the code.
using Addresses = SmallVector<GetElementPtrInst *, 4>;

MapVector<std::pair<Value *, unsigned>, Addresses> comparableAddresses(Function &function) {
  MapVector<std::pair<Value *, unsigned>, Addresses> result;
  for (Instruction &instruction : instructions(function))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
        address && !address->getType()->isVectorTy() && !address->hasAllConstantIndices())
      result[{address->getPointerOperand(), address->getNumOperands()}].push_back(address);
  return result;
}

/// The type that stays: bytes, which can't be lowered further, or the first.
Type *typeThatStays(const Addresses &addresses) {
  for (const GetElementPtrInst *address : addresses)
    if (address->getSourceElementType()->isIntegerTy(8))
      return address->getSourceElementType();
  return addresses.front()->getSourceElementType();
}

void lower(GetElementPtrInst &address, const DataLayout &layout) {
  IRBuilder<> builder(&address);
  Value *offset = emitGEPOffset(&builder, layout, &address);
  Value *lowered = builder.CreatePtrAdd(address.getPointerOperand(), offset, "", address.getNoWrapFlags());
  lowered->takeName(&address);
  address.replaceAllUsesWith(lowered);
  address.eraseFromParent();
}

} // namespace

PreservedAnalyses ByteOffsetsPass::run(Function &function, FunctionAnalysisManager &) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  bool changes = false;
  // Lowering one may change whose pointer another has, which only makes fewer of them comparable.
  for (auto &[key, addresses] : comparableAddresses(function)) {
    Type *const stays = typeThatStays(addresses);
    for (GetElementPtrInst *address : addresses)
      if (address->getSourceElementType() != stays) {
        lower(*address, layout);
        changes = true;
      }
  }
  if (!changes)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace cupr::pass
