#include "instructions.h"

#include <charconv>
#include <unordered_map>

namespace cupr::ptx {

const Instruction *findInstruction(std::string_view opcode) {
  static constexpr Instruction kInstructions[] = {
#define CUPR_PTX(opcode, memory, operands, lowerings) {opcode, Memory::memory, operands, lowerings},
#include "instructions.def"
  };
  static const auto byOpcode = [] {
    std::unordered_map<std::string_view, const Instruction *> all;
    for (const Instruction &instruction : kInstructions)
      all.emplace(instruction.opcode, &instruction);
    return all;
  }();
  const auto found = byOpcode.find(opcode);
  return found == byOpcode.end() ? nullptr : found->second;
}

std::optional<Type> typeNamed(std::string_view word) {
  using Kind = Type::Kind;
  if (word == "pred")
    return Type{Kind::Predicate, 1, 1};
  Type type;
  const auto startsWith = [&](std::string_view prefix, Kind kind) {
    if (!word.starts_with(prefix))
      return false;
    word.remove_prefix(prefix.size());
    type.kind = kind;
    return true;
  };
  if (!startsWith("bf", Kind::Brain) && !startsWith("b", Kind::Bits) && !startsWith("u", Kind::Unsigned) &&
      !startsWith("s", Kind::Signed) && !startsWith("f", Kind::Float))
    return std::nullopt;
  if (word.ends_with("x2")) {
    type.lanes = 2;
    word.remove_suffix(2);
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), type.bits);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  switch (type.bits) {
  case 8:
  case 128:
    return type.isFloat() ? std::nullopt : std::optional(type);
  case 16:
  case 32:
  case 64:
    return type;
  default:
    return std::nullopt;
  }
}

/// The atomic operation whose name is `prefix` and `word`.
static std::optional<abi::Operation> atomicWith(std::string_view prefix, std::string_view word) {
  // PTX has no word for the difference: it adds the negative.
#define CUPR_OPERATION(enumerator, name, cls)                                                                \
  if (abi::OperationClass::cls == abi::OperationClass::Atomic &&                                             \
      abi::Operation::enumerator != abi::Operation::AtomicSub &&                                             \
      std::string_view(name).starts_with(prefix) && std::string_view(name).substr(prefix.size()) == word)    \
    return abi::Operation::enumerator;
#include "devicelib/abi/operation.def"
  return std::nullopt;
}

std::optional<abi::Operation> atomicNamed(std::string_view word) { return atomicWith("atomic ", word); }
std::optional<abi::Operation> reductionNamed(std::string_view word) { return atomicWith("surface ", word); }

std::optional<abi::MemorySpace> spaceNamed(std::string_view word) {
  if (word == "shared::cta" || word == "shared::cluster")
    return abi::MemorySpace::Shared;
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName)                                           \
  if (word == ptxName)                                                                                       \
    return abi::MemorySpace::enumerator;
#include "devicelib/abi/memory_space.def"
  return std::nullopt;
}

} // namespace cupr::ptx
