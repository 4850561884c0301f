#include "device_builder.h"

#include "memory_accesses.h"

#include "devicelib/cpu/runtime/runtime_calls.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

enum class Kind { Void, U32, U64, Ptr, Place };

struct CallDescription {
  const char *symbol;
  Kind result;
  std::vector<Kind> parameters;
};

const CallDescription &describe(Call call) {
  constexpr Kind Void = Kind::Void, U32 = Kind::U32, U64 = Kind::U64, Ptr = Kind::Ptr, Place = Kind::Place;
  (void)Void;
  static const CallDescription table[] = {
#define CUPR_CPU_CALL(identifier, symbol, result, ...) {symbol, result, {__VA_ARGS__}},
#include "devicelib/cpu/runtime/runtime_calls.def"
  };
  return table[static_cast<unsigned>(call)];
}

} // namespace

void warn(const Instruction *at, const Twine &message) {
  std::string place;
  if (const DILocation *location = at ? at->getDebugLoc().get() : nullptr)
    place = (location->getFilename() + ":" + Twine(location->getLine()) + ": ").str();
  else if (at)
    place = (at->getFunction()->getName() + ": ").str();
  WithColor::warning(errs(), "cupr-retarget") << place << message << "\n";
}

DeviceBuilder::DeviceBuilder(Module &module) : IRBuilder<>(module.getContext()), module_(module) {
  state_ = module.getNamedGlobal(kLaneStateSymbol);
  if (!state_)
    state_ = new GlobalVariable(module, ArrayType::get(getInt8Ty(), sizeof(LaneState)), false,
                                GlobalValue::ExternalLinkage, nullptr, kLaneStateSymbol, nullptr,
                                GlobalValue::InitialExecTLSModel);
}

Value *DeviceBuilder::call(Call call, ArrayRef<Value *> arguments) {
  const CallDescription &description = describe(call);
  auto type = [&](Kind kind) -> Type * {
    return kind == Kind::Void  ? getVoidTy()
           : kind == Kind::U32 ? static_cast<Type *>(getInt32Ty())
           : kind == Kind::U64 ? static_cast<Type *>(getInt64Ty())
                               : getPtrTy();
  };
  SmallVector<Type *> parameters;
  for (Kind kind : description.parameters)
    parameters.push_back(type(kind));
  FunctionCallee callee = module_.getOrInsertFunction(
      description.symbol, FunctionType::get(type(description.result), parameters, false));
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  if (description.parameters.empty() || description.parameters.back() != Kind::Place)
    return CreateCall(callee, arguments);
  SmallVector<Value *> placed(arguments);
  placed.push_back(place());
  return CreateCall(callee, placed);
}

/// The path with its folder, as CallStack names places.
static std::string pathOf(const DILocation &location) {
  SmallString<128> path;
  if (!sys::path::is_absolute(location.getFilename()))
    path = location.getDirectory();
  sys::path::append(path, location.getFilename());
  return path.str().str();
}

/// What was inlined from the toolkit's or the compiler's headers is placed at the line that led to it.
Constant *DeviceBuilder::place() {
  const DILocation *location = getCurrentDebugLocation().get();
  while (location && location->getInlinedAt() &&
         (!location->getLine() || StringRef(pathOf(*location)).starts_with("/usr/")))
    location = location->getInlinedAt();
  if (!location || !location->getLine())
    return ConstantPointerNull::get(getPtrTy());
  const std::string text = pathOf(*location) + ":" + std::to_string(location->getLine());
  Constant *&known = places_[text];
  if (!known)
    known = CreateGlobalString(text, "cupr.place", 0, &module_);
  return known;
}

Value *DeviceBuilder::stateField(std::size_t offset, Type *type) {
  Value *base = CreateThreadLocalAddress(state_);
  Value *address = CreateConstInBoundsGEP1_64(getInt8Ty(), base, offset);
  // It changes only where another lane runs, which sees another LaneState.
  return constantLoad(type, address);
}

LoadInst *DeviceBuilder::constantLoad(Type *type, Value *address) {
  LoadInst *load = CreateLoad(type, address);
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(getContext(), {}));
  load->setMetadata(kOwnLoad, MDNode::get(getContext(), {}));
  return load;
}

