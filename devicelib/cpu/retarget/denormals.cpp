/// Denormal numbers of single precision in functions that are compiled with --ftz=true (clang marks them
/// "denormal-fp-math-f32"): arithmetic takes zeros of their sign in their place, and makes such zeros instead
/// of them. It does so as the GPU's instructions with `.ftz` do (PTX ISA manual, chapter 9.7.3), one by one:
/// loads, stores and selections leave such numbers as they are, and double precision keeps them always, which
/// is why the processor's own mode is of no use.
///
/// What names `.ftz` itself, in inline PTX or as an intrinsic, is lowered where these are.
#include "lowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace cupr::cpu {
namespace {

bool isSingle(const Value *value) { return value->getType()->getScalarType()->isFloatTy(); }

/// Intrinsics that the GPU has instructions for, which flush. That of copysign moves bits.
bool isArithmetic(Intrinsic::ID id) {
  static constexpr Intrinsic::ID kKnown[] = {
      Intrinsic::fma,        Intrinsic::fmuladd,     Intrinsic::sqrt,      Intrinsic::fabs,
      Intrinsic::minnum,     Intrinsic::maxnum,      Intrinsic::minimum,   Intrinsic::maximum,
      Intrinsic::minimumnum, Intrinsic::maximumnum,  Intrinsic::floor,     Intrinsic::ceil,
      Intrinsic::trunc,      Intrinsic::rint,        Intrinsic::nearbyint, Intrinsic::round,
      Intrinsic::roundeven,  Intrinsic::sin,         Intrinsic::cos,       Intrinsic::exp2,
      Intrinsic::log2,       Intrinsic::canonicalize};
  return is_contained(kKnown, id);
}

/// Whether it reads or makes numbers of single precision, and does not only move them.
bool isArithmetic(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::FNeg:
  case Instruction::FCmp:
  case Instruction::FPExt:
    return isSingle(instruction.getOperand(0));
  case Instruction::FPTrunc:
    return isSingle(&instruction);
  default:
    break;
  }
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && isSingle(call) && isArithmetic(call->getIntrinsicID());
}

void flushIn(Function &function, DeviceBuilder &b) {
  SmallVector<Instruction *> arithmetic;
  for (Instruction &instruction : instructions(function))
    if (isArithmetic(instruction))
      arithmetic.push_back(&instruction);
  SmallPtrSet<const Value *, 32> flushed; // results that need not be looked at again
  const auto isFlushed = [&](const Value *value) {
    return flushed.contains(value) || isa<SIToFPInst, UIToFPInst>(value);
  };
  for (Instruction *instruction : arithmetic) {
    b.SetInsertPoint(instruction);
    for (Use &operand : instruction->operands())
      if (isSingle(operand) && !isFlushed(operand))
        operand.set(b.flushed(operand));
    if (!isSingle(instruction))
      continue;
    b.SetInsertPoint(instruction->getNextNode());
    SmallVector<Use *> uses;
    for (Use &use : instruction->uses())
      uses.push_back(&use);
    Value *const result = b.flushed(instruction);
    for (Use *use : uses)
      use->set(result);
    flushed.insert(result);
  }
}

} // namespace

void flushDenormals(Module &module, DeviceBuilder &b) {
  for (Function &function : module) {
    if (function.getDenormalMode(APFloat::IEEEsingle()).Output == DenormalMode::PreserveSign)
      flushIn(function, b);
    // It is done: the host's optimiser must not take the comparisons with the smallest normal number for
    // comparisons with zero.
    function.removeFnAttr("denormal-fp-math");
    function.removeFnAttr("denormal-fp-math-f32");
  }
}

} // namespace cupr::cpu
