#include "nvcc_arithmetic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<bool> contractLibrary("cupr-contract-library",
                              cl::desc("Let products and sums in libdevice's functions be rounded together"));
cl::opt<bool> fullRange("cupr-full-range-division",
                        cl::desc("Make approximate divisions right for divisors of any size"));

bool isOne(const Value *value) { return PatternMatch::match(value, PatternMatch::m_SpecificFP(1.0)); }

/// 1 / sqrt(x), where both are approximate and nobody else wants the root; else null.
Value *rootReciprocal(IRBuilder<> &b, BinaryOperator &division) {
  auto *const root = dyn_cast<IntrinsicInst>(division.getOperand(1));
  if (!root || !root->hasOneUse() || !isOne(division.getOperand(0)))
    return nullptr;
  if (root->getIntrinsicID() == Intrinsic::nvvm_sqrt_approx_f)
    return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_f, {root->getArgOperand(0)});
  if (root->getIntrinsicID() == Intrinsic::nvvm_sqrt_approx_ftz_f)
    return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_ftz_f, {root->getArgOperand(0)});
  return nullptr;
}

bool flushesDenormals(const Function &function) {
  return function.getDenormalMode(APFloat::IEEEsingle()).Output == DenormalMode::PreserveSign;
}

/// The division of vectors is that of their elements.
Value *fullRangeDivision(IRBuilder<> &b, Value *dividend, Value *divisor, Intrinsic::ID kind) {
  auto *const vector = dyn_cast<FixedVectorType>(dividend->getType());
  if (!vector)
    return b.CreateIntrinsic(kind, {dividend, divisor});
  Value *whole = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    whole = b.CreateInsertElement(
        whole,
        b.CreateIntrinsic(kind, {b.CreateExtractElement(dividend, i), b.CreateExtractElement(divisor, i)}),
        i);
  return whole;
}

} // namespace

PreservedAnalyses LibraryContractionPass::run(Module &module, ModuleAnalysisManager &) {
  if (!contractLibrary || !module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &function : module)
    if (function.getName().starts_with("__nv_"))
      for (Instruction &instruction : instructions(function))
        if (is_contained({Instruction::FAdd, Instruction::FSub, Instruction::FMul}, instruction.getOpcode()))
          instruction.setHasAllowContract(true);
  return PreservedAnalyses::none();
}

PreservedAnalyses ApproximateDivisionPass::run(Function &function, FunctionAnalysisManager &) {
  if (!function.getParent()->getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction &instruction : instructions(function))
    if (instruction.getOpcode() == Instruction::FDiv && instruction.hasApproxFunc() &&
        instruction.getType()->getScalarType()->isFloatTy())
      divisions.push_back(cast<BinaryOperator>(&instruction));
  for (BinaryOperator *division : divisions) {
    IRBuilder<> b(division);
    Value *const dividend = division->getOperand(0), *const divisor = division->getOperand(1);
    Value *other = rootReciprocal(b, *division);
    if (!other && fullRange && !isOne(dividend))
      other = fullRangeDivision(b, dividend, divisor,
                                flushesDenormals(function) ? Intrinsic::nvvm_div_full_ftz
                                                           : Intrinsic::nvvm_div_full);
    if (!other)
      continue;
    other->takeName(division);
    division->replaceAllUsesWith(other);
    division->eraseFromParent();
    if (auto *const root = dyn_cast<IntrinsicInst>(divisor); root && root->use_empty())
      root->eraseFromParent();
  }
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace cupr::pass
