/// Blocks of a timed kernel that are not recorded run what the plain kernel does.
///
/// Problem: how long accesses take depends on what other blocks do at the time. If those that are not recorded ran the timed code, with its
/// clocks and spilled registers, the recorded ones would meet another kernel than the plain one.
///
///     __cupr_timed_k:                                   with a copy of @k's body as @__cupr_timed_k.unrecorded, inlined later
///       %recording = call i1 @__cupr_recording_v6(%trace)
///       br %recording, label %recorded, label %unrecorded
///     unrecorded:
///       call @__cupr_timed_k.unrecorded(...)
///       ret
///
/// Only of kernels that call no functions: those of the plain kernel, used here too, would no longer be that kernel's alone (plain_code.h).
#ifndef CUPR_PASS_UNRECORDED_BLOCKS_H
#define CUPR_PASS_UNRECORDED_BLOCKS_H

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace cupr::pass {

/// `recording` is the timed kernel's answer whether its block is recorded, in its first basic block.
void leaveUnrecordedAlone(llvm::Function &original, llvm::Function &timed, llvm::Instruction &recording);

} // namespace cupr::pass

#endif
