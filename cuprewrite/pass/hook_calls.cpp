#include "hook_calls.h"

#include "devicelib/abi/hooks.h"
#include "devicelib/abi/tensor_map.h"
#include "devicelib/abi/value_record.h"
#include "first_thread.h"
#include "pointer_space.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::Hook;
using abi::MemorySpace;

/// Computes what an access's description says, at one place.
class Computation {
public:
  Computation(Instruction &before, function_ref<Value *(Value *)> mapped) : b_(&before), mapped_(mapped) {}

  IRBuilder<> &builder() { return b_; }

  Value *term(const Term &term, Type *type) {
    Value *value = term.value ? mapped_(term.value) : nullptr;
    if (value && value->getType()->isPointerTy())
      value = b_.CreatePtrToInt(value, b_.getInt64Ty());
    value = value ? b_.CreateZExtOrTrunc(value, type) : ConstantInt::get(type, 0);
    return term.offset ? b_.CreateAdd(value, ConstantInt::getSigned(type, term.offset)) : value;
  }

  /// Null: always.
  Value *condition(const Access &access) {
    Value *all = nullptr;
    const auto require = [&](Value *one) { all = all ? b_.CreateAnd(all, one) : one; };
    for (const Condition &condition : access.conditions) {
      Type *type = b_.getIntNTy(condition.bits);
      require(b_.CreateICmp(condition.comparison, term(condition.left, type), term(condition.right, type)));
    }
    if (access.lanes < 32)
      require(b_.CreateICmpULT(lane(), b_.getInt32(access.lanes)));
    return all;
  }

  /// As a generic pointer.
  Value *address(const Access &access) {
    Value *value = mapped_(access.pointer);
    PointerType *const generic = b_.getPtrTy();
    const bool typed = value->getType()->isPointerTy() && value->getType()->getPointerAddressSpace() != 0;
    if (access.inWindow && access.space != MemorySpace::Global && !typed)
      value = b_.CreateIntToPtr(term({access.pointer}, b_.getInt64Ty()),
                                b_.getPtrTy(abi::addressSpaceOf(*access.space)));
    else if (value->getType()->isIntegerTy())
      value = b_.CreateIntToPtr(term({access.pointer}, b_.getInt64Ty()), generic);
    if (value->getType() != generic)
      value = b_.CreateAddrSpaceCast(value, generic);
    if (access.offset)
      value = b_.CreatePtrAdd(value, b_.getInt64(static_cast<std::uint64_t>(access.offset)));
    if (access.rowBits) {
      Value *elements = b_.CreateMul(b_.CreateZExt(lane(), b_.getInt64Ty()),
                                     b_.CreateSExt(term(access.rowStride, b_.getInt32Ty()), b_.getInt64Ty()));
      value =
          b_.CreatePtrAdd(value, access.rowBits % 8 == 0
                                     ? b_.CreateMul(elements, b_.getInt64(access.rowBits / 8))
                                     : b_.CreateAShr(b_.CreateMul(elements, b_.getInt64(access.rowBits)), 3));
    }
    return value;
  }

private:
  Value *lane() { return b_.CreateIntrinsic(b_.getInt32Ty(), Intrinsic::nvvm_read_ptx_sreg_laneid, {}); }

  IRBuilder<> b_;
  function_ref<Value *(Value *)> mapped_;
};

/// Completes the arguments of the hook of copies by tensor maps.
void addBox(const TensorCopy &copy, abi::SpaceSet spaces, Computation &computation,
            SmallVectorImpl<Value *> &arguments) {
  IRBuilder<> &b = computation.builder();
  Type *const word = b.getInt32Ty();
  arguments.push_back(b.getInt32(spaces));
  arguments.push_back(b.CreateIntToPtr(computation.term(copy.map, b.getInt64Ty()), b.getPtrTy()));
  for (unsigned i = 0; i < abi::kTensorRank; ++i)
    arguments.push_back(i < copy.coordinates.size() ? computation.term(copy.coordinates[i], word)
                                                    : b.getInt32(0));
  // TensorPlace::offsets.
  Value *offsets = b.getInt32(0);
  for (const auto &[i, offset] : enumerate(copy.offsets)) {
    Value *one = computation.term(offset, word);
    if (copy.offsets.size() > 1)
      one = b.CreateAnd(one, (1u << abi::kOffsetBits) - 1);
    offsets = b.CreateOr(offsets, b.CreateShl(one, i * abi::kOffsetBits));
  }
  arguments.push_back(offsets);
  arguments.push_back(copy.blocks ? computation.term(*copy.blocks, word) : b.getInt32(0));
}

} // namespace

CallInst *HookCalls::call(const char *hook, IRBuilder<> &builder, ArrayRef<Value *> arguments, Type *result) {
  SmallVector<Type *, 6> parameters;
  for (const Value *argument : arguments)
    parameters.push_back(argument->getType());
  auto *function =
      cast<Function>(module_
                         .getOrInsertFunction(hook, FunctionType::get(result ? result : builder.getVoidTy(),
                                                                      parameters, false))
                         .getCallee());
  function->addFnAttr(Attribute::Convergent);
  function->addFnAttr(Attribute::NoUnwind);
  CallInst *const made = builder.CreateCall(function, arguments);
  made->addFnAttr(Attribute::Convergent);
  return made;
}

