/// The address-space analysis: which pointers certainly point to global memory, in
/// which context.
///
/// Problem: a CUDA access is made through a generic pointer; the space it points to
/// is known where the pointer comes from, often in another function. `copy(dst, src)`
/// may be called global-to-shared and shared-to-global, so one answer per
/// function is not enough.
///
/// A *context* is a function together with the spaces of its pointer arguments (its
/// *pattern*). Starting from the kernels, whose pointer arguments are global, the
/// analysis follows the def-use chains, and every call leads to the context of the
/// callee that its arguments select. Values are computed on the lattice of space.h;
/// contexts are recomputed until nothing moves. Patterns are finite, so recursion
/// ends; a function with more than kMaxContexts patterns gets one more context
/// for all further calls, where every argument is Both.
///
/// Sources of global pointers (Rieber 2017, 5.3.1): kernel parameters, pointers inside
/// by-value kernel parameters, global variables, and pointers loaded from global
/// memory. The last holds only if no pointer to other memory gets into global memory (pointer_escape.h);
/// then such pointers are Both.
#ifndef CUPR_PASS_ANALYSIS_H
#define CUPR_PASS_ANALYSIS_H

#include "space.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <optional>
#include <vector>

namespace cupr::pass {

inline constexpr unsigned kMaxContexts = 16;

/// A function under one pattern of argument spaces.
struct Context {
  llvm::Function *function = nullptr;
  /// One per argument; Unvisited for arguments that hold no pointer.
  llvm::SmallVector<Space, 8> pattern;
  llvm::DenseMap<const llvm::Value *, Space> values;
  Space returned = Space::Unvisited;
  /// The context that each direct call of a defined function leads to.
  llvm::DenseMap<llvm::CallBase *, Context *> calls;
  std::vector<Context *> callers;

  /// The indices of the arguments that are global: written `{0,1}`.
  std::vector<unsigned> globalArguments() const;
};

class AddressSpaceAnalysis {
public:
  explicit AddressSpaceAnalysis(llvm::Module &module);

  /// Contexts in the order in which they were found; kernels first.
  const std::vector<std::unique_ptr<Context>> &contexts() const { return contexts_; }
  /// The space of `pointer` in `context`.
  Space spaceOf(const Context &context, const llvm::Value *pointer) const;

private:
  Context *contextFor(llvm::Function &function, llvm::SmallVector<Space, 8> pattern);
  void evaluate(Context &context);
  Space evaluate(Context &context, const llvm::Instruction &instruction);
  Space evaluateCall(Context &context, llvm::CallBase &call);
  Space evaluateLoad(const Context &context, const llvm::LoadInst &load) const;
  Space contentOf(const Context &context, const llvm::Value &object, const llvm::Value &pointer,
                  std::optional<std::uint64_t> bytes) const;
  Space constantSpace(const llvm::Constant *constant) const;

  llvm::Module &module_;
  std::vector<std::unique_ptr<Context>> contexts_;
  llvm::DenseMap<llvm::Function *, llvm::SmallVector<Context *, 2>> byFunction_;
  std::vector<Context *> work_;
  bool leaks_ = false;
};

/// Whether code that is not seen may call this function: its address is taken, or
/// it has a variable number of arguments.
bool isCalledFromOutside(const llvm::Function &function);

} // namespace cupr::pass

#endif
