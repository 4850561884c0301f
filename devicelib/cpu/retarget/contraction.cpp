/// Multiplications and additions that the compiler may round together (`contract`, clang's default for CUDA).
///
/// Which of them are is the code generator's choice. Left to the host's, it would depend on what else has
/// been done to the code, and a kernel's traced variant would round otherwise than the plain one. So the
/// choice is made here, for both alike, before any block is split; and it is the one of LLVM's NVPTX back end
/// (DAGCombiner's visitFADDForFMACombine and visitFSUBForFMACombine with enableAggressiveFMAFusion), so that
/// results are those of a GPU as far as can be.
#include "lowering.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace cupr::cpu {
namespace {

/// The product that `value` is, if it can become a part of `sum`.
BinaryOperator *productIn(Value *value, const Instruction &sum) {
  auto *product = dyn_cast<BinaryOperator>(value);
  return product && product->getOpcode() == Instruction::FMul && product->hasAllowContract() &&
                 product->getParent() == sum.getParent()
             ? product
             : nullptr;
}

/// `first * second + addend`, as one operation; `negated` has the product subtracted.
Value *fuse(IRBuilderBase &b, BinaryOperator &product, Value *addend, bool negated) {
  Value *first = product.getOperand(0);
  if (negated)
    first = b.CreateFNeg(first);
  return b.CreateIntrinsic(Intrinsic::fma, {product.getType()}, {first, product.getOperand(1), addend});
}

/// The value of this sum or difference with a product in it; null: there is none.
Value *contracted(IRBuilderBase &b, BinaryOperator &sum) {
  Value *left = sum.getOperand(0), *right = sum.getOperand(1);
  BinaryOperator *leftProduct = productIn(left, sum), *rightProduct = productIn(right, sum);
  // Of two products the one with fewer uses goes, the left one if they are even.
  if (leftProduct && rightProduct)
    (leftProduct->getNumUses() > rightProduct->getNumUses() ? leftProduct : rightProduct) = nullptr;
  const bool subtracts = sum.getOpcode() == Instruction::FSub;
  if (leftProduct)
    return fuse(b, *leftProduct, subtracts ? b.CreateFNeg(right) : right, /*negated=*/false);
  if (rightProduct)
    return fuse(b, *rightProduct, left, /*negated=*/subtracts);
  // -(x * y) - z
  auto *negation = dyn_cast<UnaryOperator>(left);
  if (!subtracts || !negation || negation->getOpcode() != Instruction::FNeg)
    return nullptr;
  BinaryOperator *product = productIn(negation->getOperand(0), sum);
  return product ? fuse(b, *product, b.CreateFNeg(right), /*negated=*/true) : nullptr;
}

bool isSum(const Instruction &instruction) {
  const Type *type = instruction.getType()->getScalarType();
  return (instruction.getOpcode() == Instruction::FAdd || instruction.getOpcode() == Instruction::FSub) &&
         (type->isFloatTy() || type->isDoubleTy()) && instruction.hasAllowContract();
}

} // namespace

void contractSums(Module &module, DeviceBuilder &b) {
  for (Function &function : module) {
    SmallVector<BinaryOperator *> sums;
    for (Instruction &instruction : instructions(function))
      if (isSum(instruction))
        sums.push_back(cast<BinaryOperator>(&instruction));
    SmallVector<WeakTrackingVH> products;
    for (BinaryOperator *sum : sums) {
      b.SetInsertPoint(sum);
      Value *whole = contracted(b, *sum);
      if (!whole)
        continue;
      products.append(sum->value_op_begin(), sum->value_op_end());
      whole->takeName(sum);
      sum->replaceAllUsesWith(whole);
      sum->eraseFromParent();
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(products);
    for (Instruction &instruction : instructions(function))
      if (isa<FPMathOperator>(instruction))
        instruction.setHasAllowContract(false);
  }
}

} // namespace cupr::cpu
