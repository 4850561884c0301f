/// Lowers the llvm.nvvm intrinsics. An intrinsic is recognised by the parts of its
/// name; its types say the rest. What is not recognised is a warning here and an
/// error when a lane gets there.
#include "lowering.h"

#include "operation_parts.h"

#include "devicelib/cpu/runtime/runtime_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

using Parts = ArrayRef<StringRef>;

class IntrinsicLowering {
public:
  IntrinsicLowering(DeviceBuilder &b, CallInst &call, Parts parts) : b(b), call_(call), parts_(parts) {}

  /// False: not recognised. `result` stays null for intrinsics without a value.
  bool lower(Value *&result) {
    const StringRef name = parts_[0];
    if (!lowerSynchronisation(name, result) && !lowerConversion(name, result) && !lowerFloat(name, result) &&
        !lowerInteger(name, result) && !lowerMemory(name, result) && !lowerMatrix(b, call_, parts_, result))
      return false;
    if (result && flushes())
      result = b.flushed(result);
    return true;
  }

private:
  bool flushes() const { return has(parts_, "ftz"); }
  Value *arg(unsigned i) {
    Value *const value = call_.getArgOperand(i);
    return flushes() ? b.flushed(value) : value;
  }
  Type *type() { return call_.getType(); }
  Value *pair(Value *first, Value *second) {
    Value *result = PoisonValue::get(type());
    result = b.CreateInsertValue(result, first, 0);
    return b.CreateInsertValue(result, second, 1);
  }

  bool lowerSynchronisation(StringRef name, Value *&result) {
    if (name == "read" && parts_.size() > 3 && parts_[1] == "ptx" && parts_[2] == "sreg") {
      result = b.specialRegister(
          call_.getCalledFunction()->getName().substr(StringRef("llvm.nvvm.read.ptx.sreg.").size()));
      if (result && result->getType() != type())
        result = b.CreateZExtOrTrunc(result, type());
      return result;
    }
    if (name == "is_explicit_cluster") {
      result = b.isTrue(b.specialRegister(name));
      return true;
    }
    if (name == "barrier" && parts_.size() > 2 && parts_[1] == "cluster") {
      b.call(parts_[2] == "wait" ? Call::ClusterWait : Call::ClusterArrive);
      return true;
    }
    if (name == "barrier" && parts_.size() > 3 && parts_[1] == "cta") {
      const bool counted = has(parts_, "count");
      if (parts_[2] == "sync") {
        b.call(Call::Barrier, {arg(0), counted ? arg(1) : b.i32(0),
                               b.i32(has(parts_, "aligned") ? kBarrierAligned : kBarrierUnaligned)});
        return true;
      }
      if (parts_[2] == "arrive") {
        b.call(Call::BarrierArrive, {arg(0), arg(1)});
        return true;
      }
      if (parts_[2] == "red") {
        const unsigned kind = parts_[3] == "popc"  ? kBarrierPopc
                              : parts_[3] == "and" ? kBarrierAnd
                                                   : kBarrierOr;
        result = b.call(Call::BarrierReduce, {b.i32(kind), arg(0), counted ? arg(1) : b.i32(0),
                                              b.predicate(arg(counted ? 2 : 1))});
        if (type()->isIntegerTy(1))
          result = b.isTrue(result);
        return true;
      }
      return false;
    }
    if (name == "bar" && has(parts_, "warp")) {
      b.call(Call::SyncWarp, {arg(0)});
      return true;
    }
    if (name == "shfl" && has(parts_, "sync")) {
      const unsigned mode = StringSwitch<unsigned>(parts_[2])
                                .Case("up", kShuffleUp)
                                .Case("down", kShuffleDown)
                                .Case("bfly", kShuffleButterfly)
                                .Default(kShuffleIndex);
      Value *both = b.call(Call::ShuffleSync, {b.i32(mode), arg(0), b.asInteger(arg(1)), arg(2), arg(3)});
      Value *value = b.CreateBitCast(b.CreateTrunc(both, b.getInt32Ty()), arg(1)->getType());
      result =
          type()->isStructTy() ? pair(value, b.CreateTrunc(b.CreateLShr(both, 32), b.getInt1Ty())) : value;
      return true;
    }
    if (name == "vote") {
      const unsigned kind = StringSwitch<unsigned>(parts_[1])
                                .Case("all", kVoteAll)
                                .Case("any", kVoteAny)
                                .Case("uni", kVoteUni)
                                .Default(kVoteBallot);
      result = b.call(Call::VoteSync, {b.i32(kind), arg(0), b.predicate(arg(1))});
      if (type()->isIntegerTy(1))
        result = b.isTrue(result);
      return true;
    }
    if (name == "match") {
      Value *value = b.CreateZExt(arg(1), b.getInt64Ty());
      if (parts_[1] == "any") {
        result = b.call(Call::MatchAny, {arg(0), value});
        return true;
      }
      result = b.call(Call::MatchAll, {arg(0), value});
      if (type()->isStructTy())
        result = pair(result, b.isTrue(result));
      return true;
    }
    if (name == "redux" && parts_.size() > 2) {
      const unsigned kind = StringSwitch<unsigned>(parts_[2])
                                .Case("add", kReduceAdd)
                                .Case("min", kReduceMin)
                                .Case("max", kReduceMax)
                                .Case("umin", kReduceUmin)
                                .Case("umax", kReduceUmax)
                                .Case("and", kReduceAnd)
                                .Case("or", kReduceOr)
                                .Case("xor", kReduceXor)
                                .Default(~0u);
      if (kind == ~0u)
        return false;
      result = b.call(Call::ReduceSync, {b.i32(kind), arg(1), arg(0)});
      return true;
    }
    if (name == "activemask") {
      result = b.call(Call::ActiveMask);
      return true;
    }
    if (name == "elect") {
      Value *leader = b.call(Call::ElectSync, {arg(0)});
      result = pair(leader, b.CreateICmpEQ(leader, b.specialRegister("laneid")));
      return true;
    }
    if (name == "membar" || name == "fence") {
      b.fenceFor(has(parts_, "cta"));
      return true;
    }
    if (name == "nanosleep") {
      b.call(Call::Spin);
      return true;
    }
    if (name == "exit") {
      b.call(Call::Exit);
      return true;
    }
    return name == "griddepcontrol" || name == "prefetch" || name == "prefetchu" || name == "setmaxnreg" ||
           name == "applypriority" || name == "discard";
  }

