#include "analysis.h"

#include "pointer_escape.h"
#include "storage.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// What the type of a pointer alone says.
Space spaceOfType(const Type *type) {
  const auto *pointer = dyn_cast<PointerType>(type->getScalarType());
  if (!pointer)
    return Space::Unvisited;
  switch (pointer->getAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_GENERIC:
    return Space::Unvisited;
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return Space::Global;
  default:
    return Space::NotGlobal;
  }
}

} // namespace

bool isCalledFromOutside(const Function &function) {
  return function.isVarArg() || function.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/true,
                                                         /*IgnoreAssumeLikeCalls=*/true,
                                                         /*IgnoreLLVMUsed=*/true);
}

std::vector<unsigned> Context::globalArguments() const {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < pattern.size(); ++i)
    if (pattern[i] == Space::Global)
      result.push_back(i);
  return result;
}

AddressSpaceAnalysis::AddressSpaceAnalysis(Module &module) : module_(module) {
  leaks_ = pointersEscape(module);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    SmallVector<Space, 8> pattern;
    if (isKernel(function)) {
      for (const Argument &argument : function.args())
        pattern.push_back(argument.hasByValAttr()            ? Space::NotGlobal
                          : holdsPointer(argument.getType()) ? Space::Global
                                                             : Space::Unvisited);
      contextFor(function, std::move(pattern));
    } else if (isCalledFromOutside(function)) {
      for (const Argument &argument : function.args())
        pattern.push_back(argument.hasByValAttr()            ? Space::NotGlobal
                          : holdsPointer(argument.getType()) ? Space::Both
                                                             : Space::Unvisited);
      contextFor(function, std::move(pattern));
    }
  }
  while (!work_.empty()) {
    Context *context = work_.back();
    work_.pop_back();
    evaluate(*context);
  }
}

Context *AddressSpaceAnalysis::contextFor(Function &function, SmallVector<Space, 8> pattern) {
  SmallVector<Context *, 2> &known = byFunction_[&function];
  if (known.size() >= kMaxContexts)
    for (unsigned i = 0; i < pattern.size(); ++i)
      if (pattern[i] != Space::Unvisited || holdsPointer(function.getArg(i)->getType()))
        pattern[i] = function.getArg(i)->hasByValAttr() ? Space::NotGlobal : Space::Both;
  for (Context *context : known)
    if (context->pattern == pattern)
      return context;
  contexts_.push_back(std::make_unique<Context>());
  Context *context = contexts_.back().get();
  context->function = &function;
  context->pattern = std::move(pattern);
  known.push_back(context);
  work_.push_back(context);
  return context;
}

void AddressSpaceAnalysis::evaluate(Context &context) {
  const Space before = context.returned;
  for (bool moved = true; moved;) {
    moved = false;
    for (Instruction &instruction : instructions(*context.function)) {
      if (auto *back = dyn_cast<ReturnInst>(&instruction)) {
        if (back->getReturnValue() && holdsPointer(back->getReturnValue()->getType()))
          context.returned = join(context.returned, spaceOf(context, back->getReturnValue()));
        continue;
      }
      Space space;
      if (auto *call = dyn_cast<CallBase>(&instruction))
        space = evaluateCall(context, *call);
      else if (holdsPointer(instruction.getType()))
        space = evaluate(context, instruction);
      else
        continue;
      Space &value = context.values[&instruction];
      const Space joined = join(value, space);
      moved |= joined != value;
      value = joined;
    }
  }
  if (context.returned != before)
    for (Context *caller : context.callers)
      if (!is_contained(work_, caller))
        work_.push_back(caller);
}

