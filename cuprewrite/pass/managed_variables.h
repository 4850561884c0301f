/// Makes `__managed__` variables of clang's CUDA, which does not know them.
///
/// A managed variable is one that host and device code both name. The macro
/// (devicelib/device/compatibility/declarations.h) makes it a `__device__` variable in the section
/// `cupr.managed`, so that both sides compile. What is missing then:
///
/// On the device's side the driver has to place it in managed memory, which it does when PTX says
/// `.attribute(.managed)`:
///
///     @m = addrspace(1) externally_initialized global i32 3, section "cupr.managed"
///     -->  no section, and !nvvm.annotations with !{ptr addrspace(1) @m, !"managed", i32 1}
///
/// On the host's side a `__device__` variable is a shadow: memory of no use, whose address stands for the
/// variable in calls of the runtime. Host code must find the driver's memory instead, by a pointer that the
/// runtime sets (as nvcc does, and clang for HIP):
///
///     @m = internal global i32 undef, section "cupr.managed"      @m.managed = internal global ptr null
///     store i32 5, ptr @m                                    -->  %p = call ptr @m.managed.get()
///                                                                 store i32 5, ptr %p
///     call @__cudaRegisterVar(%h, @m, ...)                        call @__cudaRegisterManagedVar(%h,
///     @m.managed, ...) an entry of @m in llvm_offload_entries (-rdc)               the entry's kind is
///     managed, its address @m.managed
///     @p = global ptr @m                                          @p = global ptr null, set by a constructor
///
/// `get` returns the pointer, and lets the runtime set it (`__cupr_managed_v`, hostlib/runtime) when it is
/// null: driver and module are loaded when they are needed, not before main. It is inlined, so this pass
/// comes before clang's own optimisation.
///
/// With device linking the pointer has the shadow's linkage: other files find it by its name.
#ifndef CUPR_PASS_MANAGED_VARIABLES_H
#define CUPR_PASS_MANAGED_VARIABLES_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class ManagedVariablesPass : public llvm::PassInfoMixin<ManagedVariablesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif
