/// Reads what the pass left in a device module: the KernelInfo of a kernel and, behind it,
/// the site table (abi/site_table.h), how variables are declared (abi/declared_variables.h), and loops (abi/source_loops.h).
#ifndef CUPR_RUNTIME_MODULE_INFO_H
#define CUPR_RUNTIME_MODULE_INFO_H

#include "devicelib/abi/declared_variables.h"
#include "devicelib/abi/site_table.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/driver/driver.h"
#include "hostlib/trace/host_batch.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cupr::host {

struct ModuleInfo {
  std::vector<std::byte> siteTable;
  unsigned parameterCount = 0;         ///< of the traced variant, the trace argument included
  unsigned traceParameter = 0;         ///< which of them is the trace argument
  std::uint32_t slice = abi::kNoSlice; ///< in the site table
  /// On the CPU device: the addresses of variables that slices of the module need. On a GPU each context has its own.
  std::vector<std::uint64_t> variables;
};

/// Nothing when the kernel was not instrumented; `reason` then says why.
std::optional<ModuleInfo> readModuleInfo(DeviceKind device, const void *kernelHandle,
                                         const std::string &kernelName, std::string &reason);

/// Those addresses in the current context of a GPU. Nothing: they can't be read.
std::optional<std::vector<std::uint64_t>> readSliceVariables(const Driver &driver, const void *kernelHandle,
                                                             const std::string &kernelName);

struct DeclaredVariable {
  abi::Declaration declared;
  bool constant = false; ///< in constant memory
};
/// The variables that the module of the kernel tells of, by their mangled names.
using DeclaredVariables = std::map<std::string, DeclaredVariable>;
DeclaredVariables readDeclaredVariables(DeviceKind device, const void *kernelHandle);

/// The loops that hold places of the module's sites.
std::vector<trace::HostLoop> readSourceLoops(DeviceKind device, const void *kernelHandle);

/// Where a variable of that module lies, on the current device.
struct ModuleVariable {
  void *address;
  std::size_t bytes;
};
std::optional<ModuleVariable> findModuleVariable(DeviceKind device, const void *kernelHandle,
                                                 const std::string &mangled);

} // namespace cupr::host

#endif
