/// Keeps the traced variant of a kernel launchable in the blocks that the plain one allows, and the one whose accesses are
/// derived at the plain one's occupancy.
///
/// Problem: a block's threads share 65,536 registers (CUDA programming guide, "Technical Specifications per
/// Compute Capability"). A kernel without launch bounds that needs 40 can be launched with 1024 threads, for
/// which 64 is the limit; when recording its accesses takes the traced variant to 70, such a launch fails,
/// and would go untraced. ptxas knows only when it has assembled both.
///
/// So the assembler's figures are looked at, and where the traced variant is beyond the limit that the plain
/// one keeps, for blocks of 1024, 512 or 256 threads, it is given that limit (`.maxnreg`) and assembled
/// again. Kernels with launch bounds have a limit already.
///
/// The variant whose accesses are derived (devicelib/abi/slice.h) is to run at the plain kernel's speed. It differs from it by what one
/// thread does in the beginning, which takes 40 registers where there is none to wait for; with 32 a multiprocessor has all the
/// threads that it can have. So it gets 32 or as many as the plain one has.
#ifndef CUPR_TOOL_REGISTER_LIMIT_H
#define CUPR_TOOL_REGISTER_LIMIT_H

#include "kernel_figures.h"

#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

/// The PTX with limits where they are needed; empty when nothing needs one.
std::string limitRegisters(std::string_view ptx, const std::vector<KernelFigures> &kernels);

} // namespace cupr::tool

#endif
