/// Which instructions access memory, and how: the "decide" half of the pass looks
/// here, and nothing in this file changes the module.
///
/// An access is described by values that exist at its instruction. Where inline PTX or an
/// instruction of a whole warp computes more than that (a predicate, a size, the place of a lane's row),
/// the description says how, and the instrumentation computes it again in front of the
/// instruction (hook_calls.h).
#ifndef CUPR_PASS_ACCESS_H
#define CUPR_PASS_ACCESS_H

#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/operation.h"
#include "memory_ordering.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>
#include <string>

namespace cupr::pass {

/// `value + offset`, where a missing value is 0.
struct Term {
  llvm::Value *value = nullptr;
  std::int64_t offset = 0;
};

/// `left comparison right`, on integers of `bits` bits.
struct Condition {
  llvm::CmpInst::Predicate comparison = llvm::CmpInst::ICMP_NE;
  Term left, right;
  unsigned bits = 32;
};

/// A register that an access's value is in, or a part of it.
struct ValueRegister {
  llvm::Value *value = nullptr; ///< null: a result of the access's own instruction
  unsigned result = 0;          ///< which, of several
  std::uint64_t bytes = 0;      ///< its lowest ones; 0: all
};
/// The registers of one value, from the lowest address on.
using ValueRegisters = llvm::SmallVector<ValueRegister, 1>;

/// Of all of them together; all have values.
llvm::Type *typeOf(const ValueRegisters &registers);

/// What the hardware makes the addresses of a copy by a tensor map of (devicelib/abi/tensor_map.h).
struct TensorCopy {
  Term map;                               ///< a generic address
  llvm::SmallVector<Term, 5> coordinates; ///< innermost first
  llvm::SmallVector<Term, 3> offsets;     ///< of im2col
  std::optional<Term> blocks;             ///< a set, of those that are written; none: it is one
};

/// One memory access of an instruction. A copy intrinsic is two: a load from its
/// source and a store to its destination.
struct Access {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *pointer = nullptr; ///< or an integer that is an address, or stands for it (abi/operation.def)
  abi::Operation operation = abi::Operation::Load;
  std::uint64_t bytes = 0; ///< per thread; 0 with `length`
  /// Of the value, of textures and surfaces of the coordinates; null where there is none.
  llvm::Type *type = nullptr;
  std::string variable; ///< of arrays in local memory: which one (local_variables.h)
  /// Of a load from one: it is made only where the program makes it. Of an array that begins: all that stores to it is recorded.
  bool isSure = false;
  /// A load that the program may not make there (speculated_loads.h).
  bool isSpeculated = false;
  /// Whoever has taken the lock in front of it makes it (locked_paths.h).
  bool isRegardless = false;
  std::string imageInstruction; ///< of textures and surfaces: `tex.2d.v4.f32.f32`
  /// What the back end makes of it are instructions of at most so many bytes, a power of two up to 16. 0: it
  /// is one instruction, of whatever size.
  std::uint64_t part = 0;

  /// What it reads and writes, in the order of abi::valuesOf. Empty: it goes through no registers that are known.
  llvm::SmallVector<ValueRegisters, 3> values;
  MemoryOrdering ordering;
  /// A store of an asynchronous copy, for which its thread waits, or, if it has an order, others at an mbarrier.
  bool isCopied = false;

  std::int64_t offset = 0; ///< bytes added to the pointer
  /// The instruction itself names the space.
  std::optional<abi::MemorySpace> space;
  /// The address counts within the window of `space`: it is no generic one.
  bool inWindow = false;
  /// Made only by threads for which all of these hold.
  llvm::SmallVector<Condition, 1> conditions;
  /// Synchronisation that is recorded behind its instruction. Conditions may ask for the instruction's own result then.
  bool isBehind = false;
  /// The size is known at run time only. Threads where it is 0 make no access.
  std::optional<Term> length;
  /// Made by a tensor map: which bytes these are is known to the host. `pointer` is the map, or where the box lies in shared memory.
  std::optional<TensorCopy> tensor;

  /// Of an instruction of a whole warp: the lanes below this number make it.
  unsigned lanes = 32;
  /// Not 0: lane n's address is n * rowStride * rowBits / 8 bytes further.
  unsigned rowBits = 0;
  Term rowStride;
};

/// Memory that an instruction accesses and that can't be recorded.
struct Untraced {
  std::string reason;
  /// Where that is certain.
  std::optional<abi::MemorySpace> space;
};

/// The accesses of one instruction, and what it synchronises where that is asked for (-cupr-synchronisation); empty for most. What
/// it accesses and can't be recorded is added to `untraced`.
llvm::SmallVector<Access, 2> accessesOf(llvm::Instruction &instruction,
                                        llvm::SmallVectorImpl<Untraced> &untraced);

} // namespace cupr::pass

#endif
