/// Allocations that no call has told of: made by code that was not rebuilt (a library with a runtime of its
/// own), or by the driver's calls. The program hands them to its kernels all the same: what is a device
/// address among a traced launch's arguments, in structures too, and lies in nothing known, is looked up in
/// the driver. What kernels reach only through memory is not found so.
///
/// Nobody tells when such memory is freed. It is looked up again at each launch that gets it.
#include "session.h"

#include <cstring>

namespace cupr::host {
namespace {

/// No allocation lies below: most numbers among arguments are small.
constexpr std::uint64_t kLowest = std::uint64_t{1} << 20;

trace::MemoryKind kindOf(const Driver &driver, CUdeviceptr address) {
  unsigned isManaged = 0, type = 0;
  if (driver.cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) == CUDA_SUCCESS &&
      isManaged)
    return trace::MemoryKind::Managed;
  if (driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
      type == CU_MEMORYTYPE_HOST)
    return trace::MemoryKind::Host;
  return trace::MemoryKind::Device;
}

} // namespace

void Session::findMemory(const void *argument, std::size_t bytes) {
  std::uint64_t address = 0;
  for (std::size_t at = 0; at + sizeof address <= bytes; at += sizeof address) {
    std::memcpy(&address, static_cast<const char *>(argument) + at, sizeof address);
    if (address >= kLowest && !memory_.isAllocatedByCall(address))
      findMemoryAt(address);
  }
}

void Session::findMemoryAt(std::uint64_t address) {
  const Driver &driver = *Driver::get();
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (driver.cuMemGetAddressRange(&base, &bytes, address) != CUDA_SUCCESS || bytes == 0)
    return;
  if (!memory_.wasFound(base, bytes))
    allocated(kindOf(driver, base), "found", reinterpret_cast<const void *>(base), bytes, /*isFound=*/true);
}

} // namespace cupr::host
