#include "access.h"

#include "intrinsic_access.h"
#include "ptx_access.h"
#include "speculated_loads.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace cupr::pass {
namespace {

/// None: an operation that this knows nothing of.
std::optional<abi::Operation> operationOf(const AtomicRMWInst &atomic) {
  switch (atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::FAdd:
    // CUDA's headers spell atomicSub(p, v) as an addition of -v.
    return comesFromCudaAtomic(atomic, "atomicSub") ? abi::Operation::AtomicSub : abi::Operation::AtomicAdd;
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FSub:
  case AtomicRMWInst::USubCond:
  case AtomicRMWInst::USubSat:
    return abi::Operation::AtomicSub;
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::FMin:
  case AtomicRMWInst::FMinimum:
    return abi::Operation::AtomicMin;
  case AtomicRMWInst::Max:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMaximum:
    return abi::Operation::AtomicMax;
  case AtomicRMWInst::UIncWrap:
    return abi::Operation::AtomicInc;
  case AtomicRMWInst::UDecWrap:
    return abi::Operation::AtomicDec;
  case AtomicRMWInst::And:
  case AtomicRMWInst::Nand:
    return abi::Operation::AtomicAnd;
  case AtomicRMWInst::Or:
    return abi::Operation::AtomicOr;
  case AtomicRMWInst::Xor:
    return abi::Operation::AtomicXor;
  case AtomicRMWInst::Xchg:
    return abi::Operation::AtomicExch;
  default:
    return std::nullopt;
  }
}

/// The values of the operands of a call of inline assembly, by their numbers (`$n`): null for results, but a
/// result that starts with the value of an input has that.
SmallVector<Value *, 8> asmOperands(const CallBase &call, const InlineAsm &assembly) {
  SmallVector<Value *, 8> operands;
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo &constraint : assembly.ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber)
      continue;
    const bool takesArgument = constraint.Type == InlineAsm::isInput || constraint.isIndirect;
    Value *value = takesArgument && argument < call.arg_size() ? call.getArgOperand(argument) : nullptr;
    argument += takesArgument;
    operands.push_back(constraint.isIndirect ? nullptr : value);
    unsigned tied = 0;
    if (value && !constraint.Codes.empty() && !StringRef(constraint.Codes[0]).getAsInteger(10, tied) &&
        tied < operands.size())
      operands[tied] = value;
  }
  return operands;
}

/// Puts values in the places of an asm's operands.
class AsmValues {
public:
  AsmValues(const CallBase &call, const InlineAsm &assembly) : operands_(asmOperands(call, assembly)) {
    for (const InlineAsm::ConstraintInfo &constraint : assembly.ParseConstraints())
      if (constraint.Type != InlineAsm::isClobber)
        isResult_.push_back(constraint.Type == InlineAsm::isOutput && !constraint.isIndirect);
  }

