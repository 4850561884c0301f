/// PTX comparisons and what chooses by them (PTX ISA manual, chapter 9.7.6).
#include "ptx_lowering.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cupr::cpu {

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
    Value *x = readFlushed(s, 1, type), *y = readFlushed(s, 2, type);
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
    const auto to = ptx::typeNamed(s.operation[s.operation.size() - 2]);
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
    const auto value = ptx::typeNamed(s.operation[s.operation.size() - 2]);
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

} // namespace cupr::cpu
