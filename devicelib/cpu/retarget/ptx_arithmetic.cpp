/// PTX instructions on registers: moves, integers, bits, floating point,
/// comparisons and conversions (PTX ISA manual, chapter 9.7).
#include "ptx_lowering.h"

#include "devicelib/cpu/runtime/runtime_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

using Parts = std::vector<std::string>;

bool has(const Parts &parts, StringRef part) { return is_contained(parts, part); }

std::optional<PtxType> lastType(const ptx::Statement &s) { return ptxType(s.operation.back()); }

unsigned roundingOf(const Parts &parts, unsigned fallback) {
  for (const std::string &part : parts) {
    if (part == "rn" || part == "rni" || part == "rna")
      return kRoundNearest;
    if (part == "rz" || part == "rzi")
      return kRoundZero;
    if (part == "rm" || part == "rmi")
      return kRoundDown;
    if (part == "rp" || part == "rpi")
      return kRoundUp;
  }
  return fallback;
}

PtxType unsignedType(unsigned bits) { return {PtxType::Kind::Unsigned, bits, 1}; }

} // namespace

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
    const auto first = ptxType(s.operation[s.operation.size() - 2]);
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
  } else if (op == "sad") {
    Value *less = isSigned ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
    result = b.CreateAdd(b.CreateSelect(less, b.CreateSub(y, x), b.CreateSub(x, y)), operand(3));
  } else {
    result = op == "and" ? b.CreateAnd(x, y) : op == "or" ? b.CreateOr(x, y) : b.CreateXor(x, y);
  }
  write(s.operands[0], result, type);
  return true;
}

