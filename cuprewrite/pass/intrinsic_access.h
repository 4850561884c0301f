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

} // namespace cupr::pass

#endif
