#include "lowering.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace cupr::cpu {

void approximateDivisions(Module &module, DeviceBuilder &b) {
  SmallVector<BinaryOperator *> divisions;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (instruction.getOpcode() == Instruction::FDiv && instruction.hasApproxFunc() &&
          instruction.getType()->getScalarType()->isFloatTy())
        divisions.push_back(cast<BinaryOperator>(&instruction));
  for (BinaryOperator *division : divisions) {
    division->setHasApproxFunc(false);
    if (PatternMatch::match(division->getOperand(0), PatternMatch::m_SpecificFP(1.0)))
      continue; // rcp.approx has no such range
    b.SetInsertPoint(division);
    division->setOperand(0, b.dividend(division->getOperand(0), division->getOperand(1)));
  }
}

void guardDivisions(Module &module, DeviceBuilder &b) {
  SmallVector<BinaryOperator *> divisions;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *operation = dyn_cast<BinaryOperator>(&instruction); operation && operation->isIntDivRem())
        divisions.push_back(operation);
  for (BinaryOperator *division : divisions) {
    Value *divisor = division->getOperand(1);
    Type *type = divisor->getType();
    if (auto *constant = dyn_cast<ConstantInt>(divisor);
        constant && !constant->isZero() && !constant->isMinusOne())
      continue;
    b.SetInsertPoint(division);
    // Frozen, or the optimiser may take the division as proof that the divisor is not 0.
    Value *frozen = b.CreateFreeze(divisor);
    Value *bad = b.CreateICmpEQ(frozen, Constant::getNullValue(type));
    const unsigned opcode = division->getOpcode();
    if (opcode == Instruction::SDiv || opcode == Instruction::SRem) {
      // The smallest number divided by -1: any divisor by -1 is a negation.
      Constant *smallest = ConstantInt::get(type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
      Value *dividend = b.CreateFreeze(division->getOperand(0));
      Value *overflow = b.CreateAnd(b.CreateICmpEQ(frozen, Constant::getAllOnesValue(type)),
                                    b.CreateICmpEQ(dividend, smallest));
      bad = b.CreateOr(bad, overflow);
      division->setOperand(0, dividend);
    }
    // x / 1 = x and x % 1 = 0 are right for the overflow; by zero the GPU's
    // quotient is all ones and its remainder x, on which nobody may rely.
    division->setOperand(1, b.CreateSelect(bad, ConstantInt::get(type, 1), frozen));
  }
}

} // namespace cupr::cpu
