/// Puts the hooks of accesses that a basic block makes one after the other into one call, which reserves
/// space and commits once for all, and leaves one record head for those whose addresses are regular
/// (abi/record_head.h, Follow).
///
/// On an H200 a hook's time is that of its atomics and its fence; of a vector addition's three accesses two
/// come free.
///
/// A hook may move up to the first of its group: its address must be known there, and nothing in between may
/// synchronise or call. Only hooks of accesses that are known to be global take part, and only on the GPU:
/// the CPU device has hooks of its own.
#ifndef CUPR_PASS_GROUP_HOOKS_H
#define CUPR_PASS_GROUP_HOOKS_H

namespace llvm {
class Module;
}

namespace cupr::pass {

void groupHooks(llvm::Module &module);

} // namespace cupr::pass

#endif
