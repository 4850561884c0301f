#include "occupancy.h"

#include <cstdlib>
#include <cuda_occupancy.h>

namespace cupr::tool {
namespace {

struct Limits {
  int capability; ///< 10 * major + minor
  int threads;    ///< resident, per multiprocessor
  int sharedKiB;  ///< per multiprocessor
  int optinKiB;   ///< per block, on request
};

/// CUDA programming guide, "Compute Capabilities", table of technical specifications. The number of resident
/// blocks and all granularities are in cuda_occupancy.h.
constexpr Limits kLimits[] = {
    {75, 1024, 64, 64},    {80, 2048, 164, 163}, {86, 1536, 100, 99},   {87, 1536, 164, 163},
    {89, 1536, 100, 99},   {90, 2048, 228, 227}, {100, 2048, 228, 227}, {103, 2048, 228, 227},
    {110, 1536, 228, 227}, {120, 1536, 100, 99}, {121, 1536, 100, 99},
};

constexpr int kRegisters = 64 * 1024;     // per multiprocessor and per block, on all of these
constexpr int kThreadsPerBlock = 1024;    // also on all
constexpr std::size_t kShared = 48 << 10; // per block, without a request

/// 10 * major + minor; 0 when the name is of another form.
int capabilityOf(const std::string &architecture) {
  return architecture.rfind("sm_", 0) == 0
             ? static_cast<int>(std::strtol(architecture.c_str() + 3, nullptr, 10))
             : 0;
}

} // namespace

unsigned reservedSharedBytes(const std::string &architecture) {
  return capabilityOf(architecture) >= 80 ? 1024 : 0;
}

std::optional<double> occupancy(const std::string &architecture, const KernelFigures &kernel,
                                unsigned blockSize) {
  const int capability = capabilityOf(architecture);
  for (const Limits &limits : kLimits) {
    if (limits.capability != capability)
      continue;
    cudaOccDeviceProp device;
    device.computeMajor = capability / 10;
    device.computeMinor = capability % 10;
    device.maxThreadsPerBlock = kThreadsPerBlock;
    device.maxThreadsPerMultiprocessor = limits.threads;
    device.regsPerBlock = kRegisters;
    device.regsPerMultiprocessor = kRegisters;
    device.warpSize = 32;
    device.sharedMemPerBlock = kShared;
    device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.sharedKiB) << 10;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.optinKiB) << 10;
    device.reservedSharedMemPerBlock = reservedSharedBytes(architecture);
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = kThreadsPerBlock;
    function.numRegs = static_cast<int>(kernel.registers);
    function.sharedSizeBytes = kernel.shared;
    function.partitionedGCConfig = PARTITIONED_GC_OFF;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = 0;
    function.numBlockBarriers = 1;
    const cudaOccDeviceState state;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                static_cast<int>(blockSize), 0) != CUDA_OCC_SUCCESS)
      return std::nullopt;
    const unsigned warps =
        static_cast<unsigned>(result.activeBlocksPerMultiprocessor) * ((blockSize + 31) / 32);
    const int most = limits.threads / 32;
    return static_cast<double>(warps) / most;
  }
  return std::nullopt;
}

} // namespace cupr::tool
