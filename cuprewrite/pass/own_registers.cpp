#include "own_registers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Whether machine code has addresses of this type in 64 bits.
bool isWide(const Type &type) {
  if (!type.isPointerTy())
    return type.isIntegerTy(64);
  switch (type.getPointerAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_SHARED:
  case NVPTXAS::ADDRESS_SPACE_CONST:
  case NVPTXAS::ADDRESS_SPACE_LOCAL:
    return false;
  default:
    return true;
  }
}

/// 0, whatever the number: one of two that follow each other is even.
Value *zeroOf(IRBuilder<> &b, Value *number) {
  Type *const i32 = b.getInt32Ty();
  auto *const even = InlineAsm::get(FunctionType::get(i32, {i32}, false),
                                    "{\n\t.reg .b32 cuprNext;\n\tadd.u32 cuprNext, $1, 1;\n\t"
                                    "mul.lo.u32 cuprNext, cuprNext, $1;\n\tand.b32 $0, cuprNext, 1;\n}",
                                    "=r,r", /*hasSideEffects=*/false);
  return b.CreateCall(even, {number});
}

/// In inline PTX with side effects, or LLVM would do it where somebody needs it.
Value *movedWord(IRBuilder<> &b, Value *word, Value *zero) {
  Type *const i32 = b.getInt32Ty();
  auto *const exclusiveOr =
      InlineAsm::get(FunctionType::get(i32, {i32, i32}, false), "xor.b32 $0, $1, $2;", "=r,r,r",
                     /*hasSideEffects=*/true);
  return b.CreateCall(exclusiveOr, {word, zero});
}

/// `value`, each 32 bits of it xor `zero`.
Value *moved(IRBuilder<> &b, Value *value, Value *zero) {
  Type *const type = value->getType();
  const auto bits = static_cast<unsigned>(
      b.GetInsertBlock()->getModule()->getDataLayout().getTypeSizeInBits(type).getFixedValue());
  if (type->isAggregateType() || (type->isVectorTy() && type->getScalarType()->isPointerTy()))
    return value;
  Type *const integer = b.getIntNTy(bits);
  Value *whole = type->isPointerTy() ? b.CreatePtrToInt(value, integer) : b.CreateBitCast(value, integer);
  if (bits <= 32) {
    whole = b.CreateTrunc(movedWord(b, b.CreateZExt(whole, b.getInt32Ty()), zero), integer);
  } else if (bits % 32 == 0) {
    auto *const words = FixedVectorType::get(b.getInt32Ty(), bits / 32);
    Value *const before = b.CreateBitCast(whole, words);
    Value *after = PoisonValue::get(words);
    for (unsigned i = 0; i < bits / 32; ++i)
      after = b.CreateInsertElement(after, movedWord(b, b.CreateExtractElement(before, i), zero), i);
    whole = b.CreateBitCast(after, integer);
  }
  return type->isPointerTy() ? b.CreateIntToPtr(whole, type) : b.CreateBitCast(whole, type);
}

} // namespace

Use *movableAddress(Instruction &access, const Value *address) {
  Use *found = nullptr;
  if (isa<LoadInst>(access))
    found = &access.getOperandUse(LoadInst::getPointerOperandIndex());
  else if (isa<StoreInst>(access))
    found = &access.getOperandUse(StoreInst::getPointerOperandIndex());
  else if (auto *call = dyn_cast<CallBase>(&access))
    for (Use &argument : call->args())
      if (argument.get() == address)
        found = &argument;
  return found && !isa<Constant>(*found) && isWide(*(*found)->getType()) ? found : nullptr;
}

Value *moveAddress(IRBuilder<> &b, Use &address, Value *word) {
  Value *const zero = b.CreateZExt(zeroOf(b, word), b.getInt64Ty());
  address.set(address->getType()->isPointerTy() ? b.CreateGEP(b.getInt8Ty(), address.get(), zero)
                                                : b.CreateAdd(address.get(), zero));
  return address.get();
}

void moveResult(IRBuilder<> &b, Instruction &access, Value *ended, ArrayRef<Use *> uses) {
  if (uses.empty())
    return;
  Value *const zero = zeroOf(b, ended);
  if (!access.getType()->isAggregateType()) {
    Value *const other = moved(b, &access, zero);
    for (Use *use : uses)
      use->set(other);
    return;
  }
  DenseMap<unsigned, Value *> members;
  for (const Use *use : uses)
    if (auto *const taken = dyn_cast<ExtractValueInst>(use->getUser());
        taken && taken->getNumIndices() == 1) {
      Value *&member = members[taken->getIndices().front()];
      if (!member)
        member = moved(b, b.CreateExtractValue(&access, taken->getIndices()), zero);
      taken->replaceAllUsesWith(member);
    }
}

} // namespace cupr::pass
