/// What a kernel finds in memory and leaves as it is: loads whose values follow from what that memory held when the launch began.
///
/// Problem: indices are often data (a sparse matrix' columns, a permutation), and what they decide depends on memory.
/// If nobody writes that memory while the kernel runs, its contents before the launch determine them. What others do is seen
/// at run time (the tracer compares the contents before and behind the kernel); what the kernel does must be known before it runs.
///
/// Memory has no names in the IR, but addresses are made from something: a pointer parameter, mostly, or a variable, which is called
/// their *root*. The kernel leaves alone what it reads if no address that it writes to has the same root, and, which the launch tells, no
/// root that lies in the same allocation. Where a write has no such root, nothing is known, and nothing is held to stay.
#ifndef CUPR_PASS_UNCHANGED_MEMORY_H
#define CUPR_PASS_UNCHANGED_MEMORY_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace cupr::pass {

class UnchangedMemory {
public:
  /// Variables, and parameters or parts of such (sliceInputOf).
  using Roots = llvm::SmallSetVector<const llvm::Value *, 4>;

  explicit UnchangedMemory(const llvm::Function &kernel);

  /// Whether the load, which may be any, gives what the launch found, as far as the kernel is concerned.
  bool holds(const llvm::LoadInst &load) const;
  /// What the kernel writes to. Only where a load is held.
  const Roots &written() const { return written_; }

private:
  void addWritesOf(const llvm::Instruction &instruction);
  void addWrites(const llvm::Value &pointer);

  const llvm::DataLayout &layout_;
  Roots written_;
  bool writesAnywhere_ = false;
};

/// The roots of an address in global memory; of what lies in memory of the thread or block, none. Nothing: it is made from
/// something else, too.
std::optional<UnchangedMemory::Roots> rootsOf(const llvm::Value &pointer, const llvm::DataLayout &layout);

} // namespace cupr::pass

#endif
