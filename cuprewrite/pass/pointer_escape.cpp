#include "pointer_escape.h"

#include "storage.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Functions of the device's runtime that keep no pointer.
bool isInert(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() &&
         (callee->getName() == "vprintf" || callee->getName() == "free" ||
          callee->getName() == "__assertfail" || callee->getName() == "__nvvm_reflect");
}

class EscapeFinder {
public:
  explicit EscapeFinder(const Module &module) : module_(module), layout_(module.getDataLayout()) {}

  bool find() {
    for (const GlobalVariable &variable : module_.globals())
      if (variable.hasInitializer() && !variable.getName().starts_with("llvm.") &&
          holdsHarmful(*variable.getInitializer()))
        return true;
    for (const Function &function : module_) {
      for (const Argument &argument : function.args())
        if (argument.hasByValAttr() && !isKernel(function) && holdsPointer(argument.getParamByValType()))
          stain(argument, {});
      for (const Instruction &instruction : instructions(function))
        if (visit(instruction))
          return true;
    }
    // Stained storage is looked at last, since copies stain more of it.
    while (!stained_.empty()) {
      const auto [object, extent] = stained_.pop_back_val();
      if (isExposed(*object, extent))
        return true;
    }
    return false;
  }

private:
  /// The object that the address points into, if it is a function's own; else null.
  static const Value *ownStorage(const Value &address) {
    const Value *object = getUnderlyingObject(&address, 0);
    const auto *argument = dyn_cast<Argument>(object);
    return isa<AllocaInst>(object) || (argument && argument->hasByValAttr()) ? object : nullptr;
  }

  bool isHarmless(const Value &pointer, unsigned depth = 0) const {
    if (!pointer.getType()->isPointerTy() || depth > 4)
      return false;
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(&pointer, objects, nullptr, 0);
    return all_of(objects, [&](const Value *object) {
      if (isa<ConstantPointerNull, UndefValue, Function>(object))
        return true;
      if (const auto *type = dyn_cast<PointerType>(object->getType());
          type && type->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL)
        return true;
      if (const auto *argument = dyn_cast<Argument>(object))
        return isKernel(*argument->getParent()) && !argument->hasByValAttr();
      if (const auto *variable = dyn_cast<GlobalVariable>(object))
        return variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GENERIC;
      if (const auto *load = dyn_cast<LoadInst>(object))
        return isClean(*load->getPointerOperand(), depth + 1);
      const auto *call = dyn_cast<CallBase>(object);
      return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "malloc";
    });
  }

  /// Whether there is a harmful pointer in the initial value of a variable.
  bool holdsHarmful(const Constant &initial) const {
    if (initial.getType()->isPointerTy())
      return !isHarmless(initial);
    if (const auto *expression = dyn_cast<ConstantExpr>(&initial))
      return hidesPointer(*expression);
    return isa<ConstantAggregate>(initial) && any_of(initial.operands(), [&](const Use &member) {
             return holdsHarmful(*cast<Constant>(member));
           });
  }

  /// Whether what lies at `address` is no harmful pointer: the memory is nobody's own.
  bool isClean(const Value &address, unsigned depth) const {
    if (const Argument *parameter = kernelParameter(&address))
      return visitWrites(*parameter, [](auto &&...) { return false; });
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(&address, objects, nullptr, 0);
    return all_of(objects, [&](const Value *object) {
      return isa<GlobalVariable>(object) || isHarmless(*object, depth);
    });
  }

  /// Notes that a harmful pointer lies in some bytes of a function's own storage.
  void stain(const Value &object, Extent extent) {
    SmallVector<Extent, 2> &known = stains_[&object];
    if (any_of(known,
               [&](const Extent &one) { return one.offset == extent.offset && one.length == extent.length; }))
      return;
    known.push_back(extent);
    stained_.push_back({&object, extent});
  }

  /// A harmful pointer, or a part of one, is written there. Whether it leaks.
  bool write(const Value &address, std::optional<std::uint64_t> length) {
    const Value *object = ownStorage(address);
    if (!object)
      return true;
    stain(*object, extentIn(*object, address, length, layout_));
    return false;
  }

  std::uint64_t bytesOf(const Value &value) const {
    return layout_.getTypeStoreSize(value.getType()).getFixedValue();
  }

