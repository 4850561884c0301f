/// Lets each access of memory that may be global look whether its address belongs to
/// somebody (runtime/poisoned_bytes.h).
///
///     if (address misaligned, or the access ends among the closed bytes of its page)
///       __cupr_cpu_check(operation, address, bytes, alignment, "file:line")
///
/// The call may come back: the quick test knows nothing of accesses across pages.
/// Wild addresses outside of the device's memory are left to the processor, which faults.
///
/// What is good stays good while a kernel runs, so a pointer is looked at once: not
/// again where that look dominates. Accesses of shared variables are held against the end
/// of the block's frame.
#include "lowering.h"
#include "memory_accesses.h"

#include "devicelib/cpu/runtime/poisoned_bytes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

using namespace llvm;

namespace cupr::cpu {

namespace {

/// Whether memory at `object` is surely neither in the arena nor misused without a fault.
bool isElsewhere(const Value *object) {
  if (const auto *argument = dyn_cast<Argument>(object))
    return argument->hasByValAttr();
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(object))
    return intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address;
  return isa<AllocaInst>(object) || isa<GlobalVariable>(object);
}

bool isSharedVariable(const Value *object) {
  return isa<GlobalVariable>(object) && object->getType()->getPointerAddressSpace() == kSharedSpace;
}

enum class CheckedSpace { Global, Shared, None };

/// What has to be looked at. Pointers to shared variables are mostly generic ones.
CheckedSpace checkedSpaceOf(const Value *pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == kSharedSpace)
    return CheckedSpace::Shared;
  if (space != kGenericSpace && space != kGlobalSpace)
    return CheckedSpace::None;
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects);
  if (all_of(objects, isSharedVariable))
    return CheckedSpace::Shared;
  return all_of(objects, isElsewhere) ? CheckedSpace::None : CheckedSpace::Global;
}

class AccessChecks {
public:
  AccessChecks(Module &module, DeviceBuilder &builder) : layout_(module.getDataLayout()), b(builder) {}

  void insert(Function &function) {
    DominatorTree dominators(function);
    SmallVector<std::pair<Instruction *, MemoryAccess>> wanted;
    DenseMap<Value *, SmallVector<std::pair<Instruction *, std::uint64_t>, 2>> looked;
    // In preorder, what dominates comes before what is dominated.
    for (DomTreeNode *node : depth_first(&dominators))
      for (Instruction &instruction : *node->getBlock())
        for (const MemoryAccess &access : accessesOf(instruction)) {
          if (!mayBeBad(access))
            continue;
          const std::uint64_t bytes = constantBytes(access).value_or(0);
          auto &before = looked[access.pointer];
          if (bytes && any_of(before, [&](const auto &look) {
                return look.second >= bytes && dominators.dominates(look.first, &instruction);
              }))
            continue;
          before.push_back({&instruction, bytes});
          wanted.push_back({&instruction, access});
        }
    for (auto &[instruction, access] : wanted)
      check(instruction, access);
  }

private:
  std::optional<std::uint64_t> constantBytes(const MemoryAccess &access) const {
    if (access.type)
      return layout_.getTypeStoreSize(access.type).getFixedValue();
    if (const auto *length = dyn_cast<ConstantInt>(access.length))
      return length->getZExtValue();
    return std::nullopt;
  }

  bool mayBeBad(const MemoryAccess &access) const {
    const CheckedSpace kind = checkedSpaceOf(access.pointer);
    return kind != CheckedSpace::None && constantBytes(access) != 0 &&
           !(kind == CheckedSpace::Shared && isInsideVariable(access));
  }

  /// A constant place in a variable, which is surely there.
  bool isInsideVariable(const MemoryAccess &access) const {
    APInt offset(layout_.getIndexTypeSizeInBits(access.pointer->getType()), 0);
    const auto *variable = dyn_cast<GlobalVariable>(
        access.pointer->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true));
    const auto bytes = constantBytes(access);
    return variable && bytes && !variable->isDeclaration() && !offset.isNegative() &&
           offset.getZExtValue() + *bytes <= layout_.getTypeAllocSize(variable->getValueType());
  }

  void check(Instruction *instruction, const MemoryAccess &access) {
    b.SetInsertPoint(instruction);
    Value *bytes = access.bytes(b, layout_);
    Value *pointer = access.pointer;
    Value *address = b.CreatePtrToInt(pointer, b.getInt64Ty());
    Value *bad = checkedSpaceOf(access.pointer) == CheckedSpace::Shared ? beyondFrame(address, bytes)
                                                                        : beyondPage(address, bytes);
    if (access.alignment != Align(1))
      bad = b.CreateOr(bad, b.CreateIsNotNull(b.CreateAnd(address, access.alignment.value() - 1)));
    Instruction *then = SplitBlockAndInsertIfThen(bad, instruction->getIterator(), false,
                                                  MDBuilder(b.getContext()).createUnlikelyBranchWeights());
    b.SetInsertPoint(then);
    b.SetCurrentDebugLocation(instruction->getDebugLoc());
    if (pointer->getType()->getPointerAddressSpace() != kGenericSpace)
      pointer = b.CreateIntToPtr(address, b.getPtrTy());
    auto *call = cast<CallInst>(
        b.call(Call::Check, {b.i32(static_cast<std::uint32_t>(access.operation)), pointer, bytes,
                             b.i32(static_cast<std::uint32_t>(access.alignment.value()))}));
    // It looks at everything when it reports, and changes nothing that the kernel sees.
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly() | MemoryEffects::readOnly());
  }

  /// Whether the access ends behind the open bytes of its page.
  Value *beyondPage(Value *address, Value *bytes) {
    Value *table = b.stateField(offsetof(LaneState, poisonedBytes), b.getPtrTy());
    Value *shift = b.stateField(offsetof(LaneState, pageShift), b.getInt64Ty());
    Value *place = b.CreateGEP(b.getInt16Ty(), table, b.CreateLShr(address, shift));
    Value *closed = b.constantLoad(b.getInt16Ty(), place);
    Value *used = b.CreateAdd(b.CreateAnd(address, kPage - 1), b.CreateZExt(closed, b.getInt64Ty()));
    if (const auto *constant = dyn_cast<ConstantInt>(bytes); constant && !constant->uge(kPage))
      return b.CreateICmpUGT(used, b.getInt64(kPage - constant->getZExtValue()));
    return b.CreateICmpUGT(b.CreateAdd(used, bytes), b.getInt64(kPage));
  }

  Value *beyondFrame(Value *address, Value *bytes) {
    const auto *constant = dyn_cast<ConstantInt>(bytes);
    if (!constant || constant->uge(kSharedReserved))
      return b.getTrue();
    Value *frame = b.stateField(offsetof(LaneState, shared), b.getInt64Ty());
    Value *size =
        b.CreateZExt(b.stateField(offsetof(LaneState, sharedBytes), b.getInt32Ty()), b.getInt64Ty());
    // Not offset + bytes, which a negative offset would make small.
    return b.CreateICmpUGT(b.CreateSub(address, frame), b.CreateSub(size, bytes));
  }

  const DataLayout &layout_;
  DeviceBuilder &b;
};

} // namespace

void insertAccessChecks(Module &module, DeviceBuilder &builder) {
  AccessChecks checks(module, builder);
  for (Function &function : module)
    if (!function.isDeclaration())
      checks.insert(function);
}

} // namespace cupr::cpu
