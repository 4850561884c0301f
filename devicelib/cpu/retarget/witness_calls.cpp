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
#include "memory_accesses.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

/// After the module's own registration; the order does not matter.
constexpr int kWitnessPriority = 151;

class WitnessCalls {
public:
  WitnessCalls(Module &module, DeviceBuilder &builder, bool withValues)
      : module_(module), layout_(module.getDataLayout()), b(builder), withValues_(withValues) {}

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
    for (const MemoryAccess &access : accessesOf(instruction)) {
      b.SetInsertPoint(&instruction);
      report(access, instruction);
    }
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction); intrinsic && hasUnknownAccess(*intrinsic))
      warn(intrinsic, "the access log does not know " + intrinsic->getCalledFunction()->getName());
  }

  void report(const MemoryAccess &access, Instruction &instruction) {
    Value *pointer = access.pointer;
    if (isa<AllocaInst>(pointer->stripPointerCasts()))
      return;
    if (pointer->getType()->getPointerAddressSpace() != 0)
      pointer = b.CreateAddrSpaceCast(pointer, b.getPtrTy());
    Value *const bytes = access.bytes(b, layout_);
    const abi::OperationClass kind = abi::operationClass(access.operation);
    if (withValues_ && kind != abi::OperationClass::Store)
      b.call(Call::WitnessValue, {b.i32(0), pointer, bytes});
    b.call(Call::WitnessAccess, {b.i32(static_cast<std::uint32_t>(access.operation)), pointer, bytes});
    if (withValues_ && kind != abi::OperationClass::Load) {
      b.SetInsertPoint(instruction.getNextNode());
      b.call(Call::WitnessValue, {b.i32(1), pointer, bytes});
    }
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
    appendToGlobalCtors(module_, constructor, kWitnessPriority);
  }

  Module &module_;
  const DataLayout &layout_;
  DeviceBuilder &b;
  const bool withValues_;
};

} // namespace

void insertWitnessCalls(Module &module, DeviceBuilder &builder, bool withValues) {
  WitnessCalls(module, builder, withValues).insert();
}

} // namespace cupr::cpu
