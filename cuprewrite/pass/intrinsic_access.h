/// The memory accesses of LLVM's intrinsics.
///
/// An intrinsic is recognised by the words of its name. One that may reach memory through a pointer
/// and is not known is named as not traced, so that a new one in a later LLVM is noticed.
#ifndef CUPR_PASS_INTRINSIC_ACCESS_H
#define CUPR_PASS_INTRINSIC_ACCESS_H

#include "access.h"

#include "llvm/IR/IntrinsicInst.h"

namespace cupr::pass {

void addIntrinsicAccesses(llvm::IntrinsicInst &call, llvm::SmallVectorImpl<Access> &accesses,
                          llvm::SmallVectorImpl<Untraced> &untraced);

/// Whether an addition stands for the user's atomicSub: CUDA's headers spell atomicSub(p, v) as an addition
/// of -v. The word survives as the name of the function, or in the inlined-at chain.
bool comesFromAtomicSub(const llvm::Instruction &instruction);

} // namespace cupr::pass

#endif
