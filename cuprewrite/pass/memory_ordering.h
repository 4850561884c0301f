/// What operations order, and for whom: read off LLVM's instructions, and off the words of PTX's and of LLVM's intrinsics for it.
///
/// The words of both are the same, apart from how they are joined: `fence.acq_rel.gpu`, `llvm.nvvm.fence.sc.cluster`,
/// `mbarrier.arrive.release.cta.shared::cta.b64`, `llvm.nvvm.mbarrier.arrive.scope.cta.space.cta`. So one reading serves both.
#ifndef CUPR_PASS_MEMORY_ORDERING_H
#define CUPR_PASS_MEMORY_ORDERING_H

#include "devicelib/abi/memory_order.h"
#include "devicelib/abi/operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instruction.h"

#include <optional>

namespace cupr::pass {

struct MemoryOrdering {
  abi::MemoryOrder order = abi::MemoryOrder::None;
  abi::MemoryScope scope = abi::MemoryScope::None;
};

/// Of a load, store, fence or atomic operation; none of others. Volatile accesses are for the whole system (PTX ISA, `ld.volatile`).
MemoryOrdering orderingOf(const llvm::Instruction &instruction);

/// Of a load, store or atomic operation with these words.
MemoryOrdering orderingNamed(llvm::ArrayRef<llvm::StringRef> words);

/// An operation that moves no data.
struct Synchronisation {
  abi::Operation operation;
  MemoryOrdering ordering;
};
std::optional<Synchronisation> synchronisationNamed(llvm::ArrayRef<llvm::StringRef> words);

/// Whether it is about an mbarrier, whose place in shared memory stands for its address.
inline bool isOfMbarrier(abi::Operation operation) {
  return operation >= abi::Operation::MbarrierInit && operation <= abi::Operation::MbarrierWait;
}

/// Whether synchronisation is to be recorded (-cupr-synchronisation).
bool recordsSynchronisation();

/// Whether the instruction comes from a function of the CUDA headers with this name, or this one and a scope (`atomicSub`,
/// `atomicSub_block`): it has been inlined, or is its body.
bool comesFromCudaAtomic(const llvm::Instruction &instruction, llvm::StringRef name);

} // namespace cupr::pass

#endif
