/// PTX arithmetic: moves, integers, carries and floating point (PTX ISA manual, chapters 9.7.1 to 9.7.4).
#include "ptx_lowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cupr::cpu {

bool PtxLowering::emitMove(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const auto type = lastType(s);
  if (!type || s.operands.size() < 2)
    return false;
  if (op == "mov") {
    if (type->kind == PtxType::Kind::Predicate)
      write(s.operands[0], readPredicate(s.operands[1]), *type);
    else
      write(s.operands[0], read(s.operands[1], *type), *type);
    return true;
  }
  if (op == "cvta") { // generic addresses and the others are the same here
    write(s.operands[0], read(s.operands[1], *type), *type);
    return true;
  }
  return false;
}

bool PtxLowering::emitCarry(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const bool sets = has(s.operation, "cc"), uses = op == "addc" || op == "subc" || op == "madc";
  const auto type = lastType(s);
  if ((!sets && !uses) || !type || type->isFloat())
    return false;
  if (!carry_) {
    IRBuilder<>::InsertPointGuard guard(b);
    BasicBlock &entry = call_.getFunction()->getEntryBlock();
    b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    carry_ = b.CreateAlloca(b.getInt1Ty(), nullptr, "ptx.carry");
  }
  const PtxType plain = unsignedType(type->bits);
  Type *wide = b.getIntNTy(type->bits * 2);
  Value *in = uses ? b.CreateZExt(b.CreateLoad(b.getInt1Ty(), carry_), wide) : ConstantInt::get(wide, 0);
  Value *x = b.CreateZExt(read(s.operands[1], plain), wide);
  Value *y = b.CreateZExt(read(s.operands[2], plain), wide);
  Value *sum = nullptr;
  if (op == "add" || op == "addc") {
    sum = b.CreateAdd(b.CreateAdd(x, y), in);
  } else if (op == "sub" || op == "subc") {
    sum = b.CreateSub(b.CreateSub(x, y), in);
  } else if (op == "mad" || op == "madc") {
    Value *product = type->isSigned() && has(s.operation, "hi")
                         ? b.CreateMul(b.CreateSExt(b.CreateTrunc(x, b.getIntNTy(type->bits)), wide),
                                       b.CreateSExt(b.CreateTrunc(y, b.getIntNTy(type->bits)), wide))
                         : b.CreateMul(x, y);
    Value *half = has(s.operation, "hi")
                      ? b.CreateLShr(product, type->bits)
                      : b.CreateZExt(b.CreateTrunc(product, b.getIntNTy(type->bits)), wide);
    sum = b.CreateAdd(b.CreateAdd(half, b.CreateZExt(read(s.operands[3], plain), wide)), in);
  } else {
    return false;
  }
  if (sets)
    b.CreateStore(b.CreateTrunc(b.CreateLShr(sum, type->bits), b.getInt1Ty()), carry_);
  write(s.operands[0], b.CreateTrunc(sum, b.getIntNTy(type->bits)), plain);
  return true;
}

