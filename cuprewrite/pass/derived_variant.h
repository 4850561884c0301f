/// The third variant of a kernel whose accesses are derived from its launches (devicelib/abi/slice.h): the plain kernel, whose blocks say that
/// they begin, and what a reader needs to know of it.
#ifndef CUPR_PASS_DERIVED_VARIANT_H
#define CUPR_PASS_DERIVED_VARIANT_H

#include "derivation.h"
#include "hook_calls.h"
#include "site_table.h"
#include "slice_builder.h"

#include "llvm/ADT/MapVector.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cupr::pass {

class DerivedVariant {
public:
  /// `function`: a copy of the kernel; `graph`: the kernel's.
  DerivedVariant(llvm::Function &function, std::unique_ptr<BlockGraph> graph)
      : function_(&function), graph_(std::move(graph)) {}

  /// Accesses and shared variables, as the traced variant gives them their sites.
  void add(const TracedAccess &traced, std::uint32_t site) {
    accesses_.push_back({traced.access.instruction, traced.access.pointer, traced.access.offset, site});
  }
  void add(llvm::GlobalVariable &shared, std::uint32_t site) { shared_.insert({&shared, site}); }

  /// Builds the slice, and adds it to the table. `variableNumber` as for buildSlice, of variables that are not shared. False: the slice
  /// would be too large, and the variant is gone.
  bool buildSlice(llvm::Function &kernel, SiteTable &sites,
                  llvm::function_ref<std::uint32_t(const llvm::GlobalVariable &)> variableNumber);
  /// Behind it.
  void insertHooks(HookCalls &hooks, llvm::Value *trace);

  llvm::Function &function() const { return *function_; }
  /// In the table; abi::kNoSlice: there is none.
  std::uint32_t slice() const { return slice_; }

private:
  llvm::Function *function_; ///< null: it is gone
  std::unique_ptr<BlockGraph> graph_;
  std::vector<SlicedAccess> accesses_;
  llvm::MapVector<llvm::GlobalVariable *, std::uint32_t> shared_; ///< and their sites
  llvm::SmallVector<llvm::GlobalVariable *, 4> placed_;           ///< in the order of the slice's inputs
  std::uint32_t slice_ = abi::kNoSlice;
};

/// With -cupr-print-slices: why the kernel has none.
void printObstacles(const llvm::Function &kernel, const Derivation &derivation);

} // namespace cupr::pass

#endif
