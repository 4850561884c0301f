/// Lowers the matrix operations of a warp, as intrinsics (`wmma`, `mma`, `ldmatrix`) and
/// as inline PTX (`mma`, `ldmatrix`): a lane's fragments go to memory as words, and
/// the runtime does the rest (runtime/matrix.h).
///
/// Not there: numbers of 4 bits and of one, `m8n8k4` with f16 (its fragments are dealt out in
/// another way), sparse matrices, `stmatrix`.
#include "lowering.h"
#include "operation_parts.h"
#include "ptx_lowering.h"

#include "devicelib/cpu/runtime/matrix.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

#include <cstring>
#include <optional>

using namespace llvm;

namespace cupr::cpu {

namespace {

std::optional<MatrixType> typeNamed(StringRef name) {
  return StringSwitch<std::optional<MatrixType>>(name)
      .Case("f16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("tf32", MatrixType::TF32)
      .Case("f32", MatrixType::F32)
      .Case("f64", MatrixType::F64)
      .Case("s8", MatrixType::S8)
      .Case("u8", MatrixType::U8)
      .Case("s32", MatrixType::S32)
      .Default(std::nullopt);
}

/// "m16n8k16"
bool parseShape(StringRef text, MatrixOperation &operation) {
  return text.consume_front("m") && !text.consumeInteger(10, operation.rows) && text.consume_front("n") &&
         !text.consumeInteger(10, operation.columns) && text.consume_front("k") &&
         !text.consumeInteger(10, operation.inner) && text.empty();
}

/// The types are named for D, A, B and C, or as far as they don't follow: intrinsics.
bool setTypes(ArrayRef<MatrixType> types, MatrixOperation &o) {
  const auto isAccumulator = [](MatrixType type) {
    return type == MatrixType::F16 || type == MatrixType::F32;
  };
  if (types.size() == 4) {
    o.dType = types[0];
    o.aType = types[1];
    o.bType = types[2];
    o.cType = types[3];
    return true;
  }
  if (types.size() == 2 && isAccumulator(types[0]) && isAccumulator(types[1])) {
    o.dType = types[0];
    o.cType = types[1];
    o.aType = o.bType = MatrixType::F16;
    return true;
  }
  if (types.empty() || types.size() > 2)
    return false;
  o.aType = types[0];
  o.bType = types.back();
  o.cType = o.dType = o.aType == MatrixType::F64   ? MatrixType::F64
                      : elementBytes(o.aType) == 1 ? MatrixType::S32
                                                   : MatrixType::F32;
  return true;
}

bool setWords(MatrixOperation &o) {
  const auto words = [](unsigned elements, MatrixType type) {
    return static_cast<std::uint8_t>(elements * elementBytes(type) / (32 * 4));
  };
  o.aWords = words(o.rows * o.inner, o.aType);
  o.bWords = words(o.inner * o.columns, o.bType);
  o.cWords = words(o.rows * o.columns, o.cType);
  o.dWords = words(o.rows * o.columns, o.dType);
  if (o.layout == FragmentLayout::Wmma) {
    if (o.aType == MatrixType::F16) // each element is in two or four places
      o.aWords = o.bWords = 8;
    return true;
  }
  const unsigned packed = elementBytes(o.aType) < 4 ? 4 / elementBytes(o.aType) : 1;
  const bool small = o.rows == 8 && (elementBytes(o.aType) == 1 || o.aType == MatrixType::F64);
  return o.columns == 8 && (o.rows == 16 || small) && o.inner % (4 * packed) == 0 &&
         elementBytes(o.aType) == elementBytes(o.bType);
}

/// "mma" by the parts of its name: a shape, and types behind the layouts.
template <class Parts>
std::optional<MatrixOperation> operationNamed(const Parts &parts, FragmentLayout layout) {
  MatrixOperation operation{};
  operation.layout = layout;
  SmallVector<MatrixType> types;
  bool shaped = false;
  unsigned layouts = 0;
  for (const StringRef part : parts) {
    if (const auto type = typeNamed(part))
      types.push_back(*type);
    else if (part.starts_with("m") && part.contains('k'))
      shaped = parseShape(part, operation);
    else if (part == "row" || part == "col")
      ++layouts;
    else if (part == "satfinite")
      operation.saturates = 1;
    else if (part != "mma" && part != "wmma" && part != "sync" && part != "aligned" && part != "rn")
      return std::nullopt;
  }
  if (!shaped || layouts != 2 || !setTypes(types, operation) || !setWords(operation))
    return std::nullopt;
  return operation;
}

/// Emits a constant of bytes, as the runtime reads it.
template <typename T> Constant *descriptor(DeviceBuilder &b, const T &value) {
  std::uint8_t bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  Constant *data = ConstantDataArray::get(b.getContext(), ArrayRef(bytes));
  auto *variable = new GlobalVariable(*b.GetInsertBlock()->getModule(), data->getType(), true,
                                      GlobalValue::PrivateLinkage, data, "cupr.matrix");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

/// The words of a lane's fragments, on its stack. All operations of a function share the memory: unrolled
/// loops have thousands of them, each of which is done with it before the next one begins.
class Words {
public:
  Words(DeviceBuilder &builder, unsigned count) : b(builder) {
    Type *const type = ArrayType::get(b.getInt32Ty(), count);
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    for (Instruction &instruction : entry)
      if (auto *known = dyn_cast<AllocaInst>(&instruction);
          known && known->getAllocatedType() == type && known->getName().starts_with(kName)) {
        memory_ = known;
        return;
      }
    const IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(&entry, entry.begin());
    memory_ = b.CreateAlloca(type, nullptr, kName);
    memory_->setAlignment(Align(8));
  }

  Value *memory() const { return memory_; }

  unsigned wordsOf(Type *type) const {
    return static_cast<unsigned>(b.GetInsertBlock()->getDataLayout().getTypeStoreSize(type) / 4);
  }

  void append(Value *value) {
    b.CreateAlignedStore(value, at(next_), Align(4));
    next_ += wordsOf(value->getType());
  }

  /// The next value of that type, behind what was appended or taken.
  Value *take(Type *type) {
    Value *value = b.CreateAlignedLoad(type, at(next_), Align(4));
    next_ += wordsOf(type);
    return value;
  }

  /// A value of an intrinsic's result type: one, or a structure of them.
  Value *takeAll(Type *type) {
    auto *structure = dyn_cast<StructType>(type);
    if (!structure)
      return take(type);
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      result = b.CreateInsertValue(result, take(structure->getElementType(i)), i);
    return result;
  }

private:
  static constexpr StringLiteral kName = "cupr.words";
  Value *at(unsigned word) { return b.CreateConstGEP1_32(b.getInt32Ty(), memory_, word); }

  DeviceBuilder &b;
  AllocaInst *memory_;
  unsigned next_ = 0;
};

unsigned wordsOf(const DataLayout &layout, Type *type) {
  unsigned words = 0;
  if (auto *structure = dyn_cast<StructType>(type))
    for (Type *element : structure->elements())
      words += static_cast<unsigned>(layout.getTypeStoreSize(element) / 4);
  else
    words = static_cast<unsigned>(layout.getTypeStoreSize(type) / 4);
  return words;
}

bool lowerMultiply(DeviceBuilder &b, CallInst &call, ArrayRef<StringRef> parts, FragmentLayout layout,
                   Value *&result) {
  const auto operation = operationNamed(parts, layout);
  if (!operation)
    return false;
  const DataLayout &dataLayout = call.getDataLayout();
  unsigned given = 0;
  for (const Use &argument : call.args())
    given += wordsOf(dataLayout, argument->getType());
  if (given != unsigned(operation->aWords) + operation->bWords + operation->cWords ||
      wordsOf(dataLayout, call.getType()) != operation->dWords)
    return false;
  Words words(b, given + operation->dWords);
  for (const Use &argument : call.args())
    words.append(argument);
  b.call(Call::MultiplyMatrices, {descriptor(b, *operation), words.memory()});
  result = words.takeAll(call.getType());
  return true;
}

/// wmma.SHAPE.load.{a|b|c}.{row|col}[.stride].TYPE.SPACE, and store.d.
bool lowerTile(DeviceBuilder &b, CallInst &call, ArrayRef<StringRef> parts, Value *&result) {
  MatrixOperation shape{};
  const bool load = parts[2] == "load";
  const StringRef role = parts[3];
  std::optional<MatrixType> type;
  for (StringRef part : parts.drop_front(4))
    if (const auto named = typeNamed(part))
      type = named;
  if (!parseShape(parts[1], shape) || !type)
    return false;
  const DataLayout &layout = call.getDataLayout();
  const unsigned last = call.arg_size() - (has(parts, "stride") ? 1 : 0);
  MatrixTile tile{};
  tile.rows = role == "b" ? shape.inner : shape.rows;
  tile.columns = role == "a" ? shape.inner : shape.columns;
  tile.type = *type;
  tile.columnMajor = has(parts, "col");
  unsigned count = load ? wordsOf(layout, call.getType()) : 0;
  for (unsigned i = 1; !load && i < last; ++i)
    count += wordsOf(layout, call.getArgOperand(i)->getType());
  tile.words = static_cast<std::uint8_t>(count);
  Value *stride =
      last < call.arg_size() ? call.getArgOperand(last) : b.i32(tile.columnMajor ? tile.rows : tile.columns);
  Value *memory = b.CreateAddrSpaceCast(call.getArgOperand(0), b.getPtrTy());
  Words words(b, count);
  for (unsigned i = 1; !load && i < last; ++i)
    words.append(call.getArgOperand(i));
  b.call(load ? Call::LoadTile : Call::StoreTile, {descriptor(b, tile), words.memory(), memory, stride});
  if (load)
    result = words.takeAll(call.getType());
  return true;
}

template <class Parts> unsigned matricesNamed(const Parts &parts) {
  if (!has(parts, "m8n8") || !has(parts, "b16"))
    return 0;
  return has(parts, "x1") ? 1 : has(parts, "x2") ? 2 : has(parts, "x4") ? 4 : 0;
}

} // namespace

bool lowerMatrix(DeviceBuilder &b, CallInst &call, ArrayRef<StringRef> parts, Value *&result) {
  if (parts[0] == "mma")
    return lowerMultiply(b, call, parts, FragmentLayout::Mma, result);
  if (parts[0] == "wmma" && parts.size() > 4)
    return parts[2] == "mma" ? lowerMultiply(b, call, parts, FragmentLayout::Wmma, result)
                             : lowerTile(b, call, parts, result);
  if (parts[0] == "ldmatrix")
    if (const unsigned matrices = matricesNamed(parts)) {
      Words words(b, matrices);
      Value *row = b.CreateAddrSpaceCast(call.getArgOperand(0), b.getPtrTy());
      b.call(Call::LoadMatrices, {words.memory(), row, b.i32(matrices), b.i32(has(parts, "trans"))});
      result = words.takeAll(call.getType());
      return true;
    }
  return false;
}

bool PtxLowering::emitMatrix(const ptx::Statement &s) {
  const auto elements = [](const ptx::Operand &operand) {
    return operand.kind == ptx::Operand::Kind::Vector ? ArrayRef<ptx::Operand>(operand.elements)
                                                      : ArrayRef<ptx::Operand>(operand);
  };
  const PtxType word = unsignedType(32);
  if (s.operation[0] == "ldmatrix" && s.operands.size() == 2) {
    const unsigned matrices = matricesNamed(s.operation);
    if (!matrices || elements(s.operands[0]).size() != matrices)
      return false;
    Words words(b, matrices);
    b.call(Call::LoadMatrices, {words.memory(), b.CreateAddrSpaceCast(address(s.operands[1]), b.getPtrTy()),
                                b.i32(matrices), b.i32(has(s.operation, "trans"))});
    for (const ptx::Operand &element : elements(s.operands[0]))
      write(element, words.take(b.getInt32Ty()), word);
    return true;
  }
  if (s.operation[0] != "mma" || s.operands.size() != 4)
    return false;
  const auto operation =
      operationNamed(SmallVector<StringRef>(s.operation.begin(), s.operation.end()), FragmentLayout::Mma);
  if (!operation)
    return false;
  const unsigned bits = operation->aType == MatrixType::F64 ? 64 : 32, each = bits / 32;
  const unsigned counts[] = {operation->dWords, operation->aWords, operation->bWords, operation->cWords};
  for (unsigned i = 0; i < 4; ++i)
    if (elements(s.operands[i]).size() * each != counts[i])
      return false;
  Words words(b, counts[0] + counts[1] + counts[2] + counts[3]);
  for (unsigned i = 1; i < 4; ++i)
    for (const ptx::Operand &element : elements(s.operands[i]))
      words.append(b.asInteger(read(element, unsignedType(bits))));
  b.call(Call::MultiplyMatrices, {descriptor(b, *operation), words.memory()});
  for (const ptx::Operand &element : elements(s.operands[0]))
    write(element, words.take(b.getIntNTy(bits)), unsignedType(bits));
  return true;
}

} // namespace cupr::cpu