  std::optional<Access> access(Instruction &call, const PtxAccess &ptx) const {
    Access access;
    access.instruction = &call;
    access.operation = ptx.operation;
    access.bytes = ptx.bytes;
    access.space = ptx.address.space;
    access.inWindow = ptx.address.inWindow;
    access.lanes = ptx.lanes;
    access.rowBits = ptx.rowBits;
    access.imageInstruction = ptx.imageInstruction;
    access.ordering = ptx.ordering;
    access.isBehind = ptx.isBehind;
    const auto address = term(ptx.address.value), stride = term(ptx.rowStride);
    if (!address || !stride || (!address->value && abi::isAccess(ptx.operation)))
      return std::nullopt;
    access.pointer = address->value;
    access.offset = address->offset;
    if (ptx.threads) {
      const auto threads = term(*ptx.threads);
      access.offset +=
          static_cast<std::int64_t>((threads && !threads->value ? static_cast<std::uint64_t>(threads->offset)
                                                                : abi::kBarrierThreadsUnknown)
                                    << abi::kBarrierThreadsShift);
    }
    if (!access.pointer) {
      access.pointer = ConstantInt::getSigned(Type::getInt64Ty(call.getContext()), access.offset);
      access.offset = 0;
    }
    access.rowStride = *stride;
    access.isCopied = ptx.isCopied;
    if (ptx.length) {
      access.length = term(*ptx.length);
      if (!access.length)
        return std::nullopt;
      if (!access.length->value) { // an immediate operand
        access.bytes = static_cast<std::uint64_t>(access.length->offset);
        access.length.reset();
      }
    }
    if (ptx.tensor) {
      access.tensor = tensorCopy(*ptx.tensor);
      if (!access.tensor)
        return std::nullopt;
    }
    for (const PtxCondition &condition : ptx.conditions) {
      const auto left = term(condition.left), right = term(condition.right);
      if (!left || !right)
        return std::nullopt;
      const unsigned bits =
          condition.bits || !left->value ? condition.bits : left->value->getType()->getPrimitiveSizeInBits();
      access.conditions.push_back({condition.comparison, *left, *right, bits ? bits : 64});
    }
    if (ptx.success) {
      if (*ptx.success >= isResult_.size() || !isResult_[*ptx.success] || !call.getType()->isIntegerTy())
        return std::nullopt;
      access.conditions.push_back({CmpInst::ICMP_NE, {&call}, {}, call.getType()->getIntegerBitWidth()});
    }
    access.values = ptx.figures.empty() ? registers(call, ptx) : figures(call, ptx);
    if (abi::isOfImage(ptx.operation)) {
      if (access.values.empty())
        return std::nullopt;
      access.type = typeOf(access.values.front());
    }
    return access;
  }

private:
  std::optional<TensorCopy> tensorCopy(const PtxTensorCopy &ptx) const {
    TensorCopy copy;
    bool areKnown = true;
    const auto known = [&](const PtxValue &value) {
      const auto found = term(value);
      areKnown &= found.has_value();
      return found.value_or(Term());
    };
    copy.map = known(ptx.map);
    for (const PtxValue &coordinate : ptx.coordinates)
      copy.coordinates.push_back(known(coordinate));
    for (const PtxValue &offset : ptx.offsets)
      copy.offsets.push_back(known(offset));
    if (ptx.blocks)
      copy.blocks = known(*ptx.blocks);
    return areKnown ? std::optional(std::move(copy)) : std::nullopt;
  }

  /// Of an mbarrier; none where one is not known.
  SmallVector<ValueRegisters, 3> figures(const Instruction &call, const PtxAccess &ptx) const {
    ValueRegisters all;
    for (const PtxValue &figure : ptx.figures) {
      const auto known = term(figure);
      Type *const type = Type::getInt32Ty(call.getContext());
      if (known && !known->value)
        all.push_back({ConstantInt::get(type, static_cast<std::uint32_t>(known->offset)), 0, 4});
      else if (known && known->offset == 0 && known->value->getType() == type)
        all.push_back({known->value, 0, 4});
      else
        return {};
    }
    return {std::move(all)};
  }

  /// Of the access's values; none where one is not known.
  SmallVector<ValueRegisters, 3> registers(const Instruction &call, const PtxAccess &ptx) const {
    SmallVector<ValueRegisters, 3> parts;
    for (const PtxRegisters &part : ptx.values) {
      ValueRegisters &to = parts.emplace_back();
      for (const unsigned number : part.operands) {
        ValueRegister found{nullptr, 0, part.bytes};
        Type *type = nullptr;
        if (number >= operands_.size())
          return {};
        if (part.areResults) {
          if (!isResult_[number])
            return {};
          found.result =
              static_cast<unsigned>(std::count(isResult_.begin(), isResult_.begin() + number, true));
          type = call.getType()->isStructTy() ? call.getType()->getStructElementType(found.result)
                                              : call.getType();
        } else if ((found.value = operands_[number])) {
          type = found.value->getType();
        }
        if (!type || call.getModule()->getDataLayout().getTypeStoreSize(type) < part.bytes)
          return {};
        to.push_back(found);
      }
    }
    return parts;
  }