  bool lowerConversion(StringRef name, Value *&result) {
    if (name == "bitcast" || (name == "lohi" && has(parts_, "i2d")) ||
        (name == "d2i" && (has(parts_, "lo") || has(parts_, "hi")))) {
      if (name == "bitcast") {
        result = b.CreateBitCast(arg(0), type());
      } else if (name == "lohi") {
        Value *high = b.CreateShl(b.CreateZExt(arg(1), b.getInt64Ty()), 32);
        result = b.CreateBitCast(b.CreateOr(high, b.CreateZExt(arg(0), b.getInt64Ty())), type());
      } else {
        Value *bits = b.CreateBitCast(arg(0), b.getInt64Ty());
        result = b.CreateTrunc(has(parts_, "hi") ? b.CreateLShr(bits, 32) : bits, type());
      }
      return true;
    }
    auto [from, to] = name.split('2');
    if (to.empty())
      return false;
    const bool fromFloat = from == "f" || from == "d", toFloat = to == "f" || to == "d";
    auto integer = [](StringRef s) { return s == "i" || s == "ui" || s == "ll" || s == "ull"; };
    if (fromFloat && integer(to))
      result = b.toInteger(arg(0), type(), !to.starts_with("u"), roundingOf(parts_, kRoundZero));
    else if (integer(from) && toFloat)
      result = b.fromInteger(arg(0), type(), !from.starts_with("u"));
    else if (fromFloat && toFloat)
      result = b.toFloat(arg(0), type(), roundingOf(parts_, kRoundNearest));
    else if (from == "f" && to == "h")
      result = b.asInteger(b.toFloat(arg(0), b.getHalfTy(), kRoundNearest));
    else if (from == "h" && to == "f")
      result = b.CreateFPExt(b.CreateBitCast(arg(0), b.getHalfTy()), type());
    else if (from == "f" && to == "bf16")
      result = b.toFloat(arg(0), type(), roundingOf(parts_, kRoundNearest));
    else if (from == "ff" && (to == "f16x2" || to == "bf16x2")) {
      Type *element = cast<VectorType>(type())->getElementType();
      const unsigned rounding = roundingOf(parts_, kRoundNearest);
      Value *low = b.toFloat(arg(1), element, rounding), *high = b.toFloat(arg(0), element, rounding);
      result = b.CreateInsertElement(PoisonValue::get(type()), low, b.getInt64(0));
      result = b.CreateInsertElement(result, high, b.getInt64(1));
    }
    return result;
  }

