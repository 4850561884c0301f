#include "ptx_register_file.h"

#include "devicelib/ptx/instructions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::MemorySpace;

bool isPlain(const PtxAddress &value) { return !value.space; }

/// The sum of two values; null when it has too many operands.
std::optional<PtxValue> sum(PtxValue a, const PtxValue &b) {
  if (b.added != PtxValue::kNoOperand ||
      (b.operand != PtxValue::kNoOperand && a.added != PtxValue::kNoOperand))
    return std::nullopt;
  if (a.operand == PtxValue::kNoOperand)
    a.operand = b.operand;
  else
    a.added = b.operand == PtxValue::kNoOperand ? a.added : b.operand;
  a.offset += b.offset;
  return a;
}

} // namespace

unsigned ptxTypeBits(StringRef word) {
  const auto type = ptx::typeNamed(word);
  return type && type->kind != ptx::Type::Kind::Predicate ? type->totalBits() : 0;
}

SmallVector<MemorySpace, 2> ptxSpacesNamed(ArrayRef<StringRef> words) {
  SmallVector<MemorySpace, 2> spaces;
  for (const StringRef word : words)
    if (const auto space = ptx::spaceNamed(word))
      spaces.push_back(*space);
  return spaces;
}

PtxRegisterFile::Known PtxRegisterFile::known(StringRef name) const {
  if (const auto found = registers_.find(name); found != registers_.end())
    return found->second;
  Known result;
  if (unsigned operand = 0; name.consume_front("$") && !name.getAsInteger(10, operand)) {
    result.kind = Kind::Value;
    result.value.value.operand = operand;
  }
  return result;
}

PtxRegisterFile::Known PtxRegisterFile::read(const ptx::Operand &operand) const {
  Known result;
  if (operand.kind == ptx::Operand::Kind::Integer) {
    result.kind = Kind::Value;
    result.value.value.offset = operand.value;
  } else if (operand.kind == ptx::Operand::Kind::Register && !operand.negated) {
    result = known(operand.name);
  }
  return result;
}

std::optional<PtxValue> PtxRegisterFile::number(const ptx::Operand &operand) const {
  const Known value = read(operand);
  if (value.kind != Kind::Value || !isPlain(value.value))
    return std::nullopt;
  return value.value.value;
}

std::optional<PtxCondition> PtxRegisterFile::condition(StringRef name, bool negated) const {
  Known value = known(name);
  if (value.kind == Kind::Value && isPlain(value.value)) {
    value.predicate = {CmpInst::ICMP_NE, value.value.value, PtxValue(), 0};
    value.kind = Kind::Predicate;
  }
  if (value.kind != Kind::Predicate)
    return std::nullopt;
  if (negated)
    value.predicate.comparison = CmpInst::getInversePredicate(value.predicate.comparison);
  return value.predicate;
}

std::optional<PtxAddress> PtxRegisterFile::address(const ptx::Operand &operand,
                                                   std::optional<MemorySpace> space) const {
  if (operand.kind != ptx::Operand::Kind::Address || !operand.elements.empty())
    return std::nullopt;
  Known base;
  base.kind = Kind::Value;
  if (!operand.name.empty())
    base = known(operand.name);
  if (base.kind != Kind::Value)
    return std::nullopt;
  PtxAddress result = base.value;
  PtxValue more{PtxValue::kNoOperand, PtxValue::kNoOperand, operand.value};
  if (!operand.second.empty()) {
    const Known immediate = known(operand.second);
    const auto both = sum(more, immediate.value.value);
    if (immediate.kind != Kind::Value || !isPlain(immediate.value) || !both)
      return std::nullopt;
    more = *both;
  }
  const auto value = sum(result.value, more);
  if (!value || (value->operand == PtxValue::kNoOperand && value->offset == 0))
    return std::nullopt;
  result.value = *value;
  if (isPlain(result)) { // as the operand gives it
    result.space = space;
    result.inWindow = space.has_value();
    return result;
  }
  // A conversion has taken place: the value that it left must be what the instruction wants.
  const bool toWindow = !result.inWindow; // from generic, by cvta.to
  if (space ? *space != *result.space : toWindow && *result.space != MemorySpace::Global)
    return std::nullopt;
  return space && !toWindow && *space != MemorySpace::Global ? std::nullopt : std::optional(result);
}

