/// Lets kernels whose accesses are derived say that a block has begun behind their first loads, not in front of them.
///
/// A block of a short kernel loads, waits and stores. What its first warp does in front of the loads makes the block, and so the kernel, longer;
/// what it does behind them costs nothing, since it would wait there. On an H200 a vector addition of 4 M elements takes 1.049 times as long as
/// the plain kernel with the hook in front, 1.015 with it behind (1.039 and 1.009 for 16 M).
///
/// The hook goes along with the program as long as nothing happens that somebody else could notice, and nothing needs what was loaded. Where
/// the program branches before it loads, each way gets the hook. A kernel that loads more at once than registers should be kept for, or
/// nothing, is left as it is.
///
/// A load that faults leaves its block unsaid. On a GPU that makes no difference, since the context, and what was said, is gone; the CPU
/// device, where blocks that had begun are still known, doesn't run this.
#ifndef CUPR_PASS_DEFER_BLOCK_HOOKS_H
#define CUPR_PASS_DEFER_BLOCK_HOOKS_H

namespace llvm {
class Module;
}

namespace cupr::pass {

void deferBlockHooks(llvm::Module &module);

} // namespace cupr::pass

#endif
