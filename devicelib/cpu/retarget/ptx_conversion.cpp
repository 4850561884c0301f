/// PTX conversions between types, `cvt` (PTX ISA manual, chapter 9.7.9).
#include "ptx_lowering.h"

#include "devicelib/cpu/runtime/runtime_calls.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cupr::cpu {

/// Between pairs of 8-bit numbers and pairs of others:
///     cvt.rn.satfinite.e4m3x2.f32 d, a, b;    a is the upper half
///     cvt.rn.satfinite.e4m3x2.f16x2 d, a;
///     cvt.rn.f16x2.e4m3x2 d, a;
bool PtxLowering::emitConvertSmall(const ptx::Statement &s) {
  const auto format = [](StringRef name) {
    return StringSwitch<std::optional<unsigned>>(name)
        .Case("e4m3x2", std::optional<unsigned>(kE4M3))
        .Case("e5m2x2", std::optional<unsigned>(kE5M2))
        .Default(std::nullopt);
  };
  const StringRef toName = s.operation[s.operation.size() - 2], fromName = s.operation.back();
  const PtxType pair{PtxType::Kind::Unsigned, 16, 1}, half{PtxType::Kind::Float, 16, 2},
      single{PtxType::Kind::Float, 32, 1};
  if (const auto to = format(toName)) {
    Value *low = nullptr, *high = nullptr;
    if (fromName == "f32" && s.operands.size() == 3) {
      high = read(s.operands[1], single);
      low = read(s.operands[2], single);
    } else if (fromName == "f16x2" && s.operands.size() == 2) {
      Value *both = b.CreateFPExt(read(s.operands[1], half), FixedVectorType::get(b.getFloatTy(), 2));
      low = b.CreateExtractElement(both, b.getInt64(0));
      high = b.CreateExtractElement(both, b.getInt64(1));
    } else {
      return false;
    }
    const auto narrow = [&](Value *value) -> Value * {
      if (has(s.operation, "relu"))
        value = b.CreateBinaryIntrinsic(Intrinsic::maximum, value, ConstantFP::get(b.getFloatTy(), 0.0));
      return b.call(Call::ToSmallFloat, {b.i32(*to), b.asInteger(value)});
    };
    write(s.operands[0], b.CreateTrunc(b.CreateOr(narrow(low), b.CreateShl(narrow(high), 8)), b.getInt16Ty()),
          pair);
    return true;
  }
  const auto from = format(fromName);
  if (!from || toName != "f16x2" || s.operands.size() != 2)
    return false;
  Value *bits = b.CreateZExt(read(s.operands[1], pair), b.getInt32Ty());
  Value *result = PoisonValue::get(llvmType(half));
  for (unsigned i = 0; i < 2; ++i) {
    Value *wide = b.CreateBitCast(b.call(Call::FromSmallFloat, {b.i32(*from), b.CreateLShr(bits, 8 * i)}),
                                  b.getFloatTy());
    if (has(s.operation, "relu"))
      wide = b.CreateBinaryIntrinsic(Intrinsic::maximum, wide, ConstantFP::get(b.getFloatTy(), 0.0));
    result = b.CreateInsertElement(result, b.CreateFPTrunc(wide, b.getHalfTy()), b.getInt64(i));
  }
  write(s.operands[0], result, half);
  return true;
}

bool PtxLowering::emitConvert(const ptx::Statement &s) {
  if (s.operation[0] != "cvt" || s.operation.size() < 3)
    return false;
  if (emitConvertSmall(s))
    return true;
  const auto to = ptx::typeNamed(s.operation[s.operation.size() - 2]),
             from = ptx::typeNamed(s.operation.back());
  if (!to || !from)
    return false;
  const unsigned rounding = roundingOf(s.operation, kRoundNearest);
  const bool saturates = has(s.operation, "sat");
  Value *result = nullptr;
  if (to->lanes == 2 && from->lanes == 1) { // cvt.rn.f16x2.f32 d, a, b: a is the upper half
    PtxType element = *to;
    element.lanes = 1;
    Value *high = b.toFloat(read(s.operands[1], *from), llvmType(element), rounding);
    Value *low = b.toFloat(read(s.operands[2], *from), llvmType(element), rounding);
    result = b.CreateInsertElement(PoisonValue::get(llvmType(*to)), low, b.getInt64(0));
    result = b.CreateInsertElement(result, high, b.getInt64(1));
  } else if (from->isFloat() && to->isFloat()) {
    result = readFlushed(s, 1, *from);
    // The integral roundings are named rni, rzi, rmi, rpi.
    const bool integral = has(s.operation, "rni") || has(s.operation, "rzi") || has(s.operation, "rmi") ||
                          has(s.operation, "rpi");
    if (integral)
      result = b.toIntegral(result, rounding);
    result = b.toFloat(result, llvmType(*to), rounding);
    if (saturates)
      result = b.saturate(result);
    if (has(s.operation, "ftz"))
      result = b.flushed(result);
  } else if (from->isFloat()) {
    result = b.toInteger(readFlushed(s, 1, *from), llvmType(*to), to->isSigned(),
                         roundingOf(s.operation, kRoundZero));
  } else if (to->isFloat()) {
    Value *x = read(s.operands[1], *from);
    if (llvmType(*to)->isHalfTy() || llvmType(*to)->isBFloatTy()) // directly: no double rounding
      result = b.fromInteger(x, llvmType(*to), from->isSigned());
    else if (rounding != kRoundNearest && to->bits == 32)
      result = b.toFloat(b.fromInteger(x, b.getDoubleTy(), from->isSigned()), b.getFloatTy(), rounding);
    else
      result = b.fromInteger(x, llvmType(*to), from->isSigned());
  } else {
    Value *x = read(s.operands[1], *from);
    Type *target = llvmType(*to);
    if (saturates && to->bits <= from->bits) {
      const unsigned n = from->bits;
      APInt low = to->isSigned() ? APInt::getSignedMinValue(to->bits).sext(n) : APInt::getZero(n);
      APInt high =
          to->isSigned() ? APInt::getSignedMaxValue(to->bits).sext(n) : APInt::getMaxValue(to->bits).zext(n);
      Value *lo = ConstantInt::get(x->getType(), low), *hi = ConstantInt::get(x->getType(), high);
      if (from->isSigned()) {
        if (!to->isSigned() && to->bits == n)
          hi = ConstantInt::get(x->getType(), APInt::getSignedMaxValue(n));
        x = b.CreateBinaryIntrinsic(Intrinsic::smax, x, lo);
        x = b.CreateBinaryIntrinsic(Intrinsic::smin, x, hi);
      } else {
        x = b.CreateBinaryIntrinsic(Intrinsic::umin, x, hi);
      }
    }
    result = from->isSigned() ? b.CreateSExtOrTrunc(x, target) : b.CreateZExtOrTrunc(x, target);
  }
  if (has(s.operation, "relu"))
    result = b.CreateBinaryIntrinsic(Intrinsic::maxnum, result, ConstantFP::get(result->getType(), 0.0));
  write(s.operands[0], result, *to);
  return true;
}

} // namespace cupr::cpu