bool PtxLowering::emitInteger(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const auto found = lastType(s);
  if (!found || found->isFloat() || s.operands.size() < 2)
    return false;
  const PtxType type = *found;
  const bool isSigned = type.isSigned();
  auto operand = [&](unsigned i) { return read(s.operands[i], type); };
  if (op == "neg" || op == "abs" || op == "not" || op == "cnot") {
    if (type.kind == PtxType::Kind::Predicate) {
      write(s.operands[0], b.CreateNot(readPredicate(s.operands[1])), type);
      return true;
    }
    Value *x = operand(1), *zero = ConstantInt::get(x->getType(), 0);
    write(s.operands[0],
          op == "neg"   ? b.CreateNeg(x)
          : op == "abs" ? b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse())
          : op == "not" ? b.CreateNot(x)
                        : b.CreateZExt(b.CreateICmpEQ(x, zero), x->getType()),
          type);
    return true;
  }
  if (s.operands.size() < 3)
    return false;
  if (type.kind == PtxType::Kind::Predicate && (op == "and" || op == "or" || op == "xor")) {
    Value *x = readPredicate(s.operands[1]), *y = readPredicate(s.operands[2]);
    write(s.operands[0],
          op == "and"  ? b.CreateAnd(x, y)
          : op == "or" ? b.CreateOr(x, y)
                       : b.CreateXor(x, y),
          type);
    return true;
  }
  if (op == "shl" || op == "shr") { // amounts at and above the width give 0, or the sign
    Value *x = operand(1), *amount = read(s.operands[2], unsignedType(32));
    Value *limit = b.i32(type.bits);
    Value *over = b.CreateICmpUGE(amount, limit);
    Value *clamped = b.CreateZExtOrTrunc(
        b.CreateSelect(over, b.i32(isSigned && op == "shr" ? type.bits - 1 : 0), amount), x->getType());
    Value *shifted = op == "shl" ? b.CreateShl(x, clamped)
                     : isSigned  ? b.CreateAShr(x, clamped)
                                 : b.CreateLShr(x, clamped);
    write(s.operands[0],
          isSigned && op == "shr" ? shifted
                                  : b.CreateSelect(over, ConstantInt::get(x->getType(), 0), shifted),
          type);
    return true;
  }
  const bool wide = has(s.operation, "wide"), high = has(s.operation, "hi");
  if (op == "mul" || op == "mad" || op == "mul24" || op == "mad24") {
    Value *x = operand(1), *y = operand(2), *product = nullptr;
    PtxType result = type;
    if (op == "mul24" || op == "mad24") {
      auto low = [&](Value *v) {
        return isSigned ? b.CreateAShr(b.CreateShl(v, 8), 8) : b.CreateAnd(v, b.i32(0xffffff));
      };
      x = low(x);
      y = low(y);
    }
    if (wide) {
      result.bits *= 2;
      Type *t = llvmType(result);
      product = b.CreateMul(isSigned ? b.CreateSExt(x, t) : b.CreateZExt(x, t),
                            isSigned ? b.CreateSExt(y, t) : b.CreateZExt(y, t));
    } else {
      product = high ? b.multiplyHigh(x, y, isSigned) : b.CreateMul(x, y);
    }
    if (op == "mad" || op == "mad24")
      product = b.CreateAdd(product, read(s.operands[3], result));
    write(s.operands[0], product, result);
    return true;
  }
  if (op == "dp4a" || op == "dp2a") {
    // Two types: of a and of b; the sum is signed when one of them is.
    const auto first = ptx::typeNamed(s.operation[s.operation.size() - 2]);
    Value *x = read(s.operands[1], unsignedType(32)), *y = read(s.operands[2], unsignedType(32));
    Value *sum = read(s.operands[3], unsignedType(32));
    const unsigned half = op == "dp2a" && has(s.operation, "hi") ? 2 : 0;
    for (unsigned i = 0; i < (op == "dp4a" ? 4u : 2u); ++i) {
      auto part = [&](Value *v, unsigned at, unsigned bits, bool sign) {
        Value *piece = b.CreateTrunc(b.CreateLShr(v, at), b.getIntNTy(bits));
        return sign ? b.CreateSExt(piece, b.getInt32Ty()) : b.CreateZExt(piece, b.getInt32Ty());
      };
      const unsigned bits = op == "dp4a" ? 8 : 16;
      sum = b.CreateAdd(sum, b.CreateMul(part(x, i * bits, bits, first && first->isSigned()),
                                         part(y, (i + half) * 8, 8, isSigned)));
    }
    write(s.operands[0], sum, unsignedType(32));
    return true;
  }
  Value *x = nullptr, *y = nullptr;
  if (is_contained({"add", "sub", "div", "rem", "min", "max", "and", "or", "xor", "sad"}, op)) {
    x = operand(1);
    y = operand(2);
  } else {
    return false;
  }
  Value *result = nullptr;
  if (op == "add" || op == "sub") {
    const bool saturating = has(s.operation, "sat");
    result = saturating
                 ? b.CreateBinaryIntrinsic(op == "add" ? Intrinsic::sadd_sat : Intrinsic::ssub_sat, x, y)
             : op == "add" ? b.CreateAdd(x, y)
                           : b.CreateSub(x, y);
  } else if (op == "div" || op == "rem") {
    // Division by zero has no trap on the device: all ones, or the dividend.
    Value *zero = ConstantInt::get(x->getType(), 0), *one = ConstantInt::get(x->getType(), 1);
    Value *byZero = b.CreateICmpEQ(y, zero);
    Value *bad = byZero;
    if (isSigned) // the smallest number divided by -1 would trap on the host
      bad = b.CreateOr(byZero,
                       b.CreateAnd(b.CreateICmpEQ(y, Constant::getAllOnesValue(y->getType())),
                                   b.CreateICmpEQ(x, ConstantInt::get(x->getType(),
                                                                      APInt::getSignedMinValue(type.bits)))));
    Value *divisor = b.CreateSelect(bad, one, y);
    Value *quotient = isSigned ? b.CreateSDiv(x, divisor) : b.CreateUDiv(x, divisor);
    Value *remainder = isSigned ? b.CreateSRem(x, divisor) : b.CreateURem(x, divisor);
    result = op == "div" ? b.CreateSelect(byZero, Constant::getAllOnesValue(x->getType()), quotient)
                         : b.CreateSelect(byZero, x, remainder);
  } else if (op == "min" || op == "max") {
    const Intrinsic::ID id = op == "min" ? (isSigned ? Intrinsic::smin : Intrinsic::umin)
                                         : (isSigned ? Intrinsic::smax : Intrinsic::umax);
    result = b.CreateBinaryIntrinsic(id, x, y);
    if (has(s.operation, "relu")) // negative results are 0
      result = b.CreateBinaryIntrinsic(Intrinsic::smax, result, Constant::getNullValue(x->getType()));
  } else if (op == "sad") {
    Value *less = isSigned ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
    result = b.CreateAdd(b.CreateSelect(less, b.CreateSub(y, x), b.CreateSub(x, y)), operand(3));
  } else {
    result = op == "and" ? b.CreateAnd(x, y) : op == "or" ? b.CreateOr(x, y) : b.CreateXor(x, y);
  }
  write(s.operands[0], result, type);
  return true;
}

