/// Lets the runtime's witness (runtime/witness.h) see every access of the user's code.
///
/// The witness is what the trace of a test is compared with, so this is written
/// without the instrumentation's help: it looks at host IR, after inline PTX and the
/// intrinsics have become plain instructions, and asks nothing about address spaces.
/// Each instruction that reads or writes memory through a pointer is reported with
/// its address; the runtime knows which addresses are global memory's. Code that the
/// retargeting added is reported as well where it accesses memory; none of that
/// memory is global.
#include "lowering.h"

#include "devicelib/abi/operation.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

constexpr unsigned kGenericSpace = 0, kGlobalSpace = 1;
/// After the module's own registration; the order does not matter.
constexpr int kConstructorPriority = 151;

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
  case AtomicRMWInst::BAD_BINOP:
    return abi::Operation::AtomicExch;
  }
  return abi::Operation::AtomicExch;
}

class WitnessCalls {
public:
  WitnessCalls(Module &module, DeviceBuilder &builder)
      : module_(module), layout_(module.getDataLayout()), b(builder) {}

  void insert() {
    SmallVector<Instruction *> all;
    for (Function &function : module_)
      for (Instruction &instruction : instructions(function))
        if (instruction.mayReadOrWriteMemory() || isa<CallBase>(instruction))
          all.push_back(&instruction);
    for (Instruction *instruction : all)
      visit(*instruction);
    announceVariables();
  }

private:
  void visit(Instruction &instruction) {
    b.SetInsertPoint(&instruction);
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      report(abi::Operation::Load, load->getPointerOperand(), load->getType());
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      report(abi::Operation::Store, store->getPointerOperand(), store->getValueOperand()->getType());
    } else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction)) {
      report(operationOf(atomic->getOperation()), atomic->getPointerOperand(), atomic->getType());
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      report(abi::Operation::AtomicCAS, exchange->getPointerOperand(),
             exchange->getCompareOperand()->getType());
    } else if (auto *memory = dyn_cast<AnyMemIntrinsic>(&instruction)) {
      if (auto *transfer = dyn_cast<AnyMemTransferInst>(memory))
        report(abi::Operation::Load, transfer->getRawSource(), transfer->getLength());
      report(abi::Operation::Store, memory->getRawDest(), memory->getLength());
    } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
      if (auto *intrinsic = dyn_cast<IntrinsicInst>(call)) {
        if (!reportMasked(*intrinsic))
          reportUnknown(*intrinsic);
        return;
      }
      // What is passed by value is read by the call.
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (call->isByValArgument(i))
          report(abi::Operation::Load, call->getArgOperand(i), call->getParamByValType(i));
    }
  }

  /// The GPU has no masked loads: it reads the whole vector and uses a part. Its masked
  /// stores write single elements.
  bool reportMasked(IntrinsicInst &intrinsic) {
    if (intrinsic.getIntrinsicID() == Intrinsic::masked_load && isa<Constant>(intrinsic.getArgOperand(1))) {
      report(abi::Operation::Load, intrinsic.getArgOperand(0), intrinsic.getType());
      return true;
    }
    return false;
  }

  void reportUnknown(IntrinsicInst &intrinsic) {
    if (!intrinsic.mayReadOrWriteMemory() || intrinsic.isAssumeLikeIntrinsic() ||
        intrinsic.getIntrinsicID() == Intrinsic::prefetch)
      return;
    for (Value *argument : intrinsic.args())
      if (argument->getType()->isPtrOrPtrVectorTy()) {
        warn(&intrinsic, "the access log does not know " + intrinsic.getCalledFunction()->getName());
        return;
      }
  }

  void report(abi::Operation operation, Value *pointer, Type *type) {
    report(operation, pointer, b.getInt64(layout_.getTypeStoreSize(type)));
  }

  void report(abi::Operation operation, Value *pointer, Value *bytes) {
    if (isa<AllocaInst>(pointer->stripPointerCasts()))
      return;
    if (pointer->getType()->getPointerAddressSpace() != 0)
      pointer = b.CreateAddrSpaceCast(pointer, b.getPtrTy());
    b.call(Call::WitnessAccess, {b.i32(static_cast<std::uint32_t>(operation)), pointer,
                                 b.CreateZExtOrTrunc(bytes, b.getInt64Ty())});
  }

  /// The host registers some of the module's variables only: the witness needs all
  /// that lie in global memory.
  void announceVariables() {
    Function *constructor = Function::Create(FunctionType::get(b.getVoidTy(), false),
                                             GlobalValue::InternalLinkage, "cupr.witness", module_);
    b.SetInsertPoint(BasicBlock::Create(module_.getContext(), "", constructor));
    b.SetCurrentDebugLocation(DebugLoc());
    for (GlobalVariable &variable : module_.globals()) {
      const unsigned space = variable.getAddressSpace();
      if ((space != kGenericSpace && space != kGlobalSpace) || variable.isDeclaration() ||
          variable.isThreadLocal() || variable.getName().starts_with("llvm."))
        continue;
      b.call(Call::WitnessGlobal, {b.CreatePointerBitCastOrAddrSpaceCast(&variable, b.getPtrTy()),
                                   b.getInt64(layout_.getTypeAllocSize(variable.getValueType()))});
    }
    b.CreateRetVoid();
    appendToGlobalCtors(module_, constructor, kConstructorPriority);
  }

  Module &module_;
  const DataLayout &layout_;
  DeviceBuilder &b;
};

} // namespace

void insertWitnessCalls(Module &module, DeviceBuilder &builder) { WitnessCalls(module, builder).insert(); }

} // namespace cupr::cpu
