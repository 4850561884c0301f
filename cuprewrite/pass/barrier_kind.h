/// Instructions at which threads wait for others, or end.
#ifndef CUPR_PASS_BARRIER_KIND_H
#define CUPR_PASS_BARRIER_KIND_H

#include "llvm/IR/Instruction.h"

#include <cstdint>

namespace cupr::pass {

/// What an instruction does to the order in which threads make accesses, or to whether they make all.
enum class BarrierKind : std::uint8_t {
  None,
  Block,   ///< waits for all threads of the block
  Unknown, ///< may be anything of the kind, or end the thread
};
BarrierKind barrierKindOf(const llvm::Instruction &instruction);

} // namespace cupr::pass

#endif
