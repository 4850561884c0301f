/// Decides what is traced: turns the results of the analysis into a list of accesses
/// per context. Nothing in the module changes.
#ifndef CUPR_PASS_PLAN_H
#define CUPR_PASS_PLAN_H

#include "access.h"
#include "access_values.h"
#include "analysis.h"
#include "devicelib/abi/site_table.h"
#include "executed_regions.h"
#include "storage.h"

#include <functional>
#include <string>
#include <vector>

namespace cupr::pass {

/// How it is known which space an access is in.
enum class SpaceProof : std::uint8_t { Proven, Decided /* at run time */ };

/// An access that will be traced.
struct TracedAccess {
  Access access;
  /// The traced spaces that it may be in; one if that is proven.
  abi::SpaceSet spaces = abi::spaceBit(abi::MemorySpace::Global);
  SpaceProof proof = SpaceProof::Proven;
  bool hasValues = false;               ///< what it reads and writes is recorded as well
  bool hasClock = false;                ///< and when it is made
  bool hasDuration = false;             ///< and how long it takes: of a timed kernel, with a clock
  std::vector<ExecutedLine> executed{}; ///< of Operation::Instructions: no access, but recorded as one
};

/// The kinds of memory that are asked for (-cupr-spaces).
abi::SpaceSet tracedSpaceSet();

/// What has to be done in one context.
struct ContextPlan {
  Context *context = nullptr;
  std::vector<TracedAccess> accesses;
  /// Of a kernel, where shared memory is traced: what its launches say the place of.
  llvm::SmallVector<llvm::GlobalVariable *, 4> sharedVariables;
  /// Calls of `cupr::current()`, which become the trace.
  std::vector<llvm::CallBase *> currents;
  /// The function, or one that it calls, needs the trace.
  bool needsTrace = false;
  /// The function keeps its signature: code that can't be seen may call it.
  bool keepsSignature = false;
  /// A call that is seen leads here.
  bool isCalled = false;

  /// Whether there are clones that take the trace: of kernels, and of what they call.
  bool hasClone() const;
  /// Whether the function as it is records, finding the trace by itself.
  bool isKept() const { return keepsSignature && needsTrace; }
};

/// Whether the kernel's first parameter is the trace argument, as in augmented sources.
bool takesTrace(const llvm::Function &kernel);

/// The reason why a kernel has no traced variant.
inline constexpr const char *kNoRoomForTrace = "this kernel's parameters leave no room for the trace";

/// Called for each access that is not traced, with the reason.
using SkipReporter = std::function<void(const llvm::Instruction &, llvm::StringRef reason)>;

/// Whether what is not traced is missing: it may be to memory that was asked for.
bool isWanted(const Untraced &missing);

/// The access as a timed kernel records it, with how long it takes or without (access_timing.h).
TracedAccess asTimed(TracedAccess traced, bool hasDuration);

/// The contexts that kernels reach, and what to do in each.
std::vector<ContextPlan> planTracing(const AddressSpaceAnalysis &analysis, const ValueChoice &values,
                                     const SkipReporter &skipped);

} // namespace cupr::pass

#endif