  bool lowerFloat(StringRef name, Value *&result) {
    if (!type()->isFPOrFPVectorTy())
      return false;
    const unsigned rounding = roundingOf(parts_, kRoundNearest);
    if (name == "add")
      result = b.arithmetic(FloatOperation::Add, rounding, arg(0), arg(1));
    else if (name == "sub")
      result = b.arithmetic(FloatOperation::Subtract, rounding, arg(0), arg(1));
    else if (name == "mul")
      result = b.arithmetic(FloatOperation::Multiply, rounding, arg(0), arg(1));
    else if (name == "fma")
      result = b.arithmetic(FloatOperation::Fma, rounding, arg(0), arg(1), arg(2));
    else if (name == "div")
      result = b.arithmetic(FloatOperation::Divide, rounding,
                            has(parts_, "approx") ? b.dividend(arg(0), arg(1)) : arg(0), arg(1));
    else if (name == "rcp" && !has(parts_, "approx"))
      result = b.arithmetic(FloatOperation::Divide, rounding, ConstantFP::get(type(), 1.0), arg(0));
    else if (name == "sqrt")
      result = b.arithmetic(FloatOperation::SquareRoot, rounding, arg(0));
    else if (name == "fabs")
      result = b.CreateUnaryIntrinsic(Intrinsic::fabs, arg(0));
    else if (name == "neg")
      result = b.CreateFNeg(arg(0));
    else if (name == "floor" || name == "ceil" || name == "trunc" || name == "round")
      result = b.toIntegral(arg(0), name == "floor"   ? kRoundDown
                                    : name == "ceil"  ? kRoundUp
                                    : name == "trunc" ? kRoundZero
                                                      : kRoundNearest);
    else if (name == "saturate")
      result = b.saturate(arg(0));
    else if (name == "fmin" || name == "fmax") {
      const bool nan = has(parts_, "nan"), max = name == "fmax";
      const Intrinsic::ID id = nan ? (max ? Intrinsic::maximum : Intrinsic::minimum)
                                   : (max ? Intrinsic::maxnum : Intrinsic::minnum);
      Value *x = arg(0), *y = arg(1);
      if (has(parts_, "abs")) { // xorsign.abs: the magnitudes compete, the signs combine
        Value *sign = b.CreateXor(b.asInteger(x), b.asInteger(y));
        result = b.CreateBinaryIntrinsic(id, b.CreateUnaryIntrinsic(Intrinsic::fabs, x),
                                         b.CreateUnaryIntrinsic(Intrinsic::fabs, y));
        if (type()->isVectorTy())
          return result = nullptr;
        result = b.CreateBinaryIntrinsic(Intrinsic::copysign, result, b.CreateBitCast(sign, type()));
      } else {
        result = b.CreateBinaryIntrinsic(id, x, y);
      }
    } else {
      result = b.approximate(name, arg(0));
    }
    if (result && has(parts_, "sat"))
      result = b.saturate(result);
    if (result && has(parts_, "relu"))
      result = b.CreateBinaryIntrinsic(Intrinsic::maxnum, result, ConstantFP::get(type(), 0.0));
    return result;
  }

  bool lowerInteger(StringRef name, Value *&result) {
    if (name == "mulhi") {
      result = b.multiplyHigh(arg(0), arg(1), !parts_[1].starts_with("u"));
      return true;
    }
    if (name == "mul24") {
      const bool isSigned = parts_[1] == "i";
      auto low = [&](Value *v) {
        Value *top = b.CreateShl(v, 8);
        return isSigned ? b.CreateAShr(top, 8) : b.CreateLShr(top, 8);
      };
      result = b.CreateMul(low(arg(0)), low(arg(1)));
      return true;
    }
    if (name == "sad") {
      const bool isSigned = !parts_[1].starts_with("u");
      Value *less = isSigned ? b.CreateICmpSLT(arg(0), arg(1)) : b.CreateICmpULT(arg(0), arg(1));
      Value *difference = b.CreateSelect(less, b.CreateSub(arg(1), arg(0)), b.CreateSub(arg(0), arg(1)));
      result = b.CreateAdd(difference, arg(2));
      return true;
    }
    if (name == "abs") {
      result = b.CreateBinaryIntrinsic(Intrinsic::abs, arg(0), b.getFalse());
      return true;
    }
    if (name == "prmt") {
      const bool three = call_.arg_size() == 3;
      result = b.call(Call::Permute,
                      {b.i32(permuteModeOf(parts_)), arg(0), three ? arg(1) : b.i32(0), arg(three ? 2 : 1)});
      return true;
    }
    if (name == "fns") {
      result = b.call(Call::FindNthSet, {arg(0), arg(1), arg(2)});
      return true;
    }
    return false;
  }

