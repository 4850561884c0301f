/// What an instruction of host IR does to memory, after inline PTX and the intrinsics have become plain
/// instructions.
#ifndef CUPR_CPU_MEMORY_ACCESSES_H
#define CUPR_CPU_MEMORY_ACCESSES_H

#include "devicelib/abi/operation.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/IntrinsicInst.h"

namespace cupr::cpu {

/// A stretch of memory that is read, written or both.
struct MemoryAccess {
  abi::Operation operation;
  llvm::Value *pointer; ///< any address space
  llvm::Type *type;     ///< null: `length` says how many bytes
  llvm::Value *length = nullptr;
  llvm::Align alignment{}; ///< what the instruction counts on

  /// The number of bytes, as an i64.
  llvm::Value *bytes(llvm::IRBuilder<> &builder, const llvm::DataLayout &layout) const {
    return type ? builder.getInt64(layout.getTypeStoreSize(type))
                : builder.CreateZExtOrTrunc(length, builder.getInt64Ty());
  }
};

/// Metadata of loads that are no part of the program: those that the retargeting adds for itself.
inline constexpr const char *kOwnLoad = "cupr.own";

/// In the order in which they happen, without own loads. An argument that a call passes by value is read.
llvm::SmallVector<MemoryAccess, 2> accessesOf(llvm::Instruction &instruction);

/// Whether `intrinsic` accesses memory in a way that accessesOf does not know.
bool hasUnknownAccess(const llvm::IntrinsicInst &intrinsic);

} // namespace cupr::cpu

#endif
