#include "module_registry.h"

#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/kernels/module_info.h"
#include "hostlib/runtime/kernels/registration.h"

#include <cuda_runtime_api.h>
#include <xxhash.h>

namespace cupr::host {

trace::ModuleId ModuleRegistry::moduleFor(const void *kernelHandle, const Kernel &kernel,
                                          std::uint32_t device) {
  const InRuntime inRuntime;
  if (!kernel.instrumented)
    return trace::kNoModule;
  const std::scoped_lock lock(mutex_);
  if (const auto known = known_.find({&kernel, device}); known != known_.end())
    return known->second;
  const std::uint64_t hash = XXH3_64bits(kernel.siteTable->data(), kernel.siteTable->size());
  auto [module, fresh] = byHash_.try_emplace(hash);
  if (fresh) {
    module->second = writer_.module(*kernel.siteTable);
    trace::HostBatch batch;
    batch.loops = readSourceLoops(deviceKind(), kernelHandle);
    if (!batch.loops.empty())
      hostLog_.write(std::move(batch));
  }
  known_[{&kernel, device}] = module->second;
  announceVariables(kernelHandle);
  return module->second;
}

void ModuleRegistry::announceVariables(const void *kernelHandle) {
  DeclaredVariables declared = readDeclaredVariables(deviceKind(), kernelHandle);
  for (const RegisteredVariable &variable : variablesBeside(kernelHandle)) {
    const DeclaredVariable known = declared[variable.name];
    declared.erase(variable.name);
    void *address = nullptr;
    if (variable.managed)
      address = managedAddress(static_cast<void *const *>(variable.handle));
    else if (CUPR_BACKEND(cudaGetSymbolAddress)(&address, variable.handle) != cudaSuccess)
      continue;
    if (address)
      events_.declared(variable.managed ? trace::MemoryKind::Managed : trace::MemoryKind::Symbol,
                       variable.managed    ? "__managed__"
                       : variable.constant ? abi::kOfConstantMemory
                                           : abi::kOfDevice,
                       address, variable.bytes, variable.name, known.declared);
  }
  // Objects register what host code may name, which of templates and inline variables is what it does name.
  for (const auto &[name, variable] : declared)
    if (const auto place = findModuleVariable(deviceKind(), kernelHandle, name))
      events_.declared(trace::MemoryKind::Symbol, variable.constant ? abi::kOfConstantMemory : abi::kOfDevice,
                       place->address, place->bytes, name, variable.declared);
}

} // namespace cupr::host
