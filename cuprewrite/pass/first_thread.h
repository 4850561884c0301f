/// Code that the first thread of a block runs alone.
#ifndef CUPR_PASS_FIRST_THREAD_H
#define CUPR_PASS_FIRST_THREAD_H

#include "llvm/IR/IRBuilder.h"

namespace cupr::pass {

/// Moves the builder to where only the first thread of the block comes, in front of the instruction.
void moveIntoFirstThread(llvm::IRBuilder<> &builder, llvm::Instruction &before);

} // namespace cupr::pass

#endif
