/// What the registers of inline PTX hold, as far as it follows from the asm's operands.
///
/// An asm computes addresses and predicates in registers of its own. Each is followed through moves, additions, conversions of addresses
/// and comparisons, as a sum of up to two operands and a constant; what is more than that is not known, and nothing is guessed.
#ifndef CUPR_PASS_PTX_REGISTER_FILE_H
#define CUPR_PASS_PTX_REGISTER_FILE_H

#include "devicelib/abi/memory_space.h"
#include "devicelib/ptx/parser.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

#include <cstdint>
#include <optional>

namespace cupr::pass {

/// An integer in terms of the asm's operands: the sum of up to two of them and a constant.
struct PtxValue {
  static constexpr unsigned kNoOperand = ~0u;
  unsigned operand = kNoOperand; ///< `$operand`
  unsigned added = kNoOperand;   ///< another one, added to it
  std::int64_t offset = 0;
};

/// An address. Its value is the operand's, or what `cvta` made of it.
struct PtxAddress {
  PtxValue value;
  /// The space that the instruction names, or that is known from a conversion.
  std::optional<abi::MemorySpace> space;
  /// The value counts within the window of `space`; else it is a generic address.
  bool inWindow = false;
};

/// A comparison of two values of `bits` bits.
struct PtxCondition {
  llvm::CmpInst::Predicate comparison = llvm::CmpInst::ICMP_NE;
  PtxValue left, right;
  unsigned bits = 32;
};

/// Bits of a PTX type: `f32`, `b16`, `f16x2`, `bf16` ...; 0 when it is none, or a predicate.
unsigned ptxTypeBits(llvm::StringRef word);

/// The spaces that an instruction names, in order.
llvm::SmallVector<abi::MemorySpace, 2> ptxSpacesNamed(llvm::ArrayRef<llvm::StringRef> words);

class PtxRegisterFile {
public:
  /// A number, if it is one that is known.
  std::optional<PtxValue> number(const ptx::Operand &operand) const;
  /// A predicate register, or an operand of the asm that is one.
  std::optional<PtxCondition> condition(llvm::StringRef name, bool negated) const;
  bool isPredicate(llvm::StringRef name) const { return known(name).kind == Kind::Predicate; }
  /// What stands between brackets, in the space that the instruction names; nothing where the operand is no such thing.
  std::optional<PtxAddress> address(const ptx::Operand &operand, std::optional<abi::MemorySpace> space) const;

  /// The instruction has been executed.
  void execute(const ptx::Statement &statement);
  /// Nothing is known any more.
  void forgetAll();

private:
  enum class Kind : std::uint8_t { Nothing, Value, Predicate };
  struct Known {
    Kind kind = Kind::Nothing;
    PtxAddress value; ///< Value: a number, or an address after `cvta`
    PtxCondition predicate;
  };
  Known known(llvm::StringRef name) const;
  Known read(const ptx::Operand &operand) const;
  Known compute(const ptx::Statement &statement) const;

  llvm::StringMap<Known> registers_;
};

} // namespace cupr::pass

#endif
