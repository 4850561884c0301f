#include "instruction_class.h"

#include "storage.h"

#include "devicelib/ptx/instructions.h"
#include "devicelib/ptx/parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <map>

using namespace llvm;

namespace cupr::pass {
namespace {

using Words = SmallVector<StringRef, 8>;

/// Of floating-point registers: `fp32`, `fp16x2`, and how many of them hold the type.
struct Registers {
  std::string name;
  unsigned count = 1;
};

std::string floatName(unsigned bits, bool isBrain) { return (isBrain ? "bf" : "fp") + std::to_string(bits); }

Registers registersOf(const Type &type) {
  const auto *vector = dyn_cast<FixedVectorType>(&type);
  const unsigned elements = vector ? vector->getNumElements() : 1;
  const Type &element = *type.getScalarType();
  if (element.isFloatingPointTy()) {
    const unsigned bits = element.getScalarSizeInBits();
    const std::string name = floatName(bits, element.isBFloatTy());
    return bits == 16 && elements > 1 ? Registers{name + "x2", (elements + 1) / 2}
                                      : Registers{name, elements};
  }
  return {element.isIntegerTy() && element.getScalarSizeInBits() > 32 ? "int64" : "int32", elements};
}

/// Whether a product and a sum may be rounded together, as the back end does where it may, within a block.
bool isContracted(const Instruction &instruction) {
  return isa<FPMathOperator>(instruction) && instruction.hasAllowContract() &&
         !instruction.getFunction()->hasOptNone();
}

/// The product that becomes one instruction with this sum; null: none does.
const Instruction *productIn(const Instruction &sum) {
  const bool isFloat = sum.getOpcode() == Instruction::FAdd || sum.getOpcode() == Instruction::FSub;
  if (!isFloat && sum.getOpcode() != Instruction::Add)
    return nullptr;
  if (isFloat && !isContracted(sum))
    return nullptr;
  for (const Value *operand : sum.operands()) {
    const auto *product = dyn_cast<Instruction>(operand);
    if (!product || product->getParent() != sum.getParent())
      continue;
    if (isFloat ? product->getOpcode() == Instruction::FMul && isContracted(*product)
                : product->getOpcode() == Instruction::Mul && product->hasOneUse())
      return product;
  }
  return nullptr;
}

/// Whether the product is part of each sum that takes it.
bool isInSums(const Instruction &product) {
  return !product.use_empty() && all_of(product.users(), [&](const User *user) {
    const auto *sum = dyn_cast<Instruction>(user);
    return sum && productIn(*sum) == &product;
  });
}

/// Of an operation on numbers, by the name that PTX has for it; empty: it is none.
StringRef arithmeticNamed(StringRef word) {
  return StringSwitch<StringRef>(word)
      .Cases({"add", "sub", "addc", "subc", "neg", "sad", "saturate"}, "add")
      .Cases({"mul", "mul24", "mulhi"}, "multiply")
      .Cases({"fma", "mad", "mad24", "madc"}, "fma")
      .Cases({"div", "rem"}, "divide")
      .Cases({"min", "max", "fmin", "fmax", "abs", "fabs", "copysign"}, "minmax")
      .Cases({"set", "setp", "testp"}, "compare")
      .Cases({"sqrt", "rsqrt", "rcp", "sin", "cos", "lg2", "ex2", "tanh"}, "special")
      .Cases({"and", "or", "xor", "not", "cnot", "lop3"}, "logic")
      .Cases({"shl", "shr", "shf"}, "shift")
      .Cases({"popc", "clz", "bfind", "brev", "bfe", "bfi", "bmsk", "szext", "fns", "prmt"}, "bits")
      .Cases({"dp4a", "dp2a"}, "dot")
      .Case("selp", "select")
      .Default("");
}

StringRef otherNamed(StringRef word) {
  return StringSwitch<StringRef>(word)
      .Cases({"cvt", "cvt_packfloat", "ceil", "floor", "round", "trunc", "rint"}, "compute.convert")
      .Case("shfl", "warp.shuffle")
      .Cases({"vote", "activemask", "elect"}, "warp.vote")
      .Case("match", "warp.match")
      .Case("redux", "warp.reduce")
      .Cases({"bar", "barrier"}, "control.barrier")
      .Case("griddepcontrol", "control.barrier")
      .Cases({"membar", "fence"}, "memory.fence")
      .Cases({"bra", "brx"}, "control.branch")
      .Case("call", "control.call")
      .Case("ret", "control.return")
      .Cases({"exit", "trap"}, "control.exit")
      .Cases({"prefetch", "prefetchu", "applypriority", "discard"}, "memory.prefetch")
      .Case("mbarrier", "memory.mbarrier")
      .Case("nanosleep", "control.sleep")
      .Default("");
}

/// `f32`, and of intrinsics `f`, `d`, `i`, `ll` and the like.
std::optional<ptx::Type> typeNamed(StringRef word) {
  using Kind = ptx::Type::Kind;
  const auto is = [](Kind kind, unsigned bits) { return ptx::Type{kind, bits, 1}; };
  if (word == "f" || word == "d")
    return is(Kind::Float, word == "f" ? 32 : 64);
  if (is_contained({"i", "ui", "s", "us"}, word))
    return is(Kind::Signed, 32);
  if (is_contained({"ll", "ull", "i64"}, word))
    return is(Kind::Signed, 64);
  return ptx::typeNamed(std::string_view(word));
}

/// `m16n8k16`.
bool isShape(StringRef word) {
  return word.size() > 5 && word.consume_front("m") && isDigit(word.front()) && word.contains('n') &&
         word.contains('k');
}

/// Of a product of matrices: its shape, and the types of its result and of what it multiplies.
std::string tensorClass(const Words &words) {
  std::string name = "compute.tensor";
  Words types;
  for (const StringRef word : words)
    if (isShape(word))
      name += "." + word.str();
    else if (word == "tf32" || word == "e4m3" || word == "e5m2" || word == "s4" || word == "u4" ||
             word == "b1" || ptx::typeNamed(std::string_view(word)))
      types.push_back(word);
  if (!types.empty())
    name += "." + types.front().str();
  // Names of intrinsics leave out what follows from the result.
  if (types.size() > 1 && (types.size() > 2 || types[1] != types[0]))
    name += "." + types[1].str();
  return name;
}

/// Of an operation of PTX, or of the intrinsic that is named after it; empty: none.
std::string classOf(const Words &words) {
  const StringRef first = words.front();
  if (first == "mma" || first == "wgmma" || (first == "wmma" && is_contained(words, "mma")))
    return any_of(words, isShape) ? tensorClass(words) : "memory.fence"; // wgmma.fence, commit and wait
  if (first == "read" && is_contained(words, "sreg"))
    return "other.special_register";
  if (const StringRef other = otherNamed(first); !other.empty())
    return other.str();
  if (first.contains('2') && arithmeticNamed(first).empty() && !first.starts_with("dp"))
    return "compute.convert"; // f2i, ull2d
  const StringRef operation = arithmeticNamed(first);
  if (operation.empty())
    return {};
  std::string registers = "int32";
  for (const StringRef word : words)
    if (const auto type = typeNamed(word)) // the last one is that of the operands
      registers = type->kind == ptx::Type::Kind::Predicate ? "predicate"
                  : type->isFloat() ? floatName(type->bits, type->kind == ptx::Type::Kind::Brain) +
                                          (type->lanes == 2 ? "x2" : "")
                                    : (type->totalBits() > 32 ? "int64" : "int32");
  return ("compute." + registers + "." + operation).str();
}

void visitAssembly(const InlineAsm &assembly, ClassVisitor visit) {
  for (const ptx::Statement &statement : ptx::parse(ptx::withOperandNames(assembly.getAsmString().str()))) {
    if (statement.kind != ptx::Statement::Kind::Instruction || statement.operation.empty())
      continue;
    Words words(statement.operation.begin(), statement.operation.end());
    if (const std::string name = classOf(words); !name.empty())
      visit(name, 1);
  }
}

void visitIntrinsic(const IntrinsicInst &call, ClassVisitor visit) {
  const auto compute = [&](const char *operation) {
    const Registers registers = registersOf(*call.getType());
    visit("compute." + registers.name + "." + operation, registers.count);
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    return compute("fma");
  case Intrinsic::sqrt:
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::exp2:
  case Intrinsic::log2:
    return compute("special");
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::abs:
    return compute("minmax");
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
    return compute("bits");
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    return compute("shift");
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::round:
  case Intrinsic::roundeven:
    return visit("compute.convert", 1);
  case Intrinsic::trap:
    return visit("control.exit", 1);
  default:
    break;
  }
  StringRef name = call.getCalledFunction()->getName();
  if (!name.consume_front("llvm.nvvm."))
    return;
  Words words;
  name.split(words, '.');
  if (const std::string found = classOf(words); !found.empty())
    visit(found, 1);
}

StringRef integerOperation(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add:
  case Instruction::Sub:
    return "add";
  case Instruction::Mul:
    return "multiply";
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return "divide";
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return "shift";
  default:
    return "logic";
  }
}

StringRef floatOperation(unsigned opcode) {
  switch (opcode) {
  case Instruction::FMul:
    return "multiply";
  case Instruction::FDiv:
  case Instruction::FRem:
    return "divide";
  default:
    return "add";
  }
}

void visitArithmetic(const Instruction &instruction, ClassVisitor visit) {
  const Type &type = *instruction.getType();
  if (type.isIntOrIntVectorTy(1))
    return visit("compute.predicate.logic", 1);
  const unsigned opcode = instruction.getOpcode();
  if ((opcode == Instruction::FMul || opcode == Instruction::Mul) && isInSums(instruction))
    return;
  const StringRef operation = productIn(instruction)    ? "fma"
                              : type.isFPOrFPVectorTy() ? floatOperation(opcode)
                                                        : integerOperation(opcode);
  const Registers registers = registersOf(type);
  visit("compute." + registers.name + "." + operation, registers.count);
}

std::string accessClass(const Access &access, std::optional<abi::MemorySpace> space) {
  const abi::OperationClass kind = abi::operationClass(access.operation);
  return std::string("memory.") + (space ? abi::spaceName(*space) : "generic") +
         (kind == abi::OperationClass::Load    ? ".load"
          : kind == abi::OperationClass::Store ? ".store"
                                               : ".atomic");
}

} // namespace

