/// The table of operations stands in the pass, too (cuprewrite/pass/access.cpp), on purpose: the property
/// test's witness reads modules with this one, and must share nothing with what it checks.
#include "memory_accesses.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

abi::Operation operationOf(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::FAdd:
    return abi::Operation::AtomicAdd;
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
  case AtomicRMWInst::BAD_BINOP:
    break;
  }
  report_fatal_error("no kind of operation is known for an atomicrmw");
}

} // namespace

SmallVector<MemoryAccess, 2> accessesOf(Instruction &instruction) {
  using abi::Operation;
  if (instruction.hasMetadata(kOwnLoad))
    return {};
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return {{Operation::Load, load->getPointerOperand(), load->getType(), nullptr, load->getAlign()}};
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return {{Operation::Store, store->getPointerOperand(), store->getValueOperand()->getType(), nullptr,
             store->getAlign()}};
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return {{operationOf(atomic->getOperation()), atomic->getPointerOperand(), atomic->getType(), nullptr,
             atomic->getAlign()}};
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {{Operation::AtomicCAS, exchange->getPointerOperand(), exchange->getCompareOperand()->getType(),
             nullptr, exchange->getAlign()}};
  SmallVector<MemoryAccess, 2> all;
  if (auto *memory = dyn_cast<AnyMemIntrinsic>(&instruction)) {
    if (auto *transfer = dyn_cast<AnyMemTransferInst>(memory))
      all.push_back({Operation::Load, transfer->getRawSource(), nullptr, transfer->getLength(),
                     transfer->getSourceAlign().valueOrOne()});
    all.push_back({Operation::Store, memory->getRawDest(), nullptr, memory->getLength(),
                   memory->getDestAlign().valueOrOne()});
  } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    // The GPU has no masked loads: it reads the whole vector and uses a part. Its masked
    // stores write single elements.
    if (intrinsic->getIntrinsicID() == Intrinsic::masked_load && isa<Constant>(intrinsic->getArgOperand(1)))
      all.push_back({Operation::Load, intrinsic->getArgOperand(0), intrinsic->getType()});
  } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (call->isByValArgument(i))
        all.push_back({Operation::Load, call->getArgOperand(i), call->getParamByValType(i), nullptr,
                       call->getParamAlign(i).valueOrOne()});
  }
  return all;
}

bool hasUnknownAccess(const IntrinsicInst &intrinsic) {
  if (isa<AnyMemIntrinsic>(intrinsic) || !intrinsic.mayReadOrWriteMemory() ||
      intrinsic.isAssumeLikeIntrinsic() || intrinsic.getIntrinsicID() == Intrinsic::prefetch ||
      (intrinsic.getIntrinsicID() == Intrinsic::masked_load && isa<Constant>(intrinsic.getArgOperand(1))))
    return false;
  return any_of(intrinsic.args(), [](Value *argument) { return argument->getType()->isPtrOrPtrVectorTy(); });
}

} // namespace cupr::cpu
