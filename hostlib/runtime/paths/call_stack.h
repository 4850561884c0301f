/// A step from a function's frame to its caller's, and from there on to the thread's first function.
#ifndef CUPR_RUNTIME_CALL_STACK_H
#define CUPR_RUNTIME_CALL_STACK_H

#include "unwind_recipe.h"

#include <cstddef>

namespace cupr::host {

/// One function on the stack.
struct StackFrame {
  Registers at;
  /// It was interrupted at `at.pc`; else that is where its callee returns to.
  bool isInterrupted = false;
  /// In the call, or what was interrupted: what belongs to the frame's code, where a return address may be behind it.
  std::uint64_t codeAddress() const { return isInterrupted ? at.pc : at.pc - 1; }
  bool operator==(const StackFrame &) const = default;
};

/// Where on the stack the caller's registers were found; 0: they follow from more than what lies there.
struct StackSlots {
  std::uint64_t pc = 0;
  std::uint64_t bp = 0; ///< 0 also where it is the callee's
};

/// The caller of `frame`, as the recipe for its code says; false where the memory isn't there, or what is in it leads nowhere.
template <class Memory>
bool stepOut(StackFrame &frame, const UnwindRecipe &recipe, const Memory &memory,
             StackSlots *slots = nullptr) {
  std::uint64_t cfa = 0;
  bool isDetermined = true;
  const auto valueOf = [&](const UnwindRecipe::Value &value, std::uint64_t &result) {
    const std::uint64_t base = value.base == UnwindRecipe::Base::Sp   ? frame.at.sp
                               : value.base == UnwindRecipe::Base::Bp ? frame.at.bp
                                                                      : cfa;
    result = base + static_cast<std::uint64_t>(std::int64_t{value.offset});
    if (!value.isStored)
      return true;
    isDetermined = false;
    return memory.read(result, result);
  };
  std::uint64_t pcSlot = 0, bpSlot = 0;
  StackFrame caller;
  if (!valueOf(recipe.cfa, cfa) || !valueOf(recipe.pc, pcSlot) || !memory.read(pcSlot, caller.at.pc))
    return false;
  caller.at.sp = cfa;
  caller.at.bp = frame.at.bp;
  if (!recipe.keepsBp && (!valueOf(recipe.bp, bpSlot) || !memory.read(bpSlot, caller.at.bp)))
    return false;
  caller.isInterrupted = recipe.kind == UnwindRecipe::Kind::Signal;
  // A call leaves something on the stack. A signal may have come on another one.
  if (!caller.isInterrupted && caller.at.sp <= frame.at.sp)
    return false;
  if (slots)
    *slots = isDetermined && !caller.isInterrupted ? StackSlots{pcSlot, bpSlot} : StackSlots{};
  frame = caller;
  return true;
}

/// The caller as code with frame pointers leaves it, for code of which nothing is known. A frame that would be larger than a megabyte is none: on a
/// coroutine's stack, what the pointer was when that was made leads to another stack.
template <class Memory> bool stepOutByFramePointer(StackFrame &frame, const Memory &memory) {
  constexpr std::uint64_t kFrameMost = 1 << 20;
  StackFrame caller;
  if (frame.at.bp < frame.at.sp || frame.at.bp - frame.at.sp > kFrameMost ||
      frame.at.bp % sizeof(std::uint64_t) != 0 || !memory.read(frame.at.bp, caller.at.bp) ||
      !memory.read(frame.at.bp + sizeof(std::uint64_t), caller.at.pc))
    return false;
  caller.at.sp = frame.at.bp + 2 * sizeof(std::uint64_t);
  frame = caller;
  return true;
}

/// Paths that are longer are cut.
constexpr std::size_t kFramesMax = 4096;

} // namespace cupr::host

#endif
