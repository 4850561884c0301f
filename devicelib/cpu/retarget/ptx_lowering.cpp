#include "ptx_lowering.h"

#include "lowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace cupr::cpu {

std::optional<PtxType> lastType(const ptx::Statement &statement) {
  return ptx::typeNamed(statement.operation.back());
}

PtxType unsignedType(unsigned bits) { return {PtxType::Kind::Unsigned, bits, 1}; }

Type *PtxLowering::llvmType(PtxType type) {
  Type *element = nullptr;
  if (type.kind == PtxType::Kind::Brain)
    element = b.getBFloatTy();
  else if (type.kind == PtxType::Kind::Float)
    element = type.bits == 16 ? b.getHalfTy() : type.bits == 32 ? b.getFloatTy() : b.getDoubleTy();
  else
    element = b.getIntNTy(type.bits);
  return type.lanes == 1 ? element : FixedVectorType::get(element, type.lanes);
}

PtxLowering::Register *PtxLowering::find(const std::string &name) {
  const auto found = registers_.find(name);
  return found == registers_.end() ? nullptr : &found->second;
}

AllocaInst *PtxLowering::allocate(Type *type) {
  IRBuilder<>::InsertPointGuard guard(b);
  BasicBlock &entry = call_.getFunction()->getEntryBlock();
  b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  return b.CreateAlloca(type, nullptr, "ptx");
}

PtxLowering::Register &PtxLowering::declare(const std::string &name, unsigned bits) {
  return registers_[name] = Register{allocate(b.getIntNTy(bits)), bits};
}

Value *PtxLowering::read(const ptx::Operand &operand, PtxType type) {
  using Kind = ptx::Operand::Kind;
  Type *bitsType = b.getIntNTy(type.totalBits());
  Value *bits = nullptr;
  switch (operand.kind) {
  case Kind::Integer:
    if (type.isFloat())
      return ConstantFP::get(llvmType(type), static_cast<double>(operand.value));
    bits = ConstantInt::get(b.getContext(),
                            APInt(type.totalBits(), static_cast<std::uint64_t>(operand.value), false, true));
    break;
  case Kind::Float: {
    if (!type.isFloat()) {
      bits = ConstantInt::get(
          b.getContext(), APInt(type.totalBits(), static_cast<std::uint64_t>(operand.value), false, true));
      break;
    }
    Value *value =
        operand.floatBits == 32
            ? b.CreateBitCast(b.i32(static_cast<std::uint32_t>(operand.value)), b.getFloatTy())
            : b.CreateBitCast(b.getInt64(static_cast<std::uint64_t>(operand.value)), b.getDoubleTy());
    return b.CreateFPCast(value, llvmType(type));
  }
  case Kind::Special: {
    bits = b.specialRegister(operand.name);
    if (!bits) {
      unknown_ = "%" + operand.name;
      return PoisonValue::get(llvmType(type));
    }
    break;
  }
  case Kind::Vector: { // packed: the first element is the lowest
    const unsigned each = type.totalBits() / static_cast<unsigned>(operand.elements.size());
    bits = ConstantInt::get(bitsType, 0);
    for (unsigned i = 0; i < operand.elements.size(); ++i) {
      Value *element = read(operand.elements[i], PtxType{PtxType::Kind::Bits, each, 1});
      bits = b.CreateOr(bits, b.CreateShl(b.CreateZExt(element, bitsType), i * each));
    }
    break;
  }
  case Kind::Register: {
    if (const auto immediate = immediates_.find(operand.name); immediate != immediates_.end()) {
      bits = immediate->second;
      break;
    }
    Register *r = find(operand.name);
    if (!r) {
      unknown_ = "register " + operand.name;
      return PoisonValue::get(llvmType(type));
    }
    bits = b.CreateLoad(b.getIntNTy(r->bits), r->slot);
    break;
  }
  default:
    unknown_ = "an operand";
    return PoisonValue::get(llvmType(type));
  }
  bits = type.isSigned() ? b.CreateSExtOrTrunc(bits, bitsType) : b.CreateZExtOrTrunc(bits, bitsType);
  if (type.kind == PtxType::Kind::Predicate && operand.negated)
    return b.CreateNot(bits);
  Value *value = b.CreateBitCast(bits, llvmType(type));
  if (operand.negated)
    value = type.isFloat() ? b.CreateFNeg(value) : b.CreateNeg(value);
  return value;
}

Value *PtxLowering::readPredicate(const ptx::Operand &operand) {
  if (operand.kind == ptx::Operand::Kind::Integer)
    return b.getInt1(operand.value != 0);
  if (const auto immediate = immediates_.find(operand.name); immediate != immediates_.end())
    return b.isTrue(immediate->second);
  Register *r = find(operand.name);
  if (!r) {
    unknown_ = "predicate " + operand.name;
    return b.getFalse();
  }
  Value *value = b.isTrue(b.CreateLoad(b.getIntNTy(r->bits), r->slot));
  return operand.negated ? b.CreateNot(value) : value;
}