  /// Constants go into the offset. Null: an operand has no value yet, or is no integer or pointer; or two
  /// have to be added.
  std::optional<Term> term(const PtxValue &value) const {
    Term result{nullptr, value.offset};
    for (const unsigned number : {value.operand, value.added}) {
      if (number == PtxValue::kNoOperand)
        continue;
      Value *const operand = number < operands_.size() ? operands_[number] : nullptr;
      if (!operand || !(operand->getType()->isPointerTy() || operand->getType()->isIntegerTy()))
        return std::nullopt;
      if (const auto *constant = dyn_cast<ConstantInt>(operand); constant && constant->getBitWidth() <= 64)
        result.offset += constant->getSExtValue();
      else if (!result.value)
        result.value = operand;
      else
        return std::nullopt;
    }
    return result;
  }

  SmallVector<Value *, 8> operands_;
  SmallVector<bool, 8> isResult_; ///< by operand
};

void addAsmAccesses(CallBase &call, const InlineAsm &assembly, SmallVectorImpl<Access> &accesses,
                    SmallVectorImpl<Untraced> &untraced) {
  const auto report = [&](StringRef text, StringRef why, std::optional<abi::MemorySpace> space) {
    std::string reason = "inline PTX that accesses memory and is not understood: " + text.str();
    if (!why.empty())
      reason += " (" + why.str() + ")";
    untraced.push_back({std::move(reason), space});
  };
  const PtxAccesses found = parsePtxAccesses(assembly.getAsmString());
  const AsmValues values(call, assembly);
  for (const PtxAccess &ptx : found.accesses)
    if (auto access = values.access(call, ptx)) {
      if (access->bytes || access->length || access->tensor || !abi::isAccess(access->operation))
        accesses.push_back(std::move(*access));
    } else {
      report(assembly.getAsmString(), "a register has no value before",
             abi::isOfImage(ptx.operation) ? abi::MemorySpace::Global : ptx.address.space);
    }
  for (const PtxUnknown &unknown : found.unknown)
    report(unknown.text, unknown.why, unknown.space);
}

} // namespace

Type *typeOf(const ValueRegisters &registers) {
  SmallVector<Type *, 4> types;
  for (const ValueRegister &one : registers)
    types.push_back(one.value->getType());
  if (!all_equal(types))
    return StructType::get(types.front()->getContext(), types);
  return types.size() == 1 ? types.front()
                           : FixedVectorType::get(types.front(), static_cast<unsigned>(types.size()));
}

/// Whether the address lies in the buffer for the arguments of a launch that a kernel makes: what is stored
/// there are the arguments, ours among them, and no data of the program's.
static bool isLaunchArgument(const Access &access) {
  const auto *call = dyn_cast<CallBase>(getUnderlyingObject(access.pointer, 0));
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName().starts_with("__cudaCDP2GetParameterBuffer");
}

/// Instructions move at most so many bytes for each thread.
constexpr std::uint64_t kWidestPart = 16;
/// What the back end makes of short copies and sets are integers, of which the widest legal one has 64 bits
/// (LLVM, TargetLowering::findOptimalMemOpLowering).
constexpr std::uint64_t kWidestCopyPart = 8;

/// The largest value without parts of its own that is in a value of this type.
static std::uint64_t largestMember(Type &type, const DataLayout &layout) {
  if (auto *array = dyn_cast<ArrayType>(&type))
    return largestMember(*array->getElementType(), layout);
  if (auto *integer = dyn_cast<IntegerType>(&type); integer && integer->getBitWidth() > 128)
    return kWidestCopyPart; // of a copy (LowerCopiesPass)
  std::uint64_t largest = 1;
  if (auto *structure = dyn_cast<StructType>(&type)) {
    for (Type *member : structure->elements())
      largest = std::max(largest, largestMember(*member, layout));
    return largest;
  }
  return std::max(largest, PowerOf2Ceil(layout.getTypeStoreSize(&type).getFixedValue()));
}

