/// Which instructions access memory, and how: the "decide" half of the pass looks
/// here, and nothing in this file changes the module.
#ifndef CUPR_PASS_ACCESS_H
#define CUPR_PASS_ACCESS_H

#include "devicelib/abi/operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"

#include <string>

namespace cupr::pass {

/// One memory access of an instruction. A copy intrinsic is two: a load from its
/// source and a store to its destination.
struct Access {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *pointer = nullptr;
  abi::Operation operation = abi::Operation::Load;
  std::uint64_t bytes = 0;    ///< per thread
  llvm::Type *type = nullptr; ///< of the value; null for copies and sets
  /// Inline PTX only: bytes added to the pointer (which may be a 64-bit integer there), and whether the
  /// instruction itself names global memory.
  std::int64_t offset = 0;
  bool saysGlobal = false;
};

/// The accesses of one instruction; empty for most. When the instruction accesses
/// memory in a way that can't be recorded, `reason` says why.
llvm::SmallVector<Access, 2> accessesOf(llvm::Instruction &instruction, std::string &reason);

} // namespace cupr::pass

#endif