Space AddressSpaceAnalysis::evaluateCall(Context &context, CallBase &call) {
  Function *callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
  const bool givesPointer = holdsPointer(call.getType());
  if (!callee || callee->isDeclaration() || callee->isIntrinsic() || callee->arg_size() != call.arg_size()) {
    if (!givesPointer)
      return Space::Unvisited;
    if (const Space byType = spaceOfType(call.getType()); byType != Space::Unvisited)
      return byType;
    if (const Value *same = call.getArgOperandWithAttribute(Attribute::Returned))
      return spaceOf(context, same);
    if (callee && callee->isIntrinsic())
      switch (callee->getIntrinsicID()) {
      case Intrinsic::launder_invariant_group:
      case Intrinsic::strip_invariant_group:
      case Intrinsic::ptrmask:
        return spaceOf(context, call.getArgOperand(0));
      default:
        return Space::Both;
      }
    // The device heap lies in global memory (CUDA programming guide, "Dynamic global memory allocation").
    return callee && callee->getName() == "malloc" ? Space::Global : Space::Both;
  }
  SmallVector<Space, 8> pattern;
  for (const Argument &argument : callee->args()) {
    Space space = Space::Unvisited;
    if (argument.hasByValAttr())
      space = Space::NotGlobal;
    else if (holdsPointer(argument.getType()) && !argument.use_empty())
      space = spaceOf(context, call.getArgOperand(argument.getArgNo()));
    pattern.push_back(space);
  }
  Context *target = contextFor(*callee, std::move(pattern));
  context.calls[&call] = target;
  if (!is_contained(target->callers, &context))
    target->callers.push_back(&context);
  return givesPointer ? target->returned : Space::Unvisited;
}

Space AddressSpaceAnalysis::evaluate(Context &context, const Instruction &instruction) {
  if (const Space byType = spaceOfType(instruction.getType()); byType != Space::Unvisited)
    return byType;
  if (isa<AllocaInst>(instruction))
    return Space::NotGlobal;
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return evaluateLoad(context, *load);
  if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
    Space space = Space::Unvisited;
    for (const Value *incoming : phi->incoming_values())
      space = join(space, spaceOf(context, incoming));
    return space;
  }
  if (const auto *select = dyn_cast<SelectInst>(&instruction))
    return join(spaceOf(context, select->getTrueValue()), spaceOf(context, select->getFalseValue()));
  if (const auto *element = dyn_cast<GetElementPtrInst>(&instruction);
      element && isa<ConstantPointerNull>(element->getPointerOperand()))
    return Space::Both; // an integer in disguise
  if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst, FreezeInst, ExtractValueInst,
          ExtractElementInst>(instruction))
    return spaceOf(context, instruction.getOperand(0));
  if (isa<InsertValueInst, InsertElementInst>(instruction)) {
    const Space rest = spaceOf(context, instruction.getOperand(0));
    const Value *inserted = instruction.getOperand(1);
    return holdsPointer(inserted->getType()) ? join(rest, spaceOf(context, inserted)) : rest;
  }
  if (isa<ShuffleVectorInst>(instruction))
    return join(spaceOf(context, instruction.getOperand(0)), spaceOf(context, instruction.getOperand(1)));
  if (isa<IntToPtrInst>(instruction)) {
    // A pointer that went through an integer: look through additions to the one pointer it came from.
    const Value *integer = instruction.getOperand(0);
    while (const auto *arithmetic = dyn_cast<BinaryOperator>(integer)) {
      if (!isa<ConstantInt>(arithmetic->getOperand(1)))
        break;
      integer = arithmetic->getOperand(0);
    }
    if (const auto *from = dyn_cast<PtrToIntOperator>(integer))
      return spaceOf(context, from->getPointerOperand());
  }
  return Space::Both;
}

Space AddressSpaceAnalysis::evaluateLoad(const Context &context, const LoadInst &load) const {
  const Value *pointer = load.getPointerOperand();
  const std::uint64_t bytes = module_.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
  if (const Argument *parameter = kernelParameter(pointer))
    return contentOf(context, *parameter, *pointer, bytes);
  const Value *object = getUnderlyingObject(pointer, 0);
  if (isa<AllocaInst>(object))
    return contentOf(context, *object, *pointer, bytes);
  if (const auto *variable = dyn_cast<GlobalVariable>(object);
      variable && variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST)
    return leaks_ ? Space::Both : Space::Global;
  switch (spaceOf(context, pointer)) {
  case Space::Unvisited:
    return Space::Unvisited;
  case Space::Global:
    return leaks_ ? Space::Both : Space::Global;
  default:
    return Space::Both;
  }
}