  bool lowerMemory(StringRef name, Value *&result) {
    if (name == "isspacep") {
      const std::uint32_t space =
          askedSpace(has(parts_, "cluster") ? StringRef("shared::cluster") : parts_[1]);
      result = b.isTrue(b.call(Call::IsSpace, {b.i32(space), arg(0)}));
      return true;
    }
    if (name == "atomic") {
      const AtomicOrdering relaxed = AtomicOrdering::Monotonic;
      const StringRef operation = parts_[1];
      if (operation == "cas") {
        Value *pairResult = b.CreateAtomicCmpXchg(arg(0), arg(1), arg(2), MaybeAlign(), relaxed, relaxed);
        result = b.CreateExtractValue(pairResult, 0);
        return true;
      }
      const bool isFloat = type()->isFloatingPointTy();
      const AtomicRMWInst::BinOp op = StringSwitch<AtomicRMWInst::BinOp>(operation)
                                          .Case("add", isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                                          .Case("exch", AtomicRMWInst::Xchg)
                                          .Case("max", AtomicRMWInst::Max)
                                          .Case("min", AtomicRMWInst::Min)
                                          .Case("inc", AtomicRMWInst::UIncWrap)
                                          .Case("dec", AtomicRMWInst::UDecWrap)
                                          .Case("and", AtomicRMWInst::And)
                                          .Case("or", AtomicRMWInst::Or)
                                          .Case("xor", AtomicRMWInst::Xor)
                                          .Default(AtomicRMWInst::BAD_BINOP);
      if (op == AtomicRMWInst::BAD_BINOP)
        return false;
      result = b.CreateAtomicRMW(op, arg(0), arg(1), MaybeAlign(), relaxed);
      return true;
    }
    if (name == "ldu" || name == "ldg") {
      result = b.CreateLoad(type(), arg(0));
      return true;
    }
    if (name == "cp" && parts_.size() > 2 && parts_[1] == "async") {
      if (parts_[2] == "ca" || parts_[2] == "cg") {
        unsigned bytes = 16;
        for (StringRef part : parts_)
          (void)part.getAsInteger(10, bytes);
        Value *size = call_.arg_size() > 2 ? b.CreateZExt(arg(2), b.getInt64Ty()) : b.getInt64(bytes);
        if (call_.arg_size() > 2)
          b.CreateMemSet(arg(0), b.getInt8(0), bytes, MaybeAlign());
        b.CreateMemCpy(arg(0), MaybeAlign(), arg(1), MaybeAlign(), size);
        return true;
      }
      if (parts_[2] == "mbarrier") {
        if (has(parts_, "noinc"))
          b.call(Call::MbarrierArrive, {arg(0), b.i32(1), b.i32(0), b.i32(0)});
        return true;
      }
      return parts_[2] == "commit" || parts_[2] == "wait"; // the copies are done
    }
    if (name == "mbarrier") {
      if (parts_[1] == "init")
        b.call(Call::MbarrierInit, {arg(0), arg(1)});
      else if (parts_[1] == "arrive")
        result = b.call(Call::MbarrierArrive, {arg(0), call_.arg_size() > 1 ? arg(1) : b.i32(1), b.i32(0),
                                               b.i32(has(parts_, "drop"))});
      else if (parts_[1] == "test")
        result = b.isTrue(b.call(Call::MbarrierTest, {arg(0), arg(1)}));
      else if (parts_[1] == "pending")
        result = b.call(Call::MbarrierPending, {arg(0)});
      else
        return parts_[1] == "inval";
      return true;
    }
    if (name == "ptr" && type()->isPointerTy()) {
      result = b.CreateAddrSpaceCast(arg(0), type());
      return true;
    }
    const auto generic = [&](Value *pointer) { return b.CreateAddrSpaceCast(pointer, b.getPtrTy()); };
    if (name == "mapa") {
      result = b.CreateAddrSpaceCast(b.call(Call::MapShared, {generic(arg(0)), arg(1)}), type());
      return true;
    }
    if (name == "getctarank") {
      result = b.call(Call::SharedRank, {generic(arg(0))});
      return true;
    }
    return false;
  }

  DeviceBuilder &b;
  CallInst &call_;
  Parts parts_;
};

} // namespace

void lowerIntrinsics(Module &module, DeviceBuilder &builder) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("llvm.nvvm."))
      continue;
    SmallVector<StringRef> parts;
    function.getName().substr(StringRef("llvm.nvvm.").size()).split(parts, '.');
    bool warned = false;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      builder.SetInsertPoint(call);
      Value *result = nullptr;
      if (!IntrinsicLowering(builder, *call, parts).lower(result)) {
        if (!warned)
          warn(call,
               "the CPU device does not know " + function.getName() + "; a kernel that gets there fails");
        warned = true;
        builder.unsupported(function.getName());
        result = nullptr;
      }
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(result ? result : PoisonValue::get(call->getType()));
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace cupr::cpu
