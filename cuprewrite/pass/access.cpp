#include "access.h"

#include "ptx_access.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// CUDA's headers spell atomicSub(p, v) as an addition of -v. The user's word for it
/// survives in the inlined-at chain.
bool comesFromAtomicSub(const Instruction &instruction) {
  for (const DILocation *at = instruction.getDebugLoc(); at; at = at->getInlinedAt()) {
    const DISubprogram *function = at->getScope()->getSubprogram();
    if (function &&
        (function->getName().starts_with("atomicSub") || function->getLinkageName().contains("9atomicSub") ||
         function->getLinkageName().contains("15atomicSub_block") ||
         function->getLinkageName().contains("16atomicSub_system")))
      return true;
  }
  return instruction.getFunction()->getName().contains("atomicSub");
}

abi::Operation operationOf(const AtomicRMWInst &atomic) {
  switch (atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::FAdd:
    return comesFromAtomicSub(atomic) ? abi::Operation::AtomicSub : abi::Operation::AtomicAdd;
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
  default:
    return abi::Operation::AtomicExch;
  }
}

/// The operation in the name of an `llvm.nvvm.atomic.<operation>...` intrinsic:
/// atomics with a scope other than the device's stay intrinsics.
std::optional<abi::Operation> scopedAtomic(StringRef name) {
  if (!name.consume_front("llvm.nvvm.atomic."))
    return std::nullopt;
  const StringRef word = name.take_until([](char c) { return c == '.'; });
  return word == "load" ? abi::Operation::Load : atomicOperation(word);
}

/// The value of operand `$number` of a call of inline assembly; null for results.
Value *asmOperand(const CallBase &call, const InlineAsm &assembly, unsigned number) {
  unsigned argument = 0, index = 0;
  for (const InlineAsm::ConstraintInfo &constraint : assembly.ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber)
      continue;
    const bool takesArgument = constraint.Type == InlineAsm::isInput || constraint.isIndirect;
    if (index++ == number)
      return takesArgument && argument < call.arg_size() ? call.getArgOperand(argument) : nullptr;
    argument += takesArgument;
  }
  return nullptr;
}

/// Appends the accesses of a vector load or store with a constant mask. The vectoriser makes them of
/// neighbours with gaps. A masked load is executed as a load of the whole vector; a masked store leaves the
/// gaps alone, so it is one access per run of elements. False: the mask is not constant.
bool maskedAccesses(IntrinsicInst &masked, const DataLayout &layout, SmallVectorImpl<Access> &result) {
  const bool isLoad = masked.getIntrinsicID() == Intrinsic::masked_load;
  Value *const pointer = masked.getArgOperand(isLoad ? 0 : 1);
  const auto *mask = dyn_cast<Constant>(masked.getArgOperand(isLoad ? 1 : 2));
  auto *type = dyn_cast<FixedVectorType>(isLoad ? masked.getType() : masked.getArgOperand(0)->getType());
  if (!mask || !type)
    return false;
  if (isLoad) {
    result.push_back({&masked, pointer, abi::Operation::Load, layout.getTypeStoreSize(type), type});
    return true;
  }
  const std::uint64_t bytes = layout.getTypeStoreSize(type->getElementType());
  bool continues = false;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const Constant *const enabled = mask->getAggregateElement(i);
    const bool stored = enabled && !enabled->isNullValue();
    if (stored && continues)
      result.back().bytes += bytes;
    else if (stored)
      result.push_back(
          {&masked, pointer, abi::Operation::Store, bytes, type, static_cast<std::int64_t>(i * bytes)});
    continues = stored;
  }
  return true;
}

} // namespace

SmallVector<Access, 2> accessesOf(Instruction &instruction, std::string &reason) {
  const DataLayout &layout = instruction.getModule()->getDataLayout();
  SmallVector<Access, 2> result;
  const auto add = [&](Value *pointer, abi::Operation operation, std::uint64_t bytes, Type *type) {
    result.push_back({&instruction, pointer, operation, bytes, type});
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    add(load->getPointerOperand(), abi::Operation::Load, layout.getTypeStoreSize(load->getType()),
        load->getType());
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    Type *type = store->getValueOperand()->getType();
    add(store->getPointerOperand(), abi::Operation::Store, layout.getTypeStoreSize(type), type);
  } else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction)) {
    add(atomic->getPointerOperand(), operationOf(*atomic), layout.getTypeStoreSize(atomic->getType()),
        atomic->getType());
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    Type *type = exchange->getCompareOperand()->getType();
    add(exchange->getPointerOperand(), abi::Operation::AtomicCAS, layout.getTypeStoreSize(type), type);
  } else if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    const auto *length = dyn_cast<ConstantInt>(memory->getLength());
    if (!length) {
      reason = "the length of this copy or set is not a constant";
    } else if (const std::uint64_t bytes = length->getZExtValue()) {
      if (auto *transfer = dyn_cast<MemTransferInst>(memory))
        add(transfer->getRawSource(), abi::Operation::Load, bytes, nullptr);
      add(memory->getRawDest(), abi::Operation::Store, bytes, nullptr);
    }
  } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
    if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
      std::string unknown;
      for (const PtxAccess &ptx : parsePtxAccesses(assembly->getAsmString(), unknown)) {
        Value *const pointer = asmOperand(*call, *assembly, ptx.operand);
        if (!pointer || !(pointer->getType()->isPointerTy() || pointer->getType()->isIntegerTy(64))) {
          unknown = assembly->getAsmString();
          continue;
        }
        add(pointer, ptx.operation, ptx.bytes, nullptr);
        result.back().offset = ptx.offset;
        result.back().saysGlobal = ptx.isGlobal;
      }
      if (!unknown.empty())
        reason = "inline PTX that accesses memory and is not understood: " + unknown;
    } else if (const Function *callee = call->getCalledFunction(); callee && callee->isIntrinsic()) {
      const Intrinsic::ID id = callee->getIntrinsicID();
      if (const auto operation = scopedAtomic(callee->getName()))
        add(call->getArgOperand(0), *operation, layout.getTypeStoreSize(call->getType()), call->getType());
      else if ((id == Intrinsic::masked_load || id == Intrinsic::masked_store) &&
               !maskedAccesses(*cast<IntrinsicInst>(call), layout, result))
        reason = "the mask of this vector access is not a constant";
    } else {
      // What is passed by value is read by the caller; the optimiser leaves out copies on the way.
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (call->isByValArgument(i))
          add(call->getArgOperand(i), abi::Operation::Load,
              layout.getTypeStoreSize(call->getParamByValType(i)), call->getParamByValType(i));
    }
  }
  return result;
}

} // namespace cupr::pass
