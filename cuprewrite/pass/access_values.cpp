#include "access_values.h"

#include "devicelib/abi/value_record.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<std::string> valuesOption("cupr-values", cl::value_desc("all, or a list of FILE:LINE and functions"),
                                  cl::desc("Record what these accesses read and write (default: none)"));

cl::opt<bool> clockOption("cupr-clock", cl::desc("Record the multiprocessor's clock at each access"));

constexpr const char *kAll = "all";

/// `value`'s bytes in memory as one number.
Value *asInteger(IRBuilder<> &b, Value *value, const DataLayout &layout) {
  Type *const type = value->getType();
  IntegerType *const whole =
      b.getIntNTy(static_cast<unsigned>(8 * layout.getTypeStoreSize(type).getFixedValue()));
  if (type->isAggregateType()) {
    Value *all = ConstantInt::get(whole, 0);
    const bool isStruct = type->isStructTy();
    const unsigned members =
        isStruct ? type->getStructNumElements() : static_cast<unsigned>(type->getArrayNumElements());
    for (unsigned i = 0; i < members; ++i) {
      const std::uint64_t offset =
          isStruct ? layout.getStructLayout(cast<StructType>(type))->getElementOffset(i).getFixedValue()
                   : i * layout.getTypeAllocSize(type->getArrayElementType()).getFixedValue();
      Value *const member = b.CreateZExt(asInteger(b, b.CreateExtractValue(value, i), layout), whole);
      all = b.CreateOr(all, b.CreateShl(member, 8 * offset));
    }
    return all;
  }
  if (type->isPtrOrPtrVectorTy()) {
    value = b.CreatePtrToInt(value, layout.getIntPtrType(type));
  }
  const unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(value->getType()).getFixedValue());
  return b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(bits)), whole);
}

} // namespace

bool ValueChoice::isAny() { return !valuesOption.empty(); }

ValueChoice::ValueChoice(const SourcePlaces &places) : places_(places) {
  if (valuesOption == kAll)
    return;
  SmallVector<StringRef, 4> items;
  StringRef(valuesOption).split(items, ',', -1, /*KeepEmpty=*/false);
  for (const StringRef item : items) {
    const auto [file, line] = item.rsplit(':');
    unsigned number = 0;
    if (!file.empty() && !line.getAsInteger(10, number)) {
      lines_.push_back({file.str(), number});
      continue;
    }
    functions_.emplace_back(item);
    if (std::string problem; !functions_.back().isValid(problem))
      reportFatalUsageError("cuprewrite: --values: '" + Twine(item) +
                            "' is no regular expression: " + problem);
  }
}

bool ValueChoice::isChosen(const Instruction &instruction) const {
  if (lines_.empty() && functions_.empty())
    return isAny();
  std::string path;
  unsigned line = 0;
  std::vector<std::string> names{demangle(instruction.getFunction()->getName())};
  if (const DILocation *at = places_.userLocation(instruction)) {
    const SourcePlace place = places_.at(*at);
    path = place.file;
    line = place.line;
    names.push_back(place.function);
  }
  const auto isEnd = [&](StringRef end) {
    return StringRef(path) == end ||
           (StringRef(path).ends_with(end) && path[path.size() - end.size() - 1] == '/');
  };
  return any_of(lines_, [&](const auto &wanted) { return wanted.second == line && isEnd(wanted.first); }) ||
         any_of(functions_, [&](Regex &function) {
           return any_of(names, [&](const std::string &name) { return function.match(name); });
         });
}

bool ValueChoice::wants(const Access &access) const {
  // Coordinates stand for an address, and figures say what was done to an object.
  if (abi::isOfImage(access.operation) || abi::hasFigures(access.operation))
    return !access.values.empty();
  return isAny() && !access.values.empty() && !access.length && access.lanes == abi::kLanes &&
         access.bytes <= largestValue() &&
         abi::isRecorded({static_cast<std::uint32_t>(access.bytes), abi::valuesOf(access.operation),
                          recordsClocks(), false}) &&
         isChosen(*access.instruction);
}

bool recordsValues() { return !valuesOption.empty(); }

bool recordsClocks() { return clockOption; }

std::uint32_t largestValue() {
  return recordsClocks() ? abi::kMaxValueBytes - abi::kPieceBytesMax : +abi::kMaxValueBytes;
}

bool isKnownBehind(const Access &access) {
  return any_of(access.values, [](const ValueRegisters &part) {
    return any_of(part, [](const ValueRegister &one) { return !one.value; });
  });
}

std::uint32_t valueBytesOf(const Access &access) {
  return abi::valueBytes(access.operation, static_cast<std::uint32_t>(access.bytes));
}

/// One value, as a number of its bytes.
static Value *partOf(const Access &access, const ValueRegisters &registers, IRBuilder<> &b,
                     function_ref<Value *(Value *)> mapped) {
  const DataLayout &layout = access.instruction->getModule()->getDataLayout();
  IntegerType *const whole = b.getIntNTy(8 * valueBytesOf(access));
  Value *all = nullptr;
  std::uint64_t bits = 0;
  for (const ValueRegister &one : registers) {
    Value *value = mapped(one.value ? one.value : access.instruction);
    const bool isOfSeveral = isa<AtomicCmpXchgInst>(access.instruction) ||
                             (isa<CallBase>(access.instruction) && value->getType()->isStructTy());
    if (!one.value && isOfSeveral)
      value = b.CreateExtractValue(value, one.result);
    value = asInteger(b, value, layout);
    if (one.bytes)
      value = b.CreateTrunc(value, b.getIntNTy(static_cast<unsigned>(8 * one.bytes)));
    const std::uint64_t size = value->getType()->getIntegerBitWidth();
    value = b.CreateShl(b.CreateZExtOrTrunc(value, whole), bits);
    all = all ? b.CreateOr(all, value) : value;
    bits += size;
  }
  return all;
}

SmallVector<Value *, 8> piecesOf(const Access &access, IRBuilder<> &b,
                                 function_ref<Value *(Value *)> mapped) {
  SmallVector<Value *, 8> pieces;
  for (const ValueRegisters &part : access.values) {
    Value *const value = partOf(access, part, b, mapped);
    const std::uint32_t bytes = valueBytesOf(access);
    for (std::uint32_t piece = 0; piece < abi::piecesOfPart(bytes); ++piece)
      pieces.push_back(b.CreateZExtOrTrunc(b.CreateLShr(value, piece * 64), b.getInt64Ty()));
  }
  return pieces;
}

} // namespace cupr::pass
