#include "local_variables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace cupr::pass {
namespace {

bool holdsArray(const Type &type) {
  if (const auto *structure = dyn_cast<StructType>(&type))
    return any_of(structure->elements(), [](const Type *element) { return holdsArray(*element); });
  return type.isArrayTy();
}

/// One of a fixed place in its function's frame.
bool isArray(const AllocaInst &variable) {
  return variable.isStaticAlloca() && holdsArray(*variable.getAllocatedType());
}

std::uint64_t bytesOf(const AllocaInst &variable) {
  return variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
}

/// Whether all that stores through this pointer is recorded: code of the module, and no other, has it, and it lies in no memory.
class Writers {
public:
  bool areKnown(const Value &pointer) {
    if (!seen_.insert(&pointer).second)
      return true;
    return seen_.size() < kMost && all_of(pointer.uses(), [&](const Use &use) { return isKnown(use); });
  }

private:
  static constexpr unsigned kMost = 1000;

  bool isKnown(const Use &use) {
    const auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      return false;
    if (isa<LoadInst, ICmpInst>(user))
      return true;
    if (isa<StoreInst>(user))
      return use.getOperandNo() == StoreInst::getPointerOperandIndex();
    if (isa<AtomicRMWInst>(user))
      return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex();
    if (isa<AtomicCmpXchgInst>(user))
      return use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex();
    if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst, FreezeInst>(user))
      return areKnown(*user);
    const auto *call = dyn_cast<CallBase>(user);
    if (!call || !call->isArgOperand(&use))
      return false;
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call)) {
      const auto *memory = dyn_cast<MemIntrinsic>(intrinsic);
      return intrinsic->isAssumeLikeIntrinsic() || (memory && isa<ConstantInt>(memory->getLength()));
    }
    const unsigned argument = call->getArgOperandNo(&use);
    const Function *callee = call->getCalledFunction();
    return call->isByValArgument(argument) ||
           (callee && !callee->isDeclaration() && !callee->isVarArg() && areKnown(*callee->getArg(argument)));
  }

  SmallPtrSet<const Value *, 16> seen_;
};

/// Whether what it reads is asked for. A load that can't fail may be made earlier than the program says, whether it is needed or not; and
/// who copies a structure may mean a part of it.
bool readsSurely(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  if (!load || load->isVolatile())
    return load || instruction.isAtomic();
  return !load->getType()->isVectorTy() &&
         !isDereferenceablePointer(load->getPointerOperand(), load->getType(), load->getDataLayout());
}

} // namespace

const std::string &LocalVariables::nameOf(const AllocaInst &variable) {
  std::string &name = names_[&variable];
  if (!name.empty())
    return name;
  const auto declared = findDVRDeclares(const_cast<AllocaInst *>(&variable));
  name = declared.empty() ? "array" : declared.front()->getVariable()->getName().str();
  if (const unsigned before = used_[name]++)
    name += "." + std::to_string(before);
  return name;
}

SmallVector<Access, 2> LocalVariables::begunAt(Instruction &instruction) {
  SmallVector<Access, 2> begun;
  BasicBlock &block = *instruction.getParent();
  if (!block.isEntryBlock() || &*block.getFirstNonPHIOrDbgOrAlloca() != &instruction)
    return begun;
  for (Instruction &other : block)
    if (auto *variable = dyn_cast<AllocaInst>(&other);
        variable && isArray(*variable) && variable->comesBefore(&instruction)) {
      Access access;
      access.instruction = &instruction;
      access.pointer = variable;
      access.operation = abi::Operation::LocalVariable;
      access.bytes = bytesOf(*variable);
      access.space = abi::MemorySpace::Local;
      access.variable = nameOf(*variable);
      access.isSure = Writers().areKnown(*variable);
      begun.push_back(std::move(access));
    }
  return begun;
}

void LocalVariables::describe(Access &access) {
  if (!abi::isAccess(access.operation) || !access.pointer->getType()->isPointerTy())
    return;
  const auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(access.pointer, 0));
  if (!variable || !isArray(*variable))
    return;
  access.variable = nameOf(*variable);
  access.isSure = readsSurely(*access.instruction);
}

} // namespace cupr::pass