bool PtxLowering::emitBits(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const PtxType word = unsignedType(32);
  const auto found = lastType(s);
  const PtxType type = found ? *found : word;
  if (type.isFloat() || s.operands.size() < 2)
    return false;
  const unsigned bits = type.bits;
  auto width = [&](Value *v) { return b.CreateZExtOrTrunc(v, b.getIntNTy(bits)); };
  auto byte = [&](unsigned i) { return b.CreateAnd(read(s.operands[i], word), b.i32(0xff)); };
  if (op == "popc") {
    write(s.operands[0], b.CreateUnaryIntrinsic(Intrinsic::ctpop, read(s.operands[1], type)), word);
  } else if (op == "clz") {
    write(s.operands[0], b.CreateBinaryIntrinsic(Intrinsic::ctlz, read(s.operands[1], type), b.getFalse()),
          word);
  } else if (op == "brev") {
    write(s.operands[0], b.CreateUnaryIntrinsic(Intrinsic::bitreverse, read(s.operands[1], type)), type);
  } else if (op == "bfind") {
    Value *x = read(s.operands[1], type);
    if (type.isSigned())
      x = b.CreateSelect(b.CreateICmpSLT(x, ConstantInt::get(x->getType(), 0)), b.CreateNot(x), x);
    Value *zeros =
        b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse()), b.getInt32Ty());
    Value *position = has(s.operation, "shiftamt") ? zeros : b.CreateSub(b.i32(bits - 1), zeros);
    write(s.operands[0], b.CreateSelect(b.isTrue(x), position, b.i32(~0u)), word);
  } else if (op == "bfe") {
    Value *x = read(s.operands[1], type), *position = byte(2), *length = byte(3);
    // Wide enough that every position and length up to 255 is in range.
    Type *big = b.getIntNTy(512);
    Value *extended = type.isSigned() ? b.CreateSExt(x, big) : b.CreateZExt(x, big);
    Value *shifted = b.CreateLShr(extended, b.CreateZExt(position, big));
    Value *unused = b.CreateSub(ConstantInt::get(big, 512), b.CreateZExt(length, big));
    Value *none = b.CreateICmpEQ(length, b.i32(0));
    unused = b.CreateSelect(none, ConstantInt::get(big, 0), unused);
    Value *top = b.CreateShl(shifted, unused);
    Value *field = type.isSigned() ? b.CreateAShr(top, unused) : b.CreateLShr(top, unused);
    write(s.operands[0], width(b.CreateSelect(none, ConstantInt::get(big, 0), field)), type);
  } else if (op == "bfi") {
    Type *big = b.getIntNTy(512);
    Value *x = b.CreateZExt(read(s.operands[1], type), big),
          *into = b.CreateZExt(read(s.operands[2], type), big);
    Value *position = b.CreateZExt(byte(3), big), *length = b.CreateZExt(byte(4), big);
    Value *one = ConstantInt::get(big, 1);
    Value *mask = b.CreateShl(b.CreateSub(b.CreateShl(one, length), one), position);
    Value *result =
        b.CreateOr(b.CreateAnd(into, b.CreateNot(mask)), b.CreateAnd(b.CreateShl(x, position), mask));
    write(s.operands[0], width(result), type);
  } else if (op == "bmsk") {
    Type *big = b.getInt64Ty();
    Value *position = read(s.operands[1], word), *length = read(s.operands[2], word);
    if (has(s.operation, "wrap")) {
      position = b.CreateAnd(position, b.i32(31));
      length = b.CreateAnd(length, b.i32(31));
    } else {
      position = b.CreateBinaryIntrinsic(Intrinsic::umin, position, b.i32(32));
      length = b.CreateBinaryIntrinsic(Intrinsic::umin, length, b.i32(32));
    }
    Value *one = ConstantInt::get(big, 1);
    Value *mask = b.CreateSub(b.CreateShl(one, b.CreateZExt(length, big)), one);
    write(s.operands[0], b.CreateTrunc(b.CreateShl(mask, b.CreateZExt(position, big)), b.getInt32Ty()), word);
  } else if (op == "szext") {
    Value *x = read(s.operands[1], word), *n = read(s.operands[2], word);
    n = has(s.operation, "wrap") ? b.CreateAnd(n, b.i32(31))
                                 : b.CreateBinaryIntrinsic(Intrinsic::umin, n, b.i32(32));
    Value *none = b.CreateICmpEQ(n, b.i32(0));
    Value *unused = b.CreateSelect(none, b.i32(0), b.CreateSub(b.i32(32), n));
    Value *top = b.CreateShl(x, unused);
    Value *field = type.isSigned() ? b.CreateAShr(top, unused) : b.CreateLShr(top, unused);
    write(s.operands[0], b.CreateSelect(none, b.i32(0), field), word);
  } else if (op == "fns") {
    write(s.operands[0],
          b.call(Call::FindNthSet,
                 {read(s.operands[1], word), read(s.operands[2], word), read(s.operands[3], word)}),
          word);
  } else if (op == "prmt") {
    unsigned mode = kPermuteIndex;
    for (const std::string &part : s.operation)
      mode = StringSwitch<unsigned>(part)
                 .Case("f4e", kPermuteF4e)
                 .Case("b4e", kPermuteB4e)
                 .Case("rc8", kPermuteRc8)
                 .Case("ecl", kPermuteEcl)
                 .Case("ecr", kPermuteEcr)
                 .Case("rc16", kPermuteRc16)
                 .Default(mode);
    write(s.operands[0],
          b.call(Call::Permute, {b.i32(mode), read(s.operands[1], word), read(s.operands[2], word),
                                 read(s.operands[3], word)}),
          word);
  } else if (op == "shf") {
    Value *low = read(s.operands[1], word), *high = read(s.operands[2], word),
          *amount = read(s.operands[3], word);
    amount = has(s.operation, "wrap") ? b.CreateAnd(amount, b.i32(31))
                                      : b.CreateBinaryIntrinsic(Intrinsic::umin, amount, b.i32(32));
    Type *big = b.getInt64Ty();
    Value *both = b.CreateOr(b.CreateShl(b.CreateZExt(high, big), 32), b.CreateZExt(low, big));
    Value *result = has(s.operation, "l") ? b.CreateLShr(b.CreateShl(both, b.CreateZExt(amount, big)), 32)
                                          : b.CreateLShr(both, b.CreateZExt(amount, big));
    write(s.operands[0], b.CreateTrunc(result, b.getInt32Ty()), word);
  } else if (op == "lop3") {
    if (s.operands.size() != 5 || s.operation.back() != "b32")
      return false;
    Value *v[3] = {read(s.operands[1], word), read(s.operands[2], word), read(s.operands[3], word)};
    Value *table = read(s.operands[4], word);
    Value *result = b.i32(0);
    for (unsigned row = 0; row < 8; ++row) {
      Value *term = b.CreateNeg(b.CreateAnd(b.CreateLShr(table, row), b.i32(1)));
      for (unsigned i = 0; i < 3; ++i)
        term = b.CreateAnd(term, row >> (2 - i) & 1 ? v[i] : b.CreateNot(v[i]));
      result = b.CreateOr(result, term);
    }
    write(s.operands[0], result, word);
  } else {
    return false;
  }
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
  if (op == "setp" || op == "set" || op == "cvt" || op == "selp" || op == "ld" || op == "st" ||
      op == "atom" || op == "red" || op == "testp" || op == "slct" || op == "redux" || op == "mov")
    return false;
  Value *x = read(s.operands[1], type), *y = count > 2 ? read(s.operands[2], type) : nullptr;
  Value *z = count > 3 ? read(s.operands[3], type) : nullptr, *result = nullptr;
  if (op == "add" && y)
    result = b.arithmetic(FloatOperation::Add, rounding, x, y);
  else if (op == "sub" && y)
    result = b.arithmetic(FloatOperation::Subtract, rounding, x, y);
  else if (op == "mul" && y)
    result = b.arithmetic(FloatOperation::Multiply, rounding, x, y);
  else if ((op == "fma" || op == "mad") && z)
    result = b.arithmetic(FloatOperation::Fma, rounding, x, y, z);
  else if (op == "div" && y)
    result = b.arithmetic(FloatOperation::Divide, rounding, x, y);
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
  write(s.operands[0], result, type);
  return true;
}

