/// Takes the text of an inline-assembly statement apart: PTX instructions,
/// declarations and labels, as the PTX ISA manual writes them.
#ifndef CUPR_CPU_PTX_PARSER_H
#define CUPR_CPU_PTX_PARSER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupr::cpu::ptx {

struct Operand {
  enum class Kind { Register, Special, Integer, Float, Address, Vector, Discard };
  Kind kind = Kind::Register;
  std::string name;              ///< Register (`$0` for the asm operand 0), Special (without `%`), Address: its base
  std::string second;            ///< the predicate of `r|p`, empty if none
  bool negated = false;          ///< `!p`, or `-x`
  std::int64_t value = 0;        ///< Integer; Float: its bits; Address: the offset
  unsigned floatBits = 0;        ///< Float: 32 or 64
  std::vector<Operand> elements; ///< Vector
};

struct Statement {
  enum class Kind { Instruction, Declaration, Label };
  Kind kind = Kind::Instruction;
  std::string guard; ///< predicate register of `@p`, empty if none
  bool guardNegated = false;
  std::vector<std::string> operation; ///< "ld.global.u32" -> ld, global, u32; Declaration: the type; Label: its name
  std::vector<Operand> operands;      ///< Declaration: the registers
};

/// Null where the text is not what this parser understands.
std::optional<std::vector<Statement>> parse(const std::string &text);

} // namespace cupr::cpu::ptx

#endif