void PtxRegisterFile::execute(const ptx::Statement &statement) {
  if (statement.operands.empty() || statement.operands[0].kind == ptx::Operand::Kind::Address)
    return;
  const Known value = statement.guard.empty() ? compute(statement) : Known{};
  const ptx::Operand &target = statement.operands[0];
  if (target.kind == ptx::Operand::Kind::Register)
    registers_[target.name] = value;
  if (!target.second.empty()) // setp's p|q: the second is the inverse
    registers_[target.second] = Known{};
  for (const ptx::Operand &element : target.elements)
    registers_[element.name] = Known{};
}

void PtxRegisterFile::forgetAll() {
  for (auto &entry : registers_)
    entry.second = Known{};
}

PtxRegisterFile::Known PtxRegisterFile::compute(const ptx::Statement &statement) const {
  const ArrayRef<ptx::Operand> all = statement.operands;
  const SmallVector<StringRef, 12> words(statement.operation.begin(), statement.operation.end());
  const StringRef name = words.front();
  Known result;
  if (name == "mov" && all.size() == 2)
    return read(all[1]);
  if (name == "cvt" && all.size() == 2 && words.size() == 3 && ptxTypeBits(words[1]) == 64 &&
      words[2] == "u32") // a shared address made 64 bits wide
    return read(all[1]);
  if ((name == "add" || name == "sub") && all.size() == 3 && ptxTypeBits(words.back()) == 64) {
    const Known left = read(all[1]), right = read(all[2]);
    if (left.kind != Kind::Value || right.kind != Kind::Value || !isPlain(right.value) ||
        (name == "sub" && right.value.value.operand != PtxValue::kNoOperand))
      return result;
    PtxValue change = right.value.value;
    if (name == "sub")
      change.offset = -change.offset;
    const auto value = sum(left.value.value, change);
    if (value) {
      result = left;
      result.value.value = *value;
    }
    return result;
  }
  if (name == "cvta" && all.size() == 2) {
    const bool toWindow = words.size() > 1 && words[1] == "to";
    const auto spaces = ptxSpacesNamed(words);
    result = read(all[1]);
    if (result.kind != Kind::Value || !isPlain(result.value) || spaces.size() != 1)
      return Known{};
    // The operand stays what it is: `inWindow` says which side of the conversion it is on.
    result.value.space = spaces.front();
    result.value.inWindow = !toWindow;
    return result;
  }
  if (name == "setp" && all.size() == 3 && words.size() == 3 && all[0].second.empty()) {
    const bool isSigned = words[2].starts_with("s");
    const auto comparison = StringSwitch<std::optional<CmpInst::Predicate>>(words[1])
                                .Case("eq", CmpInst::ICMP_EQ)
                                .Case("ne", CmpInst::ICMP_NE)
                                .Case("lt", isSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                                .Case("le", isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                                .Case("gt", isSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
                                .Case("ge", isSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
                                .Case("lo", CmpInst::ICMP_ULT)
                                .Case("ls", CmpInst::ICMP_ULE)
                                .Case("hi", CmpInst::ICMP_UGT)
                                .Case("hs", CmpInst::ICMP_UGE)
                                .Default(std::nullopt);
    const auto left = number(all[1]), right = number(all[2]);
    if (!comparison || !left || !right || words[2].starts_with("f") || !ptxTypeBits(words[2]))
      return result;
    result.kind = Kind::Predicate;
    result.predicate = {*comparison, *left, *right, ptxTypeBits(words[2])};
  }
  return result;
}

} // namespace cupr::pass