void visitClasses(const Instruction &instruction, ClassVisitor visit) {
  if (isa<BinaryOperator>(instruction))
    return visitArithmetic(instruction, visit);
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
      return visitAssembly(*assembly, visit);
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call))
      return visitIntrinsic(*intrinsic, visit);
    return visit("control.call", 1);
  }
  switch (instruction.getOpcode()) {
  case Instruction::ICmp:
  case Instruction::FCmp: {
    const Registers registers = registersOf(*instruction.getOperand(0)->getType());
    return visit("compute." + registers.name + ".compare", registers.count);
  }
  case Instruction::Select: {
    const Registers registers = registersOf(*instruction.getType());
    return visit("compute." + registers.name + ".select", registers.count);
  }
  case Instruction::GetElementPtr:
    if (!cast<GetElementPtrInst>(instruction).hasAllConstantIndices())
      visit("compute.address", 1);
    return;
  case Instruction::FPTrunc:
  case Instruction::FPExt:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return visit("compute.convert", registersOf(*instruction.getType()).count);
  case Instruction::Br:
    if (cast<BranchInst>(instruction).isConditional())
      visit("control.branch", 1);
    return;
  case Instruction::Switch:
    return visit("control.branch", 1);
  case Instruction::Ret:
    return visit(isKernel(*instruction.getFunction()) ? "control.exit" : "control.return", 1);
  case Instruction::Fence:
    return visit("memory.fence", 1);
  default:
    return;
  }
}

void visitAccessClasses(ArrayRef<Access> accesses,
                        function_ref<std::optional<abi::MemorySpace>(const Access &)> spaceOf,
                        ClassVisitor visit) {
  // A matrix is several accesses, a row each, of one instruction; a copy is as many instructions as it has parts.
  std::map<std::string, std::uint64_t> whole;
  for (const Access &access : accesses) {
    if (!abi::isAccess(access.operation))
      continue;
    const std::string name = accessClass(access, spaceOf(access));
    if (access.part == 0 || access.bytes <= access.part)
      whole[name] += access.bytes;
    else
      visit(name + "." + Twine(access.part * 8), divideCeil(access.bytes, access.part));
  }
  for (const auto &[name, bytes] : whole)
    visit(bytes == 0 ? Twine(name) : name + "." + Twine(bytes * 8), 1);
}

} // namespace cupr::pass
