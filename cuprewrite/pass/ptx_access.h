/// The memory accesses inside inline PTX.
///
/// clang's own headers write cache-hint loads and stores, half-precision atomics and
/// more as inline PTX, and so do CUB, CUTLASS and many programs: a pass that looks for loads and
/// stores alone misses them.
///
/// The text is parsed (devicelib/ptx) and followed from top to bottom, knowing of each register what it
/// is in terms of the asm's operands: `operand + constant`, or a comparison of two such values for a
/// predicate. That covers what is written in practice,
///
///     { .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.v2.f32 {%0, %1}, [%3+16]; }
///
/// without an interpreter: what a register holds after any other instruction is unknown, and an access
/// through it is reported with its text. So is one behind a label or a jump, and every instruction with an
/// address that is not known here, be it one that PTX does not have yet. Nothing is guessed.
///
/// Not accesses: prefetch, applypriority, discard and the like (hints). Fences, barriers and the objects that threads meet at
/// (mbarrier) are synchronisation (abi/operation.def).
#ifndef CUPR_PASS_PTX_ACCESS_H
#define CUPR_PASS_PTX_ACCESS_H

#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/operation.h"
#include "memory_ordering.h"
#include "ptx_register_file.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cupr::pass {

/// The registers of one of an access's values, from the lowest address on.
struct PtxRegisters {
  llvm::SmallVector<unsigned, 4> operands; ///< of the asm
  std::uint64_t bytes = 0;                 ///< of each
  bool areResults = false;                 ///< they are what the instruction has written
};

/// TensorCopy (access.h).
struct PtxTensorCopy {
  PtxValue map;
  llvm::SmallVector<PtxValue, 5> coordinates;
  llvm::SmallVector<PtxValue, 3> offsets;
  std::optional<PtxValue> blocks;
};

struct PtxAccess {
  PtxAddress address;
  abi::Operation operation = abi::Operation::Load;
  std::uint64_t bytes = 0; ///< 0 with `length`
  std::optional<PtxValue> length;
  std::optional<PtxTensorCopy> tensor; ///< see Access
  llvm::SmallVector<PtxCondition, 1> conditions;
  unsigned lanes = 32; ///< for this and the following see Access
  unsigned rowBits = 0;
  PtxValue rowStride;
  /// What it reads and writes (Access::values); empty where one isn't in operands of the asm. Of textures and surfaces, where.
  llvm::SmallVector<PtxRegisters, 3> values;
  std::string imageInstruction; ///< see Access
  MemoryOrdering ordering;
  bool isCopied = false;           ///< see Access
  std::optional<PtxValue> threads; ///< of a barrier: how many take part, where that is said
  /// Of an mbarrier (abi::hasFigures), in their order; empty: they are not operands of the asm.
  llvm::SmallVector<PtxValue, abi::kFigures> figures;
  bool isBehind = false; ///< see Access
  /// An operand of the asm, written by it, that is not 0 where this has taken place; none: wherever the asm has come to its end.
  std::optional<unsigned> success;
};

/// An instruction that accesses memory and whose access is not known.
struct PtxUnknown {
  std::string text; ///< the instruction's
  std::string why;  ///< empty: it is not understood
  std::optional<abi::MemorySpace> space;
};

struct PtxAccesses {
  llvm::SmallVector<PtxAccess, 2> accesses; ///< in order, and among them what synchronises
  llvm::SmallVector<PtxUnknown, 1> unknown;
};

/// Of the registers that an instruction for textures or surfaces fills or takes. Its last word says something else: the type of the
/// coordinates, or what happens outside.
std::uint64_t ptxBytesOfImage(llvm::ArrayRef<llvm::StringRef> words);

/// The accesses of an asm string.
PtxAccesses parsePtxAccesses(llvm::StringRef assembly);

} // namespace cupr::pass

#endif
