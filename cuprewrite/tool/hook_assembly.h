/// How device code is assembled whose hooks are functions: as a whole, or as relocatable code.
///
/// Problem: ptxas compiles a function again for every kernel that reaches it, unless the code is relocatable. A
/// called hook takes it 0.1 to 0.3 s for each kernel; a file with 132 instances of one kernel took 24 s
/// instead of 2. But relocatable code is other code: ptxas does not know where a shared array lies, calls
/// divisions as functions, and so on, for the kernels without hooks too. A plain kernel, of a launch that is not
/// traced, then is not the one of a build without cuprewrite: a register-tiled matrix multiplication needed 144
/// registers instead of 128, and took 1.38 times as long (H200).
///
/// So code is assembled as a whole, as an ordinary build does it, wherever the traced kernels are at most
/// kKernelsAsWhole. Traced kernels fare better, too: the registers of their hooks are theirs.
///
/// Code with timed kernels is assembled as a whole, however long that takes: behind a call, relocatable code for sm_90 moves the
/// descriptor of memory into uniform registers anew, right in front of the load and behind its first clock (13 cycles).
#ifndef CUPR_TOOL_HOOK_ASSEMBLY_H
#define CUPR_TOOL_HOOK_ASSEMBLY_H

#include <string>
#include <string_view>

namespace cupr::tool {

/// Traced kernels of a module for each of which ptxas may compile the hooks again.
constexpr unsigned kKernelsAsWhole = 16;

/// Whether PTX has a hook as a function, which the pass calls (pass/link_hooks.h), and kernels so many that it
/// is assembled as relocatable code.
bool isRelocatableForHooks(std::string_view ptx);

/// The PTX for relocatable code: ptxas merges accesses to shared arrays only where their declared alignment allows
/// it, so arrays of 16 bytes and more get an alignment of 16, the widest access. Without it a tiled matrix
/// multiplication took 22 % longer (H200).
std::string withAlignedSharedArrays(std::string_view ptx);

} // namespace cupr::tool

#endif
