/// What the values and instructions of a kernel mean in a slice (devicelib/abi/slice.h), one by one: which are its inputs, and
/// which operation computes the others.
#ifndef CUPR_PASS_SLICE_TERMS_H
#define CUPR_PASS_SLICE_TERMS_H

#include "devicelib/abi/slice.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace cupr::pass {

/// Whether it is a number or address that fits in a register of a slice.
bool isScalar(const llvm::Type *type, const llvm::DataLayout &layout);
/// The same, or a number whose bits can be compared: float and double.
bool isComparable(const llvm::Type *type, const llvm::DataLayout &layout);

/// How slices name the value of this instruction or argument if it is an input of theirs: an index, or (part of)
/// a kernel parameter.
std::optional<abi::SliceInput> sliceInputOf(const llvm::Value &value);

/// The operation that computes an instruction from its operands; none: it is something else. (A load is one only of memory
/// that stays as it is: unchanged_memory.h.)
std::optional<abi::SliceOperation> sliceOperationOf(const llvm::Instruction &instruction);

bool isShared(const llvm::GlobalVariable &variable);

/// Slices have of an address in shared memory its place in the block's window, not the generic address. Whether the instruction makes
/// something else of such an address than addresses: an integer, a comparison, or what memory held there, which slices can't look up.
bool isPlaceUsed(const llvm::Instruction &instruction);

/// A constant address: a variable of the device, or a shared one, and bytes behind its start.
struct VariablePlace {
  const llvm::GlobalVariable *variable = nullptr;
  std::int64_t offset = 0;
};
std::optional<VariablePlace> variablePlaceOf(const llvm::Constant &constant, const llvm::DataLayout &layout);

} // namespace cupr::pass

#endif
