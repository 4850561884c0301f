/// GPU machine code as far as it says what waits for what: read from a CUBIN, without a disassembler, which is not part of every
/// installation of the toolkit.
///
/// Since Volta an instruction has 128 bits. Operations whose time is not known to the assembler, loads among them, set one of six
/// *scoreboards* when they begin and clear it when their result is there; an instruction names those that it waits for. (Z. Jia et al.,
/// Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, section 2.1; the numbers of operations are those that
/// cuobjdump names so in ptxas 13's code for sm_75 to sm_120.)
///
///     bits  0-11   operation and form of its operands
///     bits 12-14   predicate, 15: it is negated; 7: none
///     bits 24-31   first source register, 255: none
///     bits 32-63   immediate, of forms that have one
///     bits 38-43   how many may be left, and 44-46 of which scoreboard, of DEPBAR
///     bits 54-58   constant bank, of LDC
///     bits 72-79   special register, of those that read one
///     bits 110-112 scoreboard that the result clears, 113-115 that the reading of the sources clears; 7: none
///     bits 116-121 scoreboards that are waited for, a bit each
#ifndef CUPR_TOOL_MACHINE_CODE_H
#define CUPR_TOOL_MACHINE_CODE_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace cupr::tool {

struct MachineInstruction {
  enum class Kind : std::uint8_t {
    Other,
    Compare, ///< of a register with an immediate
    Clock,   ///< a read of the multiprocessor's clock, its low 32 bits or all
    Load,    ///< or another access that brings something
    Store,   ///< or another one that brings nothing
    Fence,
    Copy,      ///< one that others wait for: LDGSTS
    CopyGroup, ///< sets a scoreboard that the copies before it clear: LDGDEPBAR
    CopyWait,  ///< for a scoreboard: DEPBAR; `waits` says for which, if it is for all that count there
  };
  Kind kind = Kind::Other;
  bool isPredicated = false;
  std::uint32_t immediate = 0; ///< of Compare
  std::uint8_t sets = 0;       ///< scoreboards that are cleared when the result is there, a bit each
  std::uint8_t waits = 0;      ///< scoreboards that it waits for
};

/// Of the bytes of a function, 16 for each instruction.
std::vector<MachineInstruction> readMachineCode(std::string_view bytes);

} // namespace cupr::tool

#endif