Value *DeviceBuilder::specialRegister(StringRef name) {
  std::string joined; // intrinsics say "cluster.ctaid.x" for what is cluster_ctaid.x in PTX
  if (name.starts_with("cluster.")) {
    joined = ("cluster_" + name.substr(StringRef("cluster.").size())).str();
    name = joined;
  }
  auto field = [&](std::size_t offset) { return stateField(offset, getInt32Ty()); };
  auto [base, axis] = name.rsplit('.');
  const int index = axis == "x" ? 0 : axis == "y" ? 1 : axis == "z" ? 2 : axis == "w" ? 3 : -1;
  if (index >= 0) {
    if (index == 3)
      return i32(base == "ntid" || base == "nctaid" || base == "nclusterid" || base == "cluster_nctaid" ? 1
                                                                                                        : 0);
    const std::size_t at = static_cast<std::size_t>(index) * 4;
    if (base == "tid")
      return field(offsetof(LaneState, position.tid) + at);
    if (base == "ntid")
      return field(offsetof(LaneState, ntid) + at);
    if (base == "ctaid")
      return field(offsetof(LaneState, ctaid) + at);
    if (base == "nctaid")
      return field(offsetof(LaneState, nctaid) + at);
    if (base == "clusterid")
      return field(offsetof(LaneState, clusterid) + at);
    if (base == "nclusterid")
      return field(offsetof(LaneState, nclusterid) + at);
    if (base == "cluster_ctaid")
      return field(offsetof(LaneState, clusterCtaid) + at);
    if (base == "cluster_nctaid")
      return field(offsetof(LaneState, clusterNctaid) + at);
    return nullptr;
  }
  if (name == "laneid")
    return field(offsetof(LaneState, position.lane));
  if (name == "warpid")
    return field(offsetof(LaneState, warp));
  if (name == "smid")
    return field(offsetof(LaneState, sm));
  if (name == "nsmid")
    return i32(kMultiprocessors);
  if (name == "nwarpid")
    return i32(32);
  if (name == "warpsize" || name == "WARP_SZ")
    return i32(32);
  if (name == "gridid")
    return getInt64(0);
  if (name == "cluster_ctarank")
    return field(offsetof(LaneState, clusterRank));
  if (name == "cluster_nctarank")
    return field(offsetof(LaneState, clusterBlocks));
  if (name == "is_explicit_cluster")
    return field(offsetof(LaneState, hasClusters));
  if (name.starts_with("lanemask")) {
    Value *lane = field(offsetof(LaneState, position.lane));
    Value *own = CreateShl(i32(1), lane);
    StringRef kind = name.take_back(2);
    Value *below = CreateSub(own, i32(1));
    if (kind == "eq")
      return own;
    if (kind == "lt")
      return below;
    if (kind == "le")
      return CreateOr(below, own);
    if (kind == "ge")
      return CreateNot(below);
    if (kind == "gt")
      return CreateNot(CreateOr(below, own));
    return nullptr;
  }
  if (name == "clock64" || name == "clock" || name == "clock_hi") {
    Value *cycles = CreateIntrinsic(getInt64Ty(), Intrinsic::readcyclecounter, {});
    if (name == "clock_hi")
      cycles = CreateLShr(cycles, 32);
    return name == "clock64" ? cycles : CreateTrunc(cycles, getInt32Ty());
  }
  if (name.starts_with("globaltimer")) {
    Value *now = call(Call::Nanoseconds);
    if (name == "globaltimer_hi" || name == "globaltimer.hi")
      return CreateTrunc(CreateLShr(now, 32), getInt32Ty());
    if (name == "globaltimer_lo" || name == "globaltimer.lo")
      return CreateTrunc(now, getInt32Ty());
    return now;
  }
  if (name == "dynamic_smem_size")
    return field(offsetof(LaneState, dynamicSharedBytes));
  if (name == "total_smem_size" || name == "aggr_smem_size")
    return CreateAdd(field(offsetof(LaneState, dynamicSharedBytes)),
                     field(offsetof(LaneState, staticSharedBytes)));
  if (name.starts_with("reserved_smem_offset")) {
    StringRef which = name.substr(StringRef("reserved_smem_offset").size());
    Value *base = CreateTrunc(
        CreatePtrToInt(stateField(offsetof(LaneState, shared), getPtrTy()), getInt64Ty()), getInt32Ty());
    // What the others name lies in the system's bytes: groups of several warps have their barriers behind _1.
    return which.contains("cap")   ? i32(kSharedReserved)
           : which.contains("end") ? CreateAdd(base, i32(kSharedReserved))
                                   : base;
  }
  if (name == "envreg1" || name == "envreg2") {
    Value *workspace = stateField(offsetof(LaneState, gridWorkspace), getInt64Ty());
    return CreateTrunc(name == "envreg1" ? CreateLShr(workspace, 32) : workspace, getInt32Ty());
  }
  if (name.starts_with("envreg") || name.starts_with("pm"))
    return i32(0);
  return nullptr;
}

