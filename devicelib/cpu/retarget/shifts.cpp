#include "lowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace cupr::cpu {

void clampShifts(Module &module, DeviceBuilder &b) {
  SmallVector<BinaryOperator *> shifts;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *operation = dyn_cast<BinaryOperator>(&instruction); operation && operation->isShift())
        shifts.push_back(operation);
  for (BinaryOperator *shift : shifts) {
    Value *const amount = shift->getOperand(1);
    Type *const type = amount->getType();
    const unsigned bits = type->getScalarSizeInBits();
    if (!isPowerOf2_32(bits) || computeKnownBits(amount, module.getDataLayout()).getMaxValue().ult(bits))
      continue;
    b.SetInsertPoint(shift);
    // Frozen, or the optimiser may take the shift as proof that the amount is small.
    Value *const frozen = b.CreateFreeze(amount);
    if (shift->getOpcode() == Instruction::AShr) {
      Constant *const most = ConstantInt::get(type, bits - 1);
      shift->setOperand(1, b.CreateSelect(b.CreateICmpULT(frozen, most), frozen, most));
      shift->setIsExact(false);
      continue;
    }
    shift->setOperand(1, b.CreateAnd(frozen, ConstantInt::get(type, bits - 1)));
    if (shift->getOpcode() == Instruction::LShr) {
      shift->setIsExact(false);
    } else {
      shift->setHasNoSignedWrap(false);
      shift->setHasNoUnsignedWrap(false);
    }
    b.SetInsertPoint(shift->getNextNode());
    Value *const fits = b.CreateICmpULT(frozen, ConstantInt::get(type, bits));
    Value *const zero = Constant::getNullValue(type);
    Value *const result = b.CreateSelect(fits, shift, zero);
    shift->replaceUsesWithIf(result, [&](Use &use) { return use.getUser() != result; });
  }
}

} // namespace cupr::cpu
