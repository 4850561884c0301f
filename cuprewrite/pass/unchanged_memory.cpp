#include "unchanged_memory.h"

#include "barrier_kind.h"
#include "slice_terms.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Whether memory of this kind is the thread's or the block's own.
bool isOwn(unsigned space) {
  return space == NVPTXAS::ADDRESS_SPACE_SHARED || space == NVPTXAS::ADDRESS_SPACE_LOCAL ||
         space == NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER;
}

bool isOwn(const Value &value) {
  if (const auto *argument = dyn_cast<Argument>(&value))
    return argument->hasByValAttr();
  return isa<AllocaInst>(value) || isOwn(value.getType()->getPointerAddressSpace());
}

} // namespace

std::optional<UnchangedMemory::Roots> rootsOf(const Value &pointer, const DataLayout &layout) {
  UnchangedMemory::Roots roots;
  SmallVector<const Value *, 8> work{&pointer};
  SmallPtrSet<const Value *, 8> seen{&pointer};
  const auto follow = [&](const Value *value) {
    if (seen.insert(value).second)
      work.push_back(value);
  };
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (isOwn(*value) || isa<ConstantPointerNull>(value) || isa<UndefValue>(value))
      continue;
    const auto *constant = dyn_cast<Constant>(value);
    if (const auto place = constant ? variablePlaceOf(*constant, layout) : std::nullopt) {
      if (!isShared(*place->variable))
        roots.insert(place->variable);
    } else if (sliceInputOf(*value)) {
      roots.insert(value);
    } else if (const auto *gep = dyn_cast<GEPOperator>(value)) {
      follow(gep->getPointerOperand());
    } else if (isa<AddrSpaceCastOperator>(value) || isa<FreezeInst>(value)) {
      follow(cast<User>(value)->getOperand(0));
    } else if (const auto *phi = dyn_cast<PHINode>(value)) {
      for (const Use &incoming : phi->incoming_values())
        follow(incoming);
    } else if (const auto *select = dyn_cast<SelectInst>(value)) {
      follow(select->getTrueValue());
      follow(select->getFalseValue());
    } else {
      return std::nullopt;
    }
  }
  return roots;
}

UnchangedMemory::UnchangedMemory(const Function &kernel) : layout_(kernel.getDataLayout()) {
  for (const Instruction &instruction : instructions(kernel))
    if (instruction.mayWriteToMemory())
      addWritesOf(instruction);
}

void UnchangedMemory::addWritesOf(const Instruction &instruction) {
  if (isa<LoadInst>(instruction)) // volatile or atomic: it writes nothing
    return;
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return addWrites(*store->getPointerOperand());
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return addWrites(*atomic->getPointerOperand());
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return addWrites(*exchange->getPointerOperand());
  if (const auto *copyOrSet = dyn_cast<AnyMemIntrinsic>(&instruction))
    return addWrites(*copyOrSet->getRawDest());
  if (isa<FenceInst>(instruction) || barrierKindOf(instruction) == BarrierKind::Block)
    return;
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (isa_and_nonnull<IntrinsicInst>(call) &&
      (call->onlyAccessesInaccessibleMemory() || call->isLifetimeStartOrEnd() || call->isDebugOrPseudoInst()))
    return;
  if (isa_and_nonnull<AssumeInst>(call))
    return;
  writesAnywhere_ = true;
}

void UnchangedMemory::addWrites(const Value &pointer) {
  const auto roots = rootsOf(pointer, layout_);
  if (!roots)
    writesAnywhere_ = true;
  else
    written_.insert(roots->begin(), roots->end());
}

bool UnchangedMemory::holds(const LoadInst &load) const {
  if (writesAnywhere_ || !load.isSimple())
    return false;
  const auto roots = rootsOf(*load.getPointerOperand(), layout_);
  return roots && !roots->empty() &&
         none_of(*roots, [&](const Value *root) { return written_.contains(root); });
}

} // namespace cupr::pass