void PtxLowering::writeTo(const std::string &name, Value *value, bool isSigned) {
  Register *r = find(name);
  if (!r) {
    unknown_ = "register " + name;
    return;
  }
  Value *bits = b.asInteger(value);
  Type *type = b.getIntNTy(r->bits);
  b.CreateStore(isSigned ? b.CreateSExtOrTrunc(bits, type) : b.CreateZExtOrTrunc(bits, type), r->slot);
}

void PtxLowering::write(const ptx::Operand &operand, Value *value, PtxType type) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::Discard)
    return;
  if (operand.kind == Kind::Vector) {
    const unsigned each = type.totalBits() / static_cast<unsigned>(operand.elements.size());
    Value *bits = b.asInteger(value);
    for (unsigned i = 0; i < operand.elements.size(); ++i)
      if (operand.elements[i].kind != Kind::Discard)
        writeTo(operand.elements[i].name, b.CreateTrunc(b.CreateLShr(bits, i * each), b.getIntNTy(each)),
                false);
    return;
  }
  writeTo(operand.name, value, type.isSigned());
}

Value *PtxLowering::address(const ptx::Operand &operand) {
  Value *base = b.getInt64(0);
  if (!operand.name.empty())
    base = read(ptx::Operand{ptx::Operand::Kind::Register, operand.name, "", false, 0, 0, {}},
                PtxType{PtxType::Kind::Unsigned, 64, 1});
  if (!operand.second.empty())
    base = b.CreateAdd(base, b.CreateSExtOrTrunc(immediates_.lookup(operand.second), b.getInt64Ty()));
  if (operand.value)
    base = b.CreateAdd(base, b.getInt64(static_cast<std::uint64_t>(operand.value)));
  return b.CreateIntToPtr(base, b.getPtrTy());
}

BasicBlock *PtxLowering::label(const std::string &name) {
  BasicBlock *&block = labels_[name];
  if (!block)
    block = BasicBlock::Create(b.getContext(), "ptx." + name, call_.getFunction(), call_.getParent());
  return block;
}

/// Gives `$n` its register: outputs come first, then inputs; a tied input starts
/// its output off.
bool PtxLowering::bindOperands() {
  auto *assembly = cast<InlineAsm>(call_.getCalledOperand());
  unsigned number = 0, argument = 0;
  for (const InlineAsm::ConstraintInfo &info : assembly->ParseConstraints()) {
    if (info.Type == InlineAsm::isClobber)
      continue;
    if (info.isIndirect || info.Type == InlineAsm::isLabel) {
      unknown_ = "a memory operand";
      return false;
    }
    const std::string name = "$" + std::to_string(number++);
    if (info.Type == InlineAsm::isOutput) {
      Type *type = call_.getType();
      if (auto *structure = dyn_cast<StructType>(type))
        type = structure->getElementType(outputs_);
      ++outputs_;
      const unsigned bits =
          static_cast<unsigned>(call_.getModule()->getDataLayout().getTypeSizeInBits(type).getFixedValue());
      if (bits == 0) {
        unknown_ = "an output operand";
        return false;
      }
      declare(name, bits);
      continue;
    }
    Value *value = call_.getArgOperand(argument++);
    if (value->getType()->isPointerTy())
      value = b.CreatePtrToInt(value, b.getInt64Ty());
    value = b.asInteger(value);
    const std::string &target = name;
    if (info.hasMatchingInput() || (!info.Codes.empty() && isDigit(info.Codes[0][0])))
      b.CreateStore(value, find("$" + info.Codes[0])->slot);
    if (isa<ConstantInt>(value)) {
      immediates_[target] = value;
    } else {
      declare(target, value->getType()->getIntegerBitWidth());
      writeTo(target, value, false);
    }
  }
  return true;
}

bool PtxLowering::lower(Value *&result) {
  auto *assembly = cast<InlineAsm>(call_.getCalledOperand());
  const std::vector<ptx::Statement> statements =
      ptx::parse(ptx::withOperandNames(assembly->getAsmString().str()));
  for (const ptx::Statement &statement : statements)
    if (statement.kind == ptx::Statement::Kind::Unparsed) {
      unknown_ = "it can't be parsed";
      return false;
    }
  // The blocks that belong to this call: split them off, so that a failure can drop them.
  BasicBlock *before = call_.getParent();
  BasicBlock *after = SplitBlock(before, &call_);
  BasicBlock *body = BasicBlock::Create(b.getContext(), "ptx", call_.getFunction(), after);
  b.SetInsertPoint(body);
  b.SetCurrentDebugLocation(call_.getDebugLoc());
  bool good = bindOperands();
  for (const ptx::Statement &statement : statements) {
    if (!good || !emit(statement) || !unknown_.empty()) {
      good = false;
      if (unknown_.empty() || statement.kind == ptx::Statement::Kind::Instruction)
        unknown_ = join(statement.operation, ".") + (unknown_.empty() ? "" : " (" + unknown_ + ")");
      break;
    }
  }
  if (!good) {
    // Leave what was built unreachable but well formed; the caller reports.
    if (!b.GetInsertBlock()->getTerminator())
      b.CreateUnreachable();
    for (auto &entry : labels_)
      if (!entry.second->getTerminator())
        new UnreachableInst(b.getContext(), entry.second);
    return false;
  }
  if (!b.GetInsertBlock()->getTerminator())
    b.CreateBr(after);
  for (auto &entry : labels_)
    if (!entry.second->getTerminator()) {
      unknown_ = "label " + entry.first().str();
      new UnreachableInst(b.getContext(), entry.second);
      return false;
    }
  before->getTerminator()->setSuccessor(0, body);
  b.SetInsertPoint(&call_);
  result = nullptr;
  if (call_.getType()->isVoidTy())
    return true;
  SmallVector<Value *> values;
  for (unsigned i = 0; i < outputs_; ++i) {
    Register *r = find("$" + std::to_string(i));
    Type *type = call_.getType();
    if (auto *structure = dyn_cast<StructType>(type))
      type = structure->getElementType(i);
    Value *bits = b.CreateLoad(b.getIntNTy(r->bits), r->slot);
    values.push_back(type->isPointerTy() ? b.CreateIntToPtr(bits, type) : b.CreateBitCast(bits, type));
  }
  if (!call_.getType()->isStructTy()) {
    result = values[0];
    return true;
  }
  result = PoisonValue::get(call_.getType());
  for (unsigned i = 0; i < outputs_; ++i)
    result = b.CreateInsertValue(result, values[i], i);
  return true;
}

