/// Registers of its own for what a timed access takes and brings, so that ptxas has nothing to do between the clocks (access_timing.h).
///
/// Problem: ptxas copies the address that a loop carries on into the registers which the access takes, and does so where it likes, behind the first clock,
/// too: 7 cycles. And where it is short of registers, it stores what the access has brought in local memory right behind it, in front of the second clock, which
/// waits for that. So the address is made anew in front of the first clock, and what was brought behind the second, by adding a 0 of which ptxas does not know that it is one.
#ifndef CUPR_PASS_OWN_REGISTERS_H
#define CUPR_PASS_OWN_REGISTERS_H

#include "llvm/IR/IRBuilder.h"

namespace cupr::pass {

/// The operand of a load, a store or a call that is its address, if it is one of 64 bits and no constant; null: it can stay as it is. `address`: of a call.
llvm::Use *movableAddress(llvm::Instruction &access, const llvm::Value *address);

/// Gives the access another address of the same, and returns it. `word`: the address's registers, one xor the other.
llvm::Value *moveAddress(llvm::IRBuilder<> &builder, llvm::Use &address, llvm::Value *word);

/// Has `uses`, which are of the access, take the same from other registers, which come behind `ended`, a number of 32 bits.
void moveResult(llvm::IRBuilder<> &builder, llvm::Instruction &access, llvm::Value *ended,
                llvm::ArrayRef<llvm::Use *> uses);

} // namespace cupr::pass

#endif
