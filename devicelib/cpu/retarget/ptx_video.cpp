/// SIMD video instructions: two halves or four bytes of a word at once (`vadd2.s32.s32.s32.sat`).
///
/// The elements are widened, so that no step overflows, and narrowed in the end: to what
/// the type holds, with `.sat`, or to the lower bits. `.add` sums them, and the third
/// operand, instead. Masks and selections of elements are not known: compilers have no
/// name for them.
#include "ptx_lowering.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

struct Video {
  StringRef operation; ///< "add" of "vadd2"
  unsigned count;      ///< elements: 2 or 4
};

std::optional<Video> videoNamed(StringRef name) {
  if (!name.consume_front("v") || name.empty())
    return std::nullopt;
  const unsigned count = name.back() == '2' ? 2 : name.back() == '4' ? 4 : 0;
  name = name.drop_back();
  if (!count || !is_contained({"add", "sub", "avrg", "absdiff", "min", "max", "set"}, name))
    return std::nullopt;
  return Video{name, count};
}

/// Half of the sum, rounded away from zero.
Value *average(DeviceBuilder &b, Value *sum) {
  Value *one = ConstantInt::get(sum->getType(), 1), *zero = ConstantInt::get(sum->getType(), 0);
  Value *up = b.CreateSelect(b.CreateICmpSGE(sum, zero), one, zero);
  return b.CreateAShr(b.CreateAdd(sum, up), one);
}

Value *computed(DeviceBuilder &b, StringRef operation, Value *x, Value *y) {
  if (operation == "add")
    return b.CreateAdd(x, y);
  if (operation == "sub")
    return b.CreateSub(x, y);
  if (operation == "avrg")
    return average(b, b.CreateAdd(x, y));
  if (operation == "absdiff")
    return b.CreateBinaryIntrinsic(Intrinsic::abs, b.CreateSub(x, y), b.getFalse());
  return b.CreateBinaryIntrinsic(operation == "min" ? Intrinsic::smin : Intrinsic::smax, x, y);
}

/// All widened elements are signed, whatever they were.
std::optional<CmpInst::Predicate> comparisonNamed(StringRef name) {
  if (name == "eq")
    return CmpInst::ICMP_EQ;
  if (name == "ne")
    return CmpInst::ICMP_NE;
  if (name == "lt")
    return CmpInst::ICMP_SLT;
  if (name == "le")
    return CmpInst::ICMP_SLE;
  if (name == "gt")
    return CmpInst::ICMP_SGT;
  if (name == "ge")
    return CmpInst::ICMP_SGE;
  return std::nullopt;
}

} // namespace

bool PtxLowering::emitVideo(const ptx::Statement &s) {
  const auto video = videoNamed(s.operation[0]);
  if (!video || s.operands.size() != 4)
    return false;
  const bool set = video->operation == "set";
  const unsigned types = set ? 2 : 3;
  if (s.operation.size() < types + (set ? 2u : 1u))
    return false;
  for (unsigned i = 1; i <= types; ++i)
    if (s.operation[i] != "s32" && s.operation[i] != "u32")
      return false;
  const PtxType word = unsignedType(32);
  const unsigned bits = 32 / video->count;
  auto *narrow = FixedVectorType::get(b.getIntNTy(bits), video->count);
  auto *wide = FixedVectorType::get(b.getInt32Ty(), video->count);
  const auto widened = [&](unsigned operand) {
    Value *elements = b.CreateBitCast(read(s.operands[operand], word), narrow);
    return s.operation[types - 2 + operand] == "s32" ? b.CreateSExt(elements, wide)
                                                     : b.CreateZExt(elements, wide);
  };
  Value *x = widened(1), *y = widened(2), *result = nullptr;
  if (set) {
    const auto comparison = comparisonNamed(s.operation[3]);
    if (!comparison)
      return false;
    result = b.CreateZExt(b.CreateICmp(*comparison, x, y), wide);
  } else {
    result = computed(b, video->operation, x, y);
  }
  if (has(s.operation, "sat")) {
    const bool isSigned = s.operation[1] == "s32";
    const std::int64_t high = (std::int64_t{1} << (isSigned ? bits - 1 : bits)) - 1,
                       low = isSigned ? -high - 1 : 0;
    result = b.CreateBinaryIntrinsic(Intrinsic::smin, result, ConstantInt::getSigned(wide, high));
    result = b.CreateBinaryIntrinsic(Intrinsic::smax, result, ConstantInt::getSigned(wide, low));
  }
  if (s.operation.back() == "add")
    result = b.CreateAdd(b.CreateAddReduce(result), read(s.operands[3], word));
  else
    result = b.CreateBitCast(b.CreateTrunc(result, narrow), b.getInt32Ty());
  write(s.operands[0], result, word);
  return true;
}

} // namespace cupr::cpu
