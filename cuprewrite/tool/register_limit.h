/// Keeps the traced variant of a kernel launchable in the blocks that the plain one allows, and the timed one's occupancy that of the
/// plain one.
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
/// All blocks of a cooperative launch must fit on the GPU at once, and programs ask how many of the plain kernel do. So the traced variant of a kernel that waits for
/// the whole grid gets the limit that gives it the plain one's occupancy.
///
/// How long an access takes depends on how many warps share the multiprocessor. So the timed variant gets the limit that gives it the
/// plain one's, also beside launch bounds: registers are handed out to warps in units of 8 for each thread
/// (cuda_occupancy.h, 256 for a warp). What it lacks is spilled, outside of the clocks' intervals for the most part. The call of a hook
/// needs kLeastForCalls, which no kernel without launch bounds is better off for keeping below: 2,048 threads leave each 32.
#ifndef CUPR_TOOL_REGISTER_LIMIT_H
#define CUPR_TOOL_REGISTER_LIMIT_H

#include "kernel_figures.h"

#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

constexpr unsigned kLeastForCalls = 32;

/// The PTX with limits where they are needed; empty when nothing needs one.
std::string limitRegisters(std::string_view ptx, const std::vector<KernelFigures> &kernels);

} // namespace cupr::tool

#endif
