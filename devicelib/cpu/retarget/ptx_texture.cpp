/// Texture and surface instructions (PTX ISA, "Texture Instructions", "Surface Instructions"), as calls of
/// the runtime.
///
///     tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}];
///     suld.b.2d.v2.b32.trap {r, g}, [surface, {x, y}];         x counts bytes
///     sust.b.2d.b32.trap [surface, {x, y}], {r};
///     sured.b.add.2d.u32.trap [surface, {x, y}], r;
///
/// A level of detail or gradients choose among the levels of a mipmap, which there are none of: they are
/// ignored.
#include "ptx_lowering.h"

#include "lowering.h"

#include "devicelib/cpu/runtime/runtime_calls.h"
#include "devicelib/ptx/image_intrinsic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

constexpr unsigned kNoShape = ~0u;

/// "2d", "a1d", "acube" as ImageShape.
unsigned shapeOf(StringRef geometry) {
  return StringSwitch<unsigned>(geometry)
      .Case("1d", 1)
      .Case("2d", 2)
      .Case("3d", 3)
      .Case("a1d", 1 | kShapeLayered)
      .Case("a2d", 2 | kShapeLayered)
      .Case("cube", 2 | kShapeCube)
      .Case("acube", 2 | kShapeCube | kShapeLayered)
      .Default(kNoShape);
}

/// Bits have no sign.
std::optional<AtomicRMWInst::BinOp> reductionNamed(StringRef word, const ptx::Type &type) {
  using Operation = AtomicRMWInst::BinOp;
  const bool isSigned = type.isSigned();
  return StringSwitch<std::optional<Operation>>(word)
      .Case("add", Operation::Add)
      .Case("min", isSigned ? Operation::Min : Operation::UMin)
      .Case("max", isSigned ? Operation::Max : Operation::UMax)
      .Case("and", Operation::And)
      .Case("or", Operation::Or)
      .Default(std::nullopt);
}

bool isPlace(const ptx::Operand &operand) {
  return operand.kind == ptx::Operand::Kind::Address && operand.elements.size() == 1 &&
         operand.elements[0].kind == ptx::Operand::Kind::Vector;
}

} // namespace

/// The coordinates of `[handle, {x, y}]`, in memory.
Value *PtxLowering::storeCoordinates(const ptx::Operand &place, unsigned count, PtxType type) {
  AllocaInst *all = allocate(ArrayType::get(b.getInt32Ty(), 4));
  for (unsigned i = 0; i < count; ++i)
    b.CreateStore(b.asInteger(read(place.elements[0].elements[i], type)),
                  b.CreateConstGEP1_32(b.getInt32Ty(), all, i));
  return all;
}

bool PtxLowering::emitTexture(const ptx::Statement &s) {
  const auto &words = s.operation;
  if (words[0] != "tex" || words.size() < 5 || s.operands.size() < 2 || !isPlace(s.operands[1]) ||
      s.operands[0].kind != ptx::Operand::Kind::Vector || !s.operands[0].second.empty())
    return false;
  const bool detail = words[1] == "level" || words[1] == "grad";
  unsigned shape = shapeOf(words[detail ? 2 : 1]);
  const auto result = ptx::typeNamed(words[words.size() - 2]), coordinate = ptx::typeNamed(words.back());
  if (shape == kNoShape || !result || result->bits != 32 || !coordinate || coordinate->bits != 32)
    return false;
  if (!coordinate->isFloat())
    shape |= kShapeInteger;
  const unsigned count = coordinateCount(shape);
  if (s.operands[1].elements[0].elements.size() < count || s.operands[0].elements.size() > 4)
    return false;
  const PtxType bits{PtxType::Kind::Bits, 32, 1};
  Value *coordinates = storeCoordinates(s.operands[1], count, bits);
  Value *texel = allocate(ArrayType::get(b.getInt32Ty(), 4));
  Value *handle = b.CreatePtrToInt(address(s.operands[1]), b.getInt64Ty());
  b.call(Call::TextureFetch, {handle, b.i32(shape), coordinates, texel});
  for (unsigned i = 0; i < s.operands[0].elements.size(); ++i)
    write(s.operands[0].elements[i],
          b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), texel, i)), bits);
  return true;
}