Value *DeviceBuilder::asInteger(Value *a) {
  return a->getType()->isIntegerTy()
             ? a
             : CreateBitCast(a, getIntNTy(static_cast<unsigned>(
                                    a->getType()->getPrimitiveSizeInBits().getFixedValue())));
}

Value *DeviceBuilder::arithmetic(FloatOperation operation, unsigned rounding, Value *a, Value *b, Value *c) {
  Type *type = a->getType();
  if (rounding == kRoundNearest || (!type->isFloatTy() && !type->isDoubleTy())) {
    switch (operation) {
    case FloatOperation::Add:
      return CreateFAdd(a, b);
    case FloatOperation::Subtract:
      return CreateFSub(a, b);
    case FloatOperation::Multiply:
      return CreateFMul(a, b);
    case FloatOperation::Fma:
      return CreateIntrinsic(Intrinsic::fma, {type}, {a, b, c});
    case FloatOperation::Divide:
      return CreateFDiv(a, b);
    case FloatOperation::SquareRoot:
      return CreateUnaryIntrinsic(Intrinsic::sqrt, a);
    }
  }
  const bool isDouble = type->isDoubleTy();
  Value *mode = i32(rounding), *result = nullptr;
  auto fma = [&](Value *x, Value *y, Value *z) {
    return call(isDouble ? Call::FmaDouble : Call::FmaFloat,
                {mode, asInteger(x), asInteger(y), asInteger(z)});
  };
  switch (operation) {
  case FloatOperation::Add:
    result = fma(a, ConstantFP::get(type, 1.0), b);
    break;
  case FloatOperation::Subtract:
    result = fma(b, ConstantFP::get(type, -1.0), a);
    break;
  case FloatOperation::Multiply:
    result = fma(a, b, ConstantFP::get(type, -0.0));
    break;
  case FloatOperation::Fma:
    result = fma(a, b, c);
    break;
  case FloatOperation::Divide:
    result = call(isDouble ? Call::DivideDouble : Call::DivideFloat, {mode, asInteger(a), asInteger(b)});
    break;
  case FloatOperation::SquareRoot:
    result = call(isDouble ? Call::SqrtDouble : Call::SqrtFloat, {mode, asInteger(a)});
    break;
  }
  return CreateBitCast(result, type);
}

Value *DeviceBuilder::approximate(StringRef name, Value *a) {
  if (name == "sqrt")
    return CreateUnaryIntrinsic(Intrinsic::sqrt, a);
  if (name == "rsqrt")
    return CreateFDiv(ConstantFP::get(a->getType(), 1.0), CreateUnaryIntrinsic(Intrinsic::sqrt, a));
  if (name == "rcp")
    return CreateFDiv(ConstantFP::get(a->getType(), 1.0), a);
  const Intrinsic::ID id = StringSwitch<Intrinsic::ID>(name)
                               .Case("ex2", Intrinsic::exp2)
                               .Case("lg2", Intrinsic::log2)
                               .Case("sin", Intrinsic::sin)
                               .Case("cos", Intrinsic::cos)
                               .Case("tanh", Intrinsic::tanh)
                               .Default(Intrinsic::not_intrinsic);
  return id == Intrinsic::not_intrinsic ? nullptr : CreateUnaryIntrinsic(id, a);
}

Value *DeviceBuilder::flushed(Value *a) {
  Type *const type = a->getType();
  if (!type->getScalarType()->isFloatTy())
    return a;
  if (const auto *constant = dyn_cast<ConstantFP>(a))
    return constant->getValueAPF().isDenormal()
               ? ConstantFP::getZero(type, constant->getValueAPF().isNegative())
               : a;
  Value *const smallest = ConstantFP::get(type, APFloat::getSmallestNormalized(APFloat::IEEEsingle()));
  Value *const denormal = CreateFCmpOLT(CreateUnaryIntrinsic(Intrinsic::fabs, a), smallest);
  return CreateSelect(denormal, CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::getZero(type), a), a);
}

