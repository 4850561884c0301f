/// Reads what the pass left in a device module: the KernelInfo of a kernel and, behind it,
/// the site table (abi/site_table.h).
#ifndef CUPR_RUNTIME_MODULE_INFO_H
#define CUPR_RUNTIME_MODULE_INFO_H

#include "devicelib/abi/site_table.h"
#include "hostlib/runtime/driver/api_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupr::host {

struct ModuleInfo {
  std::vector<std::byte> siteTable;
  unsigned parameterCount = 0;         ///< of the traced variant, the trace argument included
  unsigned traceParameter = 0;         ///< which of them is the trace argument
  std::uint32_t slice = abi::kNoSlice; ///< in the site table
  /// Addresses that slices of the module need, on the device that was current.
  std::vector<std::uint64_t> variables;
};

/// Nothing when the kernel was not instrumented; `reason` then says why.
std::optional<ModuleInfo> readModuleInfo(DeviceKind device, const void *kernelHandle,
                                         const std::string &kernelName, std::string &reason);

} // namespace cupr::host

#endif