void HookCalls::insert(const TracedAccess &traced, Instruction &instruction, BodySites &sites, Value *trace,
                       Value *recording, function_ref<Value *(Value *)> mapped, const AccessClocks *clocks) {
  const Access &access = traced.access;
  const bool isBehind = access.isBehind || (traced.hasValues && isKnownBehind(access));
  Instruction &before = clocks ? *clocks->hooksBefore : isBehind ? *instruction.getNextNode() : instruction;
  Value *clock = clocks ? clocks->began : nullptr;
  if (traced.hasClock && !clocks)
    clock = IRBuilder<>(access.isBehind ? &before : &instruction)
                .CreateIntrinsic(Type::getInt64Ty(module_.getContext()),
                                 Intrinsic::nvvm_read_ptx_sreg_clock64, {}, {}, "cupr.clock");
  Computation computation(before, mapped);
  IRBuilder<> &b = computation.builder();
  if (Value *condition = computation.condition(access))
    b.SetInsertPoint(SplitBlockAndInsertIfThen(condition, before.getIterator(), /*Unreachable=*/false));

  const bool global = traced.spaces == abi::spaceBit(MemorySpace::Global);
  const bool decided = traced.proof == SpaceProof::Decided;
  SmallVector<Value *, 6> arguments{trace, sites.add(traced, b), computation.address(access), recording};
  if (access.tensor) {
    addBox(*access.tensor, traced.spaces, computation, arguments);
    call(abi::namesOf(Hook::BoxIn).symbol, b, arguments);
    return;
  }
  Hook hook = decided ? Hook::AccessGeneric : Hook::Access;
  if (!global || access.length) {
    hook = access.length ? decided ? Hook::RangeAmong : Hook::RangeIn
           : decided     ? Hook::AccessAmong
                         : Hook::AccessIn;
    arguments.push_back(b.getInt32(traced.spaces));
  }
  if (access.length) {
    arguments.push_back(computation.term(*access.length, b.getInt64Ty()));
    if (clock) {
      hook = decided ? Hook::RangeClockAmong : Hook::RangeClockIn;
      arguments.push_back(clock);
    }
  } else if (traced.hasValues || clock) {
    arguments.resize(abi::kHookRecording + 1);
    hook = addValues(traced, clock, clocks ? clocks->duration : nullptr, b, mapped, arguments);
  }
  call(abi::namesOf(hook).symbol, b, arguments);
}

/// Completes the arguments of a hook that takes values, or a clock, and says which it is.
Hook HookCalls::addValues(const TracedAccess &traced, Value *clock, Value *duration, IRBuilder<> &b,
                          function_ref<Value *(Value *)> mapped, SmallVectorImpl<Value *> &arguments) {
  constexpr std::uint64_t kMostBytes = 255; // that there is room for
  abi::ValueShape shape{0, 0, clock != nullptr, duration != nullptr};
  if (duration)
    shape.bytes = static_cast<std::uint32_t>(std::min(traced.access.bytes, kMostBytes));
  SmallVector<Value *, 8> pieces;
  if (traced.hasValues) {
    shape.bytes = valueBytesOf(traced.access);
    shape.parts = abi::valuesOf(traced.access.operation);
    pieces = piecesOf(traced.access, b, mapped);
  }
  if (clock)
    pieces.push_back(clock);
  if (duration)
    pieces.push_back(duration);
  arguments.push_back(b.getInt32(traced.spaces));
  arguments.push_back(b.getInt32(abi::packValues({shape, traced.proof == SpaceProof::Decided,
                                                  duration ? latencyScheme() : abi::LatencyScheme::None,
                                                  duration && isa<Constant>(arguments[abi::kHookSite])})));
  const ArrayRef<abi::ValueHook> hooks =
      duration ? ArrayRef<abi::ValueHook>(abi::kTimedHooks) : abi::kValueHooks;
  const auto &[hook, room] = *find_if(hooks, [&](const auto &one) { return one.pieces >= pieces.size(); });
  append_range(arguments, pieces);
  arguments.append(room - pieces.size(), b.getInt64(0));
  return hook;
}

void HookCalls::insertVariables(ArrayRef<GlobalVariable *> variables, Instruction &instruction,
                                BodySites &sites, Value *trace, Value *recording) {
  IRBuilder<> b(&instruction);
  moveIntoFirstThread(b, instruction);
  for (GlobalVariable *variable : variables)
    call(abi::namesOf(Hook::Variable).symbol, b,
         {trace, sites.add(*variable, *instruction.getFunction(), b),
          b.CreateAddrSpaceCast(variable, b.getPtrTy()), recording});
  // The first thread would be behind the others of its warp from here on, and their accesses would not be one request.
  b.SetInsertPoint(&instruction);
  b.CreateIntrinsic(b.getVoidTy(), Intrinsic::nvvm_bar_warp_sync, {b.getInt32(~0u)});
}

Value *HookCalls::stage(IRBuilder<> &builder, Value *trace, Value *recording, bool begins) {
  return call(CUPR_STAGE_HOOK, builder, {trace, recording, builder.getInt1(begins)}, builder.getInt32Ty());
}

void HookCalls::insertUnstage(Instruction &instruction, Value *trace, Value *recording) {
  IRBuilder<> b(&instruction);
  call(CUPR_UNSTAGE_HOOK, b, {trace, recording});
}

void HookCalls::insertBlock(Instruction &instruction, Value *trace, ArrayRef<GlobalVariable *> placed) {
  IRBuilder<> b(&instruction);
  moveIntoFirstThread(b, instruction);
  call(CUPR_BLOCK_HOOK, b, {trace});
  for (const auto &[place, variable] : enumerate(placed))
    call(CUPR_PLACE_HOOK, b, {trace, b.getInt32(place), b.CreateAddrSpaceCast(variable, b.getPtrTy())});
}

} // namespace cupr::pass
