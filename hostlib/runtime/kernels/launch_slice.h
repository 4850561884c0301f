/// What a launch says of the inputs of its kernel's slice (devicelib/abi/slice.h): the values of parameters and the
/// addresses of variables from which its accesses are derived.
#ifndef CUPR_RUNTIME_LAUNCH_SLICE_H
#define CUPR_RUNTIME_LAUNCH_SLICE_H

#include "devicelib/abi/slice.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cupr::host {

/// What of a slice concerns launches.
struct LaunchSlice {
  std::uint32_t blockSite;
  std::vector<abi::SliceInput> inputs;   ///< those that launches say, in their order
  std::vector<std::uint32_t> placeSites; ///< where launches record places of shared variables, in order
};

/// Nothing if the site table has no such slice.
std::optional<LaunchSlice> launchSliceOf(std::span<const std::byte> siteTable, std::uint32_t slice);

/// Their values. `arguments`: those of the kernel as its user wrote it, without the trace argument; `variables`: the addresses that
/// KernelInfo names. Nothing if one is not there.
std::optional<std::vector<std::uint64_t>> sliceValues(const std::vector<abi::SliceInput> &inputs,
                                                      void *const *arguments,
                                                      const std::vector<std::uint64_t> &variables);

} // namespace cupr::host

#endif
