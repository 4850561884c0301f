/// PTX instructions on the bits of words: counts, fields, shuffles of bytes, shifts of pairs (PTX ISA manual,
/// chapters 9.7.1 and 9.7.8).
#include "ptx_lowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cupr::cpu {

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
    write(s.operands[0],
          b.call(Call::Permute, {b.i32(permuteModeOf(s.operation)), read(s.operands[1], word),
                                 read(s.operands[2], word), read(s.operands[3], word)}),
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
    // With .or and .and the predicate behind the result says, together with another one, whether anything is left.
    const bool hasPredicate = has(s.operation, "or") || has(s.operation, "and");
    if (s.operands.size() != (hasPredicate ? 6u : 5u) || s.operation.back() != "b32")
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
    if (hasPredicate) {
      Value *some = b.isTrue(result), *other = readPredicate(s.operands[5]);
      writeTo(s.operands[0].second,
              has(s.operation, "or") ? b.CreateOr(some, other) : b.CreateAnd(some, other), false);
    }
    if (s.operands[0].name != "_")
      write(s.operands[0], result, word);
  } else {
    return false;
  }
  return true;
}

} // namespace cupr::cpu