/// Of a load or store: vectors are moved as a whole where they are aligned, structures member by member.
static std::uint64_t partOf(Type &type, Align alignment, const DataLayout &layout) {
  return std::min({kWidestPart, alignment.value(), largestMember(type, layout)});
}

SmallVector<Access, 2> accessesOf(Instruction &instruction, SmallVectorImpl<Untraced> &untraced) {
  const ValueRegisters kResult{{}};
  const DataLayout &layout = instruction.getModule()->getDataLayout();
  SmallVector<Access, 2> result;
  const auto add = [&](Value *pointer, abi::Operation operation, std::uint64_t bytes, Type *type) {
    Access access;
    access.instruction = &instruction;
    access.pointer = pointer;
    access.operation = operation;
    access.bytes = bytes;
    access.type = type;
    access.ordering = orderingOf(instruction);
    result.push_back(std::move(access));
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    add(load->getPointerOperand(), abi::Operation::Load, layout.getTypeStoreSize(load->getType()),
        load->getType());
    result.back().part = partOf(*load->getType(), load->getAlign(), layout);
    result.back().values = {kResult};
    result.back().isSpeculated = isSpeculated(*load);
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    Type *type = store->getValueOperand()->getType();
    add(store->getPointerOperand(), abi::Operation::Store, layout.getTypeStoreSize(type), type);
    result.back().part = partOf(*type, store->getAlign(), layout);
    result.back().values = {{{store->getValueOperand()}}};
  } else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction)) {
    if (const auto operation = operationOf(*atomic)) {
      add(atomic->getPointerOperand(), *operation, layout.getTypeStoreSize(atomic->getType()),
          atomic->getType());
      result.back().values = {kResult, {{atomic->getValOperand()}}};
    } else {
      atomic->getContext().diagnose(
          DiagnosticInfoUnsupported(*atomic->getFunction(),
                                    "no kind of operation is known for atomicrmw " +
                                        AtomicRMWInst::getOperationName(atomic->getOperation()),
                                    atomic->getDebugLoc()));
    }
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    Type *type = exchange->getCompareOperand()->getType();
    add(exchange->getPointerOperand(), abi::Operation::AtomicCAS, layout.getTypeStoreSize(type), type);
    result.back().values = {kResult, {{exchange->getCompareOperand()}}, {{exchange->getNewValOperand()}}};
  } else if (isa<FenceInst>(instruction)) {
    if (recordsSynchronisation()) {
      add(ConstantInt::get(Type::getInt64Ty(instruction.getContext()), 0), abi::Operation::Fence, 0, nullptr);
      result.back().space = abi::MemorySpace::Global;
    }
  } else if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    const auto *length = dyn_cast<ConstantInt>(memory->getLength());
    if (!length) { // LowerCopiesPass leaves none, but for a move between two spaces
      untraced.push_back({"the length of this copy or set is not a constant", std::nullopt});
    } else if (const std::uint64_t bytes = length->getZExtValue()) {
      const std::uint64_t part = std::min(kWidestCopyPart, memory->getDestAlign().valueOrOne().value());
      if (auto *transfer = dyn_cast<MemTransferInst>(memory)) {
        add(transfer->getRawSource(), abi::Operation::Load, bytes, nullptr);
        result.back().part = std::min(part, transfer->getSourceAlign().valueOrOne().value());
      }
      add(memory->getRawDest(), abi::Operation::Store, bytes, nullptr);
      result.back().part = part;
    }
  } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    addIntrinsicAccesses(*intrinsic, result, untraced);
  } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
    if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
      addAsmAccesses(*call, *assembly, result, untraced);
    } else {
      // What is passed by value is read by the caller; the optimiser leaves out copies on the way.
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (call->isByValArgument(i))
          add(call->getArgOperand(i), abi::Operation::Load,
              layout.getTypeStoreSize(call->getParamByValType(i)), call->getParamByValType(i));
    }
  }
  erase_if(result, isLaunchArgument);
  return result;
}

} // namespace cupr::pass