  bool visit(const Instruction &instruction) {
    if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
      const Value *stored = store->getValueOperand();
      if (holdsPointer(stored->getType()) && !isHarmless(*stored) &&
          write(*store->getPointerOperand(), bytesOf(*stored)))
        return true;
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
      const Value *value = instruction.getOperand(isa<AtomicRMWInst>(instruction) ? 1 : 2);
      if (value->getType()->isPointerTy() && !isHarmless(*value) &&
          write(*instruction.getOperand(0), bytesOf(*value)))
        return true;
    } else if (const auto *call = dyn_cast<CallBase>(&instruction)) {
      // What other modules define may keep it.
      const Function *callee = call->getCalledFunction();
      if (callee && callee->isDeclaration() && !callee->isIntrinsic() && !isInert(*call))
        for (unsigned i = 0; i < call->arg_size(); ++i)
          if (call->getArgOperand(i)->getType()->isPointerTy() && !call->doesNotCapture(i) &&
              !isHarmless(*call->getArgOperand(i)))
            return true;
    } else if (isa<PtrToIntInst>(instruction)) {
      if (!isHarmless(*instruction.getOperand(0)) && escapesAsInteger(usesOf(instruction)))
        return true;
    }
    for (const Use &use : instruction.operands())
      if (const auto *constant = dyn_cast<ConstantExpr>(use);
          constant && hidesPointer(*constant) && escapesAsInteger({&use}))
        return true;
    return false;
  }

  /// Whether a constant integer is made from a harmful pointer.
  bool hidesPointer(const Constant &constant) const {
    if (const auto *made = dyn_cast<PtrToIntOperator>(&constant))
      return !isHarmless(*made->getPointerOperand());
    return constant.getType()->isIntOrIntVectorTy() && any_of(constant.operands(), [&](const Use &operand) {
             const auto *part = dyn_cast<ConstantExpr>(operand);
             return part && hidesPointer(*part);
           });
  }

  static SmallVector<const Use *, 8> usesOf(const Value &value) {
    SmallVector<const Use *, 8> uses;
    for (const Use &use : value.uses())
      uses.push_back(&use);
    return uses;
  }

  /// Follows integers that may be a pointer, or a part of one, through the code that uses them.
  bool escapesAsInteger(SmallVector<const Use *, 8> uses) {
    SmallPtrSet<const User *, 8> seen;
    while (!uses.empty()) {
      const Use *use = uses.pop_back_val();
      switch (fateOf(*use)) {
      case Fate::Leaks:
        return true;
      case Fate::GoesOn:
        if (seen.insert(use->getUser()).second)
          uses.append(usesOf(*use->getUser()));
        break;
      case Fate::Ends:
        break;
      }
    }
    return false;
  }

  enum class Fate { Ends, GoesOn, Leaks };

  Fate fateOf(const Use &use) {
    const User *user = use.getUser();
    if (const auto *store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() == 0 && write(*store->getPointerOperand(), bytesOf(*use)) ? Fate::Leaks
                                                                                          : Fate::Ends;
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
      return use.getOperandNo() != 0 ? Fate::Leaks : Fate::Ends;
    if (const auto *call = dyn_cast<CallBase>(user)) {
      if (isInert(*call))
        return Fate::Ends;
      const Function *callee = call->getCalledFunction();
      const bool isSeen = call->isInlineAsm() || (callee && callee->isIntrinsic());
      return !isSeen || (callee && callee->getName().contains("atomic")) ? Fate::Leaks : Fate::GoesOn;
    }
    if (isa<ReturnInst>(user))
      return Fate::Leaks;
    // A comparison tells nothing of the pointer; one that is made again is looked at where it is stored.
    if (isa<ICmpInst, IntToPtrInst, GetElementPtrInst, SwitchInst, LoadInst>(user))
      return Fate::Ends;
    if (const auto *arithmetic = dyn_cast<BinaryOperator>(user)) {
      // Alignments and distances are no pointers.
      const auto *mask = dyn_cast<ConstantInt>(arithmetic->getOperand(1));
      if (arithmetic->getOpcode() == Instruction::And && mask && mask->getValue().ult(4096))
        return Fate::Ends;
      if (arithmetic->getOpcode() == Instruction::Sub && isa<PtrToIntOperator>(arithmetic->getOperand(0)) &&
          isa<PtrToIntOperator>(arithmetic->getOperand(1)))
        return Fate::Ends;
    }
    return Fate::GoesOn;
  }

  /// Whether what lies in these bytes of own storage gets out of it in another way than as a pointer.
  bool isExposed(const Value &object, const Extent &extent) {
    SmallVector<const Value *, 8> addresses{&object};
    SmallPtrSet<const Value *, 8> seen{&object};
    while (!addresses.empty()) {
      const Value *address = addresses.pop_back_val();
      const auto isOther = [&](std::optional<std::uint64_t> length) {
        return !extent.mayOverlap(extentIn(object, *address, length, layout_));
      };
      for (const User *user : address->users()) {
        if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user)) {
          if (seen.insert(user).second)
            addresses.push_back(user);
        } else if (const auto *load = dyn_cast<LoadInst>(user)) {
          if (!load->getType()->isPointerTy() && !isOther(bytesOf(*load)))
            return true;
        } else if (const auto *store = dyn_cast<StoreInst>(user)) {
          if (store->getValueOperand() == address)
            return true;
        } else if (const auto *memory = dyn_cast<MemIntrinsic>(user)) {
          const auto *transfer = dyn_cast<MemTransferInst>(memory);
          const auto *constant = dyn_cast<ConstantInt>(memory->getLength());
          const auto length = constant ? std::optional(constant->getZExtValue()) : std::nullopt;
          if (transfer && transfer->getRawSource() == address && !isOther(length) &&
              write(*transfer->getRawDest(), length))
            return true;
        } else if (const auto *call = dyn_cast<CallBase>(user)) {
          const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
          const bool harmless =
              intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic());
          for (unsigned i = 0; !harmless && !isInert(*call) && i < call->arg_size(); ++i)
            if (call->getArgOperand(i) == address && !call->isByValArgument(i))
              return true;
        } else if (!isa<ICmpInst>(user)) {
          return true;
        }
      }
    }
    return false;
  }

  const Module &module_;
  const DataLayout &layout_;
  DenseMap<const Value *, SmallVector<Extent, 2>> stains_;
  SmallVector<std::pair<const Value *, Extent>, 8> stained_; ///< still to be looked at
};

} // namespace

bool pointersEscape(const Module &module) { return EscapeFinder(module).find(); }

} // namespace cupr::pass
