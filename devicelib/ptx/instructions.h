/// What is known of PTX's instructions and types (instructions.def): for the instrumentation, which looks for
/// the accesses in inline PTX, and for the CPU device, which translates it.
#ifndef CUPR_PTX_INSTRUCTIONS_H
#define CUPR_PTX_INSTRUCTIONS_H

#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/operation.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace cupr::ptx {

enum class Memory {
  Registers, ///< none
  Hint,      ///< none that a program could observe
  Load,
  Store,
  Atomic,
  Copy,
  Matrix,
  Multicast,   ///< of several devices at one address
  Image,       ///< textures and surfaces
  Descriptors, ///< matrices that descriptors describe
  Tensor,      ///< by the units of newer architectures
  Call,        ///< what is called decides
  Jump,        ///< none, and what follows may be left out
};

/// Sets of bits, in the order in which they are asked.
enum Lowering : std::uint32_t {
  None = 0,
  Texture = 1 << 0,
  Surface = 1 << 1,
  Move = 1 << 2,
  Carry = 1 << 3,
  Float = 1 << 4,
  Integer = 1 << 5,
  Bits = 1 << 6,
  Compare = 1 << 7,
  Convert = 1 << 8,
  Access = 1 << 9,
  Update = 1 << 10,
  Mbarrier = 1 << 11,
  Warp = 1 << 12,
  Multiply = 1 << 13,
  Video = 1 << 14,
  Control = 1 << 15,
};

struct Instruction {
  std::string_view opcode;
  Memory memory;
  std::string_view operands;
  std::uint32_t lowerings; ///< of Lowering

  /// What the operand with this number is for; blank: that depends.
  char role(std::size_t operand) const {
    return operands[operand < operands.size() ? operand : operands.size() - 1];
  }
  /// The number of the operand that is the first address of an access; only where there is one.
  unsigned address() const { return static_cast<unsigned>(operands.find('a')); }
};

/// Null: nothing is known of it.
const Instruction *findInstruction(std::string_view opcode);

/// The type that a word of an operation names: `u32`, `f16x2`, `bf16`, `pred`.
struct Type {
  enum class Kind { Bits, Unsigned, Signed, Float, Brain, Predicate };
  Kind kind = Kind::Bits;
  unsigned bits = 32;
  unsigned lanes = 1; ///< f16x2, bf16x2
  bool isFloat() const { return kind == Kind::Float || kind == Kind::Brain; }
  bool isSigned() const { return kind == Kind::Signed; }
  unsigned totalBits() const { return bits * lanes; }
};
std::optional<Type> typeNamed(std::string_view word);

/// How many values `v2`, `v4` and `v8` move.
template <typename Words> unsigned vectorLength(const Words &words) {
  for (const auto &word : words)
    if (word == "v2" || word == "v4" || word == "v8")
      return static_cast<unsigned>(std::string_view(word)[1] - '0');
  return 1;
}

/// The atomic operation that a word names: `add`, `cas` ...
std::optional<abi::Operation> atomicNamed(std::string_view word);

/// The reduction of a surface that a word names: `add`, `min` ...
std::optional<abi::Operation> reductionNamed(std::string_view word);

/// The operation of an instruction for textures and surfaces (Memory::Image); none: it is not known.
template <typename Words> std::optional<abi::Operation> imageOperation(const Words &words) {
  const std::string_view name = words[0];
  if (name == "tex" || name == "tld4")
    return abi::Operation::TextureFetch;
  if (name == "suld")
    return abi::Operation::SurfaceLoad;
  if (name == "sust")
    return abi::Operation::SurfaceStore;
  if (name == "sured" && std::size(words) > 2)
    return reductionNamed(std::string_view(words[2]));
  return std::nullopt;
}

/// The space that a word names: `global`, `shared::cluster`, `const` ...; none for other words, and for the
/// memory of parameters.
std::optional<abi::MemorySpace> spaceNamed(std::string_view word);

} // namespace cupr::ptx

#endif
