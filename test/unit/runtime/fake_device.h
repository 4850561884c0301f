/// A device that is not there: what the runtime asks of the CUDA runtime, of the driver and of the CPU device is answered
/// by the tests. It stands in the place of session/api_table.cpp, driver/driver.cpp and devicelib/cpu.
#ifndef CUPR_TEST_FAKE_DEVICE_H
#define CUPR_TEST_FAKE_DEVICE_H

#include "devicelib/abi/cpu_device.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/driver/driver.h"

#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <string>

namespace cupr::test {

/// One for all tests of the program; each starts with a new one.
struct FakeDevice {
  host::DeviceKind kind = host::DeviceKind::Cpu;
  std::map<cudaStream_t, unsigned long long> streams; ///< their numbers; others are unknown
  cudaStream_t capturing = nullptr;
  /// What the driver knows to be allocated: base and bytes.
  std::map<std::uint64_t, std::uint64_t> driverMemory;
  /// And what it knows of each address.
  unsigned pointerType = 0;
  bool pointerIsManaged = false;
  std::map<const void *, void *> symbols; ///< where variables lie, by handle
  /// What the CPU device finds in modules, by name.
  std::map<std::string, abi::CpuVariable> moduleVariables;
  int currentDevice = 0;
  int contextError = 0; ///< of the CPU device
  /// Of the GPU; what a test leaves null is not to be called.
  host::Driver driver;
};

/// Takes the place of what the test before has left.
FakeDevice &newFakeDevice(host::DeviceKind kind);

/// The one that newFakeDevice has made last.
FakeDevice &currentFakeDevice();

/// A stream's handle, for a number.
inline cudaStream_t fakeStream(std::uintptr_t number) {
  return reinterpret_cast<cudaStream_t>(0x1000 * number);
}

} // namespace cupr::test

#endif