Value *PtxLowering::compare(StringRef comparison, PtxType type, Value *x, Value *y) {
  if (type.isFloat()) {
    const CmpInst::Predicate p = StringSwitch<CmpInst::Predicate>(comparison)
                                     .Case("eq", CmpInst::FCMP_OEQ)
                                     .Case("ne", CmpInst::FCMP_ONE)
                                     .Case("lt", CmpInst::FCMP_OLT)
                                     .Case("le", CmpInst::FCMP_OLE)
                                     .Case("gt", CmpInst::FCMP_OGT)
                                     .Case("ge", CmpInst::FCMP_OGE)
                                     .Case("equ", CmpInst::FCMP_UEQ)
                                     .Case("neu", CmpInst::FCMP_UNE)
                                     .Case("ltu", CmpInst::FCMP_ULT)
                                     .Case("leu", CmpInst::FCMP_ULE)
                                     .Case("gtu", CmpInst::FCMP_UGT)
                                     .Case("geu", CmpInst::FCMP_UGE)
                                     .Case("num", CmpInst::FCMP_ORD)
                                     .Case("nan", CmpInst::FCMP_UNO)
                                     .Default(CmpInst::BAD_FCMP_PREDICATE);
    return p == CmpInst::BAD_FCMP_PREDICATE ? nullptr : b.CreateFCmp(p, x, y);
  }
  const bool s = type.isSigned();
  const CmpInst::Predicate p = StringSwitch<CmpInst::Predicate>(comparison)
                                   .Case("eq", CmpInst::ICMP_EQ)
                                   .Case("ne", CmpInst::ICMP_NE)
                                   .Case("lt", s ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                                   .Case("le", s ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                                   .Case("gt", s ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
                                   .Case("ge", s ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
                                   .Case("lo", CmpInst::ICMP_ULT)
                                   .Case("ls", CmpInst::ICMP_ULE)
                                   .Case("hi", CmpInst::ICMP_UGT)
                                   .Case("hs", CmpInst::ICMP_UGE)
                                   .Default(CmpInst::BAD_ICMP_PREDICATE);
  return p == CmpInst::BAD_ICMP_PREDICATE ? nullptr : b.CreateICmp(p, x, y);
}

bool PtxLowering::emitCompare(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const auto found = lastType(s);
  if (!found)
    return false;
  const PtxType type = *found;
  const PtxType predicate{PtxType::Kind::Predicate, 1, 1};
  if ((op == "setp" || op == "set") && s.operation.size() >= 3) {
    Value *x = read(s.operands[1], type), *y = read(s.operands[2], type);
    Value *result = compare(s.operation[1], type, x, y);
    if (!result)
      return false;
    Value *other = nullptr;
    if (s.operands.size() > 3) {
      Value *p = readPredicate(s.operands[3]);
      auto combine = [&](Value *v) -> Value * {
        return has(s.operation, "or")    ? b.CreateOr(v, p)
               : has(s.operation, "xor") ? b.CreateXor(v, p)
                                         : b.CreateAnd(v, p);
      };
      other = combine(b.CreateNot(result));
      result = combine(result);
    } else {
      other = type.lanes == 1 ? b.CreateNot(result) : nullptr;
    }
    if (op == "setp") {
      if (type.lanes == 2) {
        writeTo(s.operands[0].name, b.CreateExtractElement(result, b.getInt64(0)), false);
        if (!s.operands[0].second.empty())
          writeTo(s.operands[0].second, b.CreateExtractElement(result, b.getInt64(1)), false);
        return true;
      }
      write(s.operands[0], result, predicate);
      if (!s.operands[0].second.empty())
        writeTo(s.operands[0].second, other, false);
      return true;
    }
    // set: all ones for integers, 1.0 for floating point.
    const auto to = ptxType(s.operation[s.operation.size() - 2]);
    if (!to)
      return false;
    if (to->isFloat())
      write(s.operands[0], b.CreateUIToFP(result, llvmType(*to)), *to);
    else if (type.lanes == 2)
      write(s.operands[0], b.CreateSExt(result, FixedVectorType::get(b.getIntNTy(to->totalBits() / 2), 2)),
            *to);
    else
      write(s.operands[0], b.CreateSExt(result, llvmType(*to)), *to);
    return true;
  }
  if (op == "selp" && s.operands.size() == 4) {
    Value *x = read(s.operands[1], type), *y = read(s.operands[2], type);
    write(s.operands[0], b.CreateSelect(readPredicate(s.operands[3]), x, y), type);
    return true;
  }
  if (op == "slct" && s.operands.size() == 4) {
    const auto value = ptxType(s.operation[s.operation.size() - 2]);
    if (!value)
      return false;
    Value *c = read(s.operands[3], type);
    Value *positive = type.isFloat() ? b.CreateFCmpOGE(c, ConstantFP::get(c->getType(), 0.0))
                                     : b.CreateICmpSGE(c, ConstantInt::get(c->getType(), 0));
    write(s.operands[0], b.CreateSelect(positive, read(s.operands[1], *value), read(s.operands[2], *value)),
          *value);
    return true;
  }
  if (op == "testp" && s.operation.size() == 3) {
    const unsigned test = StringSwitch<unsigned>(s.operation[1])
                              .Case("finite", fcFinite)
                              .Case("infinite", fcInf)
                              .Case("number", fcAllFlags & ~fcNan)
                              .Case("notanumber", fcNan)
                              .Case("normal", fcNormal)
                              .Case("subnormal", fcSubnormal)
                              .Default(0);
    if (!test)
      return false;
    write(s.operands[0], b.createIsFPClass(read(s.operands[1], type), test), predicate);
    return true;
  }
  return false;
}

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
  const auto to = ptxType(s.operation[s.operation.size() - 2]), from = ptxType(s.operation.back());
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
    result = read(s.operands[1], *from);
    // The integral roundings are named rni, rzi, rmi, rpi.
    const bool integral = has(s.operation, "rni") || has(s.operation, "rzi") || has(s.operation, "rmi") ||
                          has(s.operation, "rpi");
    if (integral)
      result = b.toIntegral(result, rounding);
    result = b.toFloat(result, llvmType(*to), rounding);
    if (saturates)
      result = b.saturate(result);
  } else if (from->isFloat()) {
    result = b.toInteger(read(s.operands[1], *from), llvmType(*to), to->isSigned(),
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