bool PtxLowering::emit(const ptx::Statement &s) {
  if (s.kind == ptx::Statement::Kind::Label) {
    BasicBlock *block = label(s.operation[0]);
    if (!b.GetInsertBlock()->getTerminator())
      b.CreateBr(block);
    block->moveAfter(b.GetInsertBlock());
    b.SetInsertPoint(block);
    return true;
  }
  if (s.kind == ptx::Statement::Kind::Declaration) {
    const auto type = ptx::typeNamed(s.operation.back());
    if (!type)
      return false;
    for (const ptx::Operand &name : s.operands)
      declare(name.name, type->totalBits());
    return true;
  }
  if (s.guard.empty())
    return emitInstruction(s);
  Value *condition = readPredicate({ptx::Operand::Kind::Register, s.guard, "", s.guardNegated, 0, 0, {}});
  BasicBlock *then = BasicBlock::Create(b.getContext(), "ptx.then", call_.getFunction(), call_.getParent());
  BasicBlock *next = BasicBlock::Create(b.getContext(), "ptx.next", call_.getFunction(), call_.getParent());
  b.CreateCondBr(condition, then, next);
  b.SetInsertPoint(then);
  const bool good = emitInstruction(s);
  if (!b.GetInsertBlock()->getTerminator())
    b.CreateBr(next);
  b.SetInsertPoint(next);
  return good;
}

bool PtxLowering::emitInstruction(const ptx::Statement &s) {
  // What follows a jump can't be reached; it still has to be somewhere.
  if (b.GetInsertBlock()->getTerminator())
    b.SetInsertPoint(BasicBlock::Create(b.getContext(), "ptx.dead", call_.getFunction(), call_.getParent()));
  const ptx::Instruction *const known = ptx::findInstruction(s.operation[0]);
  if (!known)
    return false;
  // In the order of ptx::Lowering.
  constexpr bool (PtxLowering::*kLowerings[])(const ptx::Statement &) = {
      &PtxLowering::emitTexture, &PtxLowering::emitSurface, &PtxLowering::emitMove,
      &PtxLowering::emitCarry,   &PtxLowering::emitFloat,   &PtxLowering::emitInteger,
      &PtxLowering::emitBits,    &PtxLowering::emitCompare, &PtxLowering::emitConvert,
      &PtxLowering::emitMemory,  &PtxLowering::emitAtomic,  &PtxLowering::emitMbarrier,
      &PtxLowering::emitWarp,    &PtxLowering::emitMatrix,  &PtxLowering::emitVideo,
      &PtxLowering::emitControl};
  static_assert(1u << (std::size(kLowerings) - 1) == ptx::Control);
  for (unsigned i = 0; i < std::size(kLowerings); ++i)
    if (known->lowerings >> i & 1u && (this->*kLowerings[i])(s))
      return true;
  return false;
}

void lowerInlineAssembly(Module &module, DeviceBuilder &builder) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm())
        calls.push_back(call);
  StringMap<bool> warned;
  for (CallInst *call : calls) {
    const StringRef text = cast<InlineAsm>(call->getCalledOperand())->getAsmString();
    Value *result = nullptr;
    PtxLowering lowering(builder, *call);
    if (!lowering.lower(result)) {
      if (warned.try_emplace(text, true).second)
        warn(call, "the CPU device does not know the inline PTX \"" + text + "\" (" + lowering.unknown() +
                       "); a kernel that gets there fails");
      builder.SetInsertPoint(call);
      builder.unsupported(("inline PTX \"" + text + "\"").str());
    }
    if (!call->getType()->isVoidTy())
      call->replaceAllUsesWith(result ? result : Constant::getNullValue(call->getType()));
    call->eraseFromParent();
  }
}

} // namespace cupr::cpu
