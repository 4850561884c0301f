/// Takes the text of an inline-assembly statement apart: PTX instructions,
/// declarations and labels, as the PTX ISA manual writes them.
///
/// Two passes read inline PTX: the instrumentation looks for the accesses in it, the CPU
/// device translates it. This is the grammar of both. It knows no instruction: what the
/// words mean is up to the reader.
#ifndef CUPR_PTX_PARSER_H
#define CUPR_PTX_PARSER_H

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::ptx {

struct Operand {
  enum class Kind { Register, Special, Integer, Float, Address, Vector, Discard };
  Kind kind = Kind::Register;
  std::string name;       ///< Register (`$0` for the asm operand 0), Special (without `%`), Address: its base
  std::string second;     ///< the predicate of `r|p`, empty if none
  bool negated = false;   ///< `!p`, or `-x`
  std::int64_t value = 0; ///< Integer; Float: its bits; Address: the offset
  unsigned floatBits = 0; ///< Float: 32 or 64
  std::vector<Operand> elements; ///< Vector; Address: the coordinates in a tensor
};

struct Statement {
  /// Unparsed: the text is not what this parser understands; `operation` and `operands` hold
  /// what came before that.
  enum class Kind { Instruction, Declaration, Label, Unparsed };
  Kind kind = Kind::Instruction;
  std::string text;  ///< as written, without the semicolon
  std::string guard; ///< predicate register of `@p`, empty if none
  bool guardNegated = false;
  std::vector<std::string>
      operation; ///< "ld.global.u32" -> ld, global, u32; Declaration: the type; Label: its name
  std::vector<Operand> operands; ///< Declaration: the registers
};

/// The statements of `text`, in order.
std::vector<Statement> parse(const std::string &text);

/// The text of an LLVM inline asm as PTX with operands `$n`: `${0:x}` is `$0`, `$$` is a dollar sign in
/// a name.
std::string withOperandNames(const std::string &assembly);

} // namespace cupr::ptx

#endif