bool PtxLowering::emitSurface(const ptx::Statement &s) {
  const auto &words = s.operation;
  const bool load = words[0] == "suld", reduces = words[0] == "sured";
  if ((!load && !reduces && words[0] != "sust") || words.size() < 5 || words[1] != "b" ||
      s.operands.size() < 2)
    return false;
  const ptx::Operand &place = s.operands[load ? 1 : 0], &data = s.operands[load ? 0 : 1];
  unsigned shape = shapeOf(words[reduces ? 3 : 2]);
  const auto type = ptx::typeNamed(words[words.size() - 2]);
  const unsigned elements = is_contained(words, "v4") ? 4 : is_contained(words, "v2") ? 2 : 1;
  if (shape == kNoShape || (shape & kShapeCube) || !type || !isPlace(place) ||
      place.elements[0].elements.size() < coordinateCount(shape))
    return false;
  if (data.kind == ptx::Operand::Kind::Vector ? data.elements.size() != elements : elements != 1)
    return false;
  shape |= words.back() == "trap" ? kShapeTrap : words.back() == "clamp" ? kShapeClamp : 0;
  Value *coordinates = storeCoordinates(place, coordinateCount(shape), {PtxType::Kind::Bits, 32, 1});
  Value *handle = b.CreatePtrToInt(address(place), b.getInt64Ty());
  const unsigned each = type->bits / 8;
  Value *where = b.call(Call::SurfaceAddress, {handle, b.i32(shape), coordinates, b.i32(each * elements)});
  // What lies outside is read from, or written to, a place of no account.
  AllocaInst *nowhere = allocate(ArrayType::get(b.getInt8Ty(), 32));
  nowhere->setAlignment(Align(8));
  if (load)
    b.CreateStore(Constant::getNullValue(nowhere->getAllocatedType()), nowhere);
  where = b.CreateSelect(b.CreateIsNull(where), nowhere, where);
  Type *element = b.getIntNTy(type->bits);
  if (reduces) {
    const auto operation = reductionNamed(words[2], *type);
    if (!operation || type->bits < 32 || elements != 1)
      return false;
    b.CreateAtomicRMW(*operation, where, b.asInteger(read(data, *type)), Align(type->bits / 8),
                      AtomicOrdering::Monotonic);
    return true;
  }
  for (unsigned i = 0; i < elements; ++i) {
    const ptx::Operand &part = data.kind == ptx::Operand::Kind::Vector ? data.elements[i] : data;
    Value *at = b.CreateConstGEP1_32(element, where, i);
    if (load)
      write(part, b.CreateAlignedLoad(element, at, Align(1)), *type);
    else
      b.CreateAlignedStore(b.asInteger(read(part, *type)), at, Align(1));
  }
  return true;
}

namespace {

/// `{$2, $3}`.
std::string operandList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

const char *constraintOf(const Type &type) {
  return type.isFloatTy() ? "f" : type.isIntegerTy(64) ? "l" : type.isIntegerTy(32) ? "r" : "h";
}

/// Levels and gradients, which are ignored, remain operands that nothing names.
Value *asInlinePtx(CallInst &call, const ptx::ImageIntrinsic &intrinsic) {
  const auto *results = dyn_cast<StructType>(call.getType());
  const unsigned outputs = results ? results->getNumElements() : call.getType()->isVoidTy() ? 0 : 1;
  const unsigned where = outputs + intrinsic.handles, behind = where + intrinsic.coordinates;
  const std::string place =
      "[$" + std::to_string(outputs) + ", " + operandList(where, intrinsic.coordinates) + "]";
  const std::string text =
      join(intrinsic.words, ".") + " " +
      (outputs ? operandList(0, outputs) + ", " + place
               : place + ", " + operandList(behind, outputs + call.arg_size() - behind)) +
      ";";
  std::string constraints;
  const auto constrain = [&](StringRef prefix, const Type &type) {
    constraints += (constraints.empty() ? "" : ",") + prefix.str() + constraintOf(type);
  };
  for (unsigned i = 0; i < outputs; ++i)
    constrain("=", results ? *results->getElementType(i) : *call.getType());
  SmallVector<Type *> types;
  for (const Use &argument : call.args()) {
    types.push_back(argument->getType());
    constrain("", *argument->getType());
  }
  auto *assembly = InlineAsm::get(FunctionType::get(call.getType(), types, false), text, constraints,
                                  /*hasSideEffects=*/true);
  auto *spelt = CallInst::Create(assembly, SmallVector<Value *>(call.args()), "", call.getIterator());
  spelt->setDebugLoc(call.getDebugLoc());
  return spelt;
}

} // namespace

void spellImageIntrinsics(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("llvm.nvvm."))
      continue;
    SmallVector<StringRef> words;
    name.split(words, '.');
    const SmallVector<std::string_view> parts(words.begin(), words.end());
    const auto intrinsic = ptx::imageIntrinsic(parts);
    if (!intrinsic)
      continue;
    for (User *user : make_early_inc_range(function.users()))
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == &function) {
        call->replaceAllUsesWith(asInlinePtx(*call, *intrinsic));
        call->eraseFromParent();
      }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace cupr::cpu
