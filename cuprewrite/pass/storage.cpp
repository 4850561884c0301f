#include "storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace cupr::pass {

bool isKernel(const Function &function) { return function.getCallingConv() == CallingConv::PTX_Kernel; }

const Argument *kernelParameter(const Value *pointer) {
  const auto *argument = dyn_cast<Argument>(getUnderlyingObject(pointer, 0));
  return argument && argument->hasByValAttr() && isKernel(*argument->getParent()) ? argument : nullptr;
}

bool visitWrites(const Value &object,
                 function_ref<bool(const Instruction &write, const Value &address)> visit) {
  SmallVector<const Value *, 8> addresses{&object};
  SmallPtrSet<const Value *, 8> seen{&object};
  while (!addresses.empty()) {
    const Value *address = addresses.pop_back_val();
    for (const User *user : address->users()) {
      if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user)) {
        if (seen.insert(user).second)
          addresses.push_back(user);
      } else if (const auto *store = dyn_cast<StoreInst>(user)) {
        if (store->getValueOperand() == address || !visit(*store, *address))
          return false;
      } else if (const auto *memory = dyn_cast<MemIntrinsic>(user)) {
        if (memory->getRawDest() == address && !visit(*memory, *address))
          return false;
      } else if (const auto *intrinsic = dyn_cast<IntrinsicInst>(user)) {
        if (!intrinsic->isLifetimeStartOrEnd() && !intrinsic->isAssumeLikeIntrinsic())
          return false;
      } else if (const auto *call = dyn_cast<CallBase>(user)) {
        for (unsigned i = 0; i < call->arg_size(); ++i)
          if (call->getArgOperand(i) == address && !call->isByValArgument(i) &&
              !(call->onlyReadsMemory(i) && call->doesNotCapture(i)))
            return false;
      } else if (!isa<LoadInst, ICmpInst>(user)) {
        return false;
      }
    }
  }
  return true;
}

bool holdsPointer(const Type *type) {
  if (type->isPtrOrPtrVectorTy())
    return true;
  if (const auto *record = dyn_cast<StructType>(type))
    return any_of(record->elements(), holdsPointer);
  if (const auto *array = dyn_cast<ArrayType>(type))
    return holdsPointer(array->getElementType());
  return false;
}

bool Extent::mayOverlap(const Extent &other) const {
  const auto isBefore = [](const Extent &first, const Extent &second) {
    return first.offset && second.offset && first.length &&
           *first.offset + static_cast<std::int64_t>(*first.length) <= *second.offset;
  };
  return !isBefore(*this, other) && !isBefore(other, *this);
}

Extent extentIn(const Value &object, const Value &address, std::optional<std::uint64_t> length,
                const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(address.getType()), 0);
  if (address.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) != &object)
    return {std::nullopt, length};
  return {offset.getSExtValue(), length};
}

} // namespace cupr::pass