Value *DeviceBuilder::dividend(Value *a, Value *divisor) {
  Type *const type = a->getType();
  Value *const zero = ConstantFP::getZero(type);
  Value *const large =
      CreateFCmpOGT(CreateUnaryIntrinsic(Intrinsic::fabs, divisor), ConstantFP::get(type, 0x1p126));
  // Infinity times 0 is no number; so is what comes of it.
  return CreateSelect(large, CreateFMul(a, zero), a);
}

Value *DeviceBuilder::saturate(Value *a) {
  Type *type = a->getType();
  Value *low = CreateBinaryIntrinsic(Intrinsic::maxnum, a, ConstantFP::get(type, 0.0));
  return CreateBinaryIntrinsic(Intrinsic::minnum, low, ConstantFP::get(type, 1.0));
}

Value *DeviceBuilder::toIntegral(Value *a, unsigned rounding) {
  static const Intrinsic::ID ids[] = {Intrinsic::roundeven, Intrinsic::trunc, Intrinsic::floor,
                                      Intrinsic::ceil};
  return CreateUnaryIntrinsic(ids[rounding], a);
}

Value *DeviceBuilder::toInteger(Value *a, Type *type, bool isSigned, unsigned rounding) {
  if (rounding != kRoundZero)
    a = toIntegral(a, rounding);
  return CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {type, a->getType()}, {a});
}

Value *DeviceBuilder::toFloat(Value *a, Type *type, unsigned rounding) {
  if (type == a->getType())
    return a;
  if (type->getScalarSizeInBits() > a->getType()->getScalarSizeInBits())
    return CreateFPExt(a, type);
  if (type->getScalarSizeInBits() == a->getType()->getScalarSizeInBits()) // half and bfloat
    return CreateFPTrunc(CreateFPExt(a, getFloatTy()), type);
  Value *nearest = CreateFPTrunc(a, type);
  if (rounding == kRoundNearest)
    return nearest;
  // One step towards the wanted side where rounding to nearest went to the other.
  Value *back = CreateFPExt(nearest, a->getType());
  Value *bits = asInteger(nearest);
  Value *negative = CreateICmpSLT(bits, ConstantInt::get(bits->getType(), 0));
  Value *one = ConstantInt::get(bits->getType(), 1);
  Value *towardZero = CreateSub(bits, one), *awayFromZero = CreateAdd(bits, one);
  Value *down = CreateSelect(negative, awayFromZero, towardZero);
  Value *up = CreateSelect(negative, towardZero, awayFromZero);
  Value *tooHigh = CreateFCmpOGT(back, a), *tooLow = CreateFCmpOLT(back, a);
  Value *step = bits;
  if (rounding == kRoundDown)
    step = CreateSelect(tooHigh, down, bits);
  else if (rounding == kRoundUp)
    step = CreateSelect(tooLow, up, bits);
  else
    step = CreateSelect(CreateSelect(negative, tooLow, tooHigh), towardZero, bits);
  return CreateBitCast(step, type);
}

Value *DeviceBuilder::fromInteger(Value *a, Type *type, bool isSigned) {
  return isSigned ? CreateSIToFP(a, type) : CreateUIToFP(a, type);
}

Value *DeviceBuilder::multiplyHigh(Value *a, Value *b, bool isSigned) {
  Type *type = a->getType();
  Type *wide = type->getExtendedType();
  Value *x = isSigned ? CreateSExt(a, wide) : CreateZExt(a, wide);
  Value *y = isSigned ? CreateSExt(b, wide) : CreateZExt(b, wide);
  return CreateTrunc(CreateLShr(CreateMul(x, y), type->getScalarSizeInBits()), type);
}

void DeviceBuilder::fenceFor(bool block) {
  // A block's lanes share one host thread.
  CreateFence(AtomicOrdering::SequentiallyConsistent, block ? SyncScope::SingleThread : SyncScope::System);
}

void DeviceBuilder::unsupported(StringRef text) {
  Function *function = GetInsertBlock()->getParent();
  unsigned line = 0;
  if (const DILocation *location = getCurrentDebugLocation().get())
    line = location->getLine();
  call(Call::Unsupported, {CreateGlobalString(text), CreateGlobalString(function->getName()), i32(line)});
}

} // namespace cupr::cpu