/// The join of all pointers that may lie in the `bytes` bytes (none: not known how many) at `pointer` in
/// `object`, a local variable or a by-value kernel parameter. Both when stores may be hidden.
///
/// Code takes pointers apart: it copies them byte by byte, or as integers through a union. So whatever is
/// stored in their place counts, unless the two places are known to be apart.
Space AddressSpaceAnalysis::contentOf(const Context &context, const Value &object, const Value &pointer,
                                      std::optional<std::uint64_t> bytes) const {
  const DataLayout &layout = module_.getDataLayout();
  const Extent wanted = extentIn(object, pointer, bytes, layout);
  const auto isApart = [&](const Value &address, std::optional<std::uint64_t> written) {
    return !wanted.mayOverlap(extentIn(object, address, written, layout));
  };

  Space space = isa<Argument>(object) ? Space::Global : Space::Unvisited;
  const bool seenAll = visitWrites(object, [&](const Instruction &write, const Value &address) {
    if (const auto *store = dyn_cast<StoreInst>(&write)) {
      const Value *stored = store->getValueOperand();
      if (isApart(address, layout.getTypeStoreSize(stored->getType()).getFixedValue()))
        return true;
      if (holdsPointer(stored->getType()))
        space = join(space, spaceOf(context, stored));
      else if (!isa<Constant>(stored))
        return false; // could be a pointer in disguise
      return true;
    }
    const auto *transfer = dyn_cast<MemTransferInst>(&write);
    if (!transfer) // a set: no pointer
      return true;
    const auto *constant = dyn_cast<ConstantInt>(transfer->getLength());
    const auto length = constant ? std::optional(constant->getZExtValue()) : std::nullopt;
    if (isApart(address, length))
      return true;
    const Argument *parameter = kernelParameter(transfer->getRawSource());
    if (parameter)
      space = join(space, contentOf(context, *parameter, *transfer->getRawSource(), length));
    return parameter != nullptr;
  });
  return seenAll ? space : Space::Both;
}

Space AddressSpaceAnalysis::constantSpace(const Constant *constant) const {
  if (isa<UndefValue, ConstantPointerNull, ConstantAggregateZero>(constant))
    return Space::Unvisited;
  if (const Space byType = spaceOfType(constant->getType()); byType != Space::Unvisited)
    return byType;
  if (const auto *variable = dyn_cast<GlobalVariable>(constant))
    return variable->getAddressSpace() == 0 ? Space::Global : spaceOfType(variable->getType());
  if (isa<Function>(constant))
    return Space::NotGlobal;
  if (const auto *expression = dyn_cast<ConstantExpr>(constant)) {
    if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator>(expression))
      return constantSpace(expression->getOperand(0));
    return Space::Both;
  }
  if (const auto *aggregate = dyn_cast<ConstantAggregate>(constant)) {
    Space space = Space::Unvisited;
    for (const Use &element : aggregate->operands())
      if (holdsPointer(element->getType()))
        space = join(space, constantSpace(cast<Constant>(element)));
    return space;
  }
  return Space::Both;
}

Space AddressSpaceAnalysis::spaceOf(const Context &context, const Value *pointer) const {
  if (const Space byType = spaceOfType(pointer->getType()); byType != Space::Unvisited)
    return byType;
  if (const auto *constant = dyn_cast<Constant>(pointer))
    return constantSpace(constant);
  if (const auto *argument = dyn_cast<Argument>(pointer))
    return context.pattern[argument->getArgNo()];
  return context.values.lookup(pointer);
}

} // namespace cupr::pass
