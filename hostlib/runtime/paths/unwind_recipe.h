/// How a function's frame is left: where its caller's registers are, for one place in it.
///
/// The problem: a call path is wanted for each call of the program, compiled as its makers like. Frame pointers are there only where
/// all of it was compiled with them, and a chain of them leads astray, unnoticed, where it was not. What every compiler writes instead,
/// for exceptions, is a small program for each function that says, for each of its instructions, where the frame begins (the canonical frame
/// address, CFA), and where in it the caller's registers lie: .eh_frame (DWARF 5, section 6.4; System V ABI for x86-64, section 3.7). Running that
/// program takes a microsecond. But what it comes to is the same for each visit of one place, and for code of compilers it is next to always of one
/// form: the CFA is a sum of the stack or the frame pointer and a constant, the return address lies in front of it, and the caller's frame
/// pointer is what it was or lies at a constant distance. That is kept as a *recipe*. What does not fit it is said to be unknown,
/// not guessed.
///
/// Source: Zhou and Mellor-Crummey, "Optimizing GPU-accelerated Applications with HPCToolkit" (2019), slide 11.
#ifndef CUPR_RUNTIME_UNWIND_RECIPE_H
#define CUPR_RUNTIME_UNWIND_RECIPE_H

#include "code_object.h"

#include <cstdint>

namespace cupr::host {

/// What a caller's place needs to be known by. Of x86-64: rip, rsp, rbp.
struct Registers {
  std::uint64_t pc; ///< of a caller: the return address
  std::uint64_t sp; ///< of a caller: behind the return address
  std::uint64_t bp;
  bool operator==(const Registers &) const = default;
};

struct UnwindRecipe {
  enum class Kind : std::uint8_t {
    Unknown,   ///< no code of an ELF object, or nothing is said of it that fits here
    Call,      ///< the caller is found as said below
    Signal,    ///< likewise; it is where a signal interrupted the program
    Outermost, ///< there is no caller
  };
  enum class Base : std::uint8_t { Sp, Bp, Cfa };
  /// A number of the frame: base and offset, or, if `isStored`, what lies there.
  struct Value {
    std::int32_t offset = 0;
    Base base = Base::Sp;
    bool isStored = false;
  };

  Kind kind = Kind::Unknown;
  bool keepsBp = true; ///< the caller's frame pointer is this frame's; `bp` says nothing
  Value cfa, pc, bp;
};

/// `pc`: an address in the instruction that calls, or that was interrupted. May be called in a signal handler.
UnwindRecipe unwindRecipe(std::uint64_t pc, const CodeObject &object);

} // namespace cupr::host

#endif