bool PtxLowering::emitFloat(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const auto found = lastType(s);
  if (!found || !found->isFloat() || s.operands.size() < 2)
    return false;
  const PtxType type = *found;
  const unsigned rounding = roundingOf(s.operation, kRoundNearest);
  const unsigned count = static_cast<unsigned>(s.operands.size());
  Value *x = readFlushed(s, 1, type), *y = count > 2 ? readFlushed(s, 2, type) : nullptr;
  Value *z = count > 3 ? readFlushed(s, 3, type) : nullptr, *result = nullptr;
  if (op == "add" && y)
    result = b.arithmetic(FloatOperation::Add, rounding, x, y);
  else if (op == "sub" && y)
    result = b.arithmetic(FloatOperation::Subtract, rounding, x, y);
  else if (op == "mul" && y)
    result = b.arithmetic(FloatOperation::Multiply, rounding, x, y);
  else if ((op == "fma" || op == "mad") && z)
    result = b.arithmetic(FloatOperation::Fma, rounding, x, y, z);
  else if (op == "div" && y)
    result =
        b.arithmetic(FloatOperation::Divide, rounding, has(s.operation, "approx") ? b.dividend(x, y) : x, y);
  else if (op == "rcp" && !has(s.operation, "approx"))
    result = b.arithmetic(FloatOperation::Divide, rounding, ConstantFP::get(x->getType(), 1.0), x);
  else if (op == "sqrt")
    result = b.arithmetic(FloatOperation::SquareRoot, rounding, x);
  else if (op == "neg")
    result = b.CreateFNeg(x);
  else if (op == "abs")
    result = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  else if (op == "copysign" && y)
    result = b.CreateBinaryIntrinsic(Intrinsic::copysign, y, x);
  else if ((op == "min" || op == "max") && y) {
    const bool nan = has(s.operation, "NaN"), max = op == "max";
    result = b.CreateBinaryIntrinsic(nan ? (max ? Intrinsic::maximum : Intrinsic::minimum)
                                         : (max ? Intrinsic::maxnum : Intrinsic::minnum),
                                     x, y);
  } else
    result = b.approximate(op, x);
  if (!result)
    return false;
  if (has(s.operation, "sat"))
    result = b.saturate(result);
  if (has(s.operation, "relu"))
    result = b.CreateBinaryIntrinsic(Intrinsic::maxnum, result, ConstantFP::get(result->getType(), 0.0));
  write(s.operands[0], has(s.operation, "ftz") ? b.flushed(result) : result, type);
  return true;
}

} // namespace cupr::cpu
