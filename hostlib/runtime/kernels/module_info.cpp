#include "module_info.h"

#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/site_table.h"
#include "devicelib/abi/symbols.h"
#include "devicelib/abi/version.h"
#include "hostlib/runtime/driver/driver.h"
#include "hostlib/runtime/driver/relaxed_capture.h"

#include <cstring>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sstream>

namespace cupr::host {
namespace {

constexpr const char *kNotInstrumented = "its code was not instrumented";

/// Copies from the GPU on a stream of its own: the program's streams see nothing of it. The stream is the current context's, which
/// may be another one next time, or be gone.
class DeviceReader {
public:
  explicit DeviceReader(const Driver &driver) : driver_(driver) {}
  ~DeviceReader() {
    if (stream_)
      driver_.cuStreamDestroy(stream_);
  }
  DeviceReader(const DeviceReader &) = delete;
  DeviceReader &operator=(const DeviceReader &) = delete;

  bool read(CUdeviceptr from, void *to, std::size_t bytes) {
    if (!stream_ && driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
      return false;
    return driver_.cuMemcpyDtoHAsync(to, from, bytes, stream_) == CUDA_SUCCESS &&
           driver_.cuStreamSynchronize(stream_) == CUDA_SUCCESS;
  }

private:
  const Driver &driver_;
  CUstream stream_ = nullptr;
};

void *pointerTo(CUdeviceptr address) { return reinterpret_cast<void *>(address); }
CUdeviceptr addressOf(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

std::optional<ModuleVariable> variableOnGpu(const Driver &driver, cudaFunction_t kernel, const char *symbol) {
  CUmodule module = nullptr;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  if (driver.cuFuncGetModule(&module, reinterpret_cast<CUfunction>(kernel)) != CUDA_SUCCESS ||
      driver.cuModuleGetGlobal(&address, &bytes, module, symbol) != CUDA_SUCCESS)
    return std::nullopt;
  return ModuleVariable{pointerTo(address), bytes};
}

/// What the module of the current context says of the kernel.
std::optional<abi::KernelInfo> kernelInfoOnGpu(const Driver &driver, DeviceReader &reader, const void *handle,
                                               const std::string &symbol, std::string &reason) {
  cudaFunction_t function = nullptr;
  // A kernel that can't be found fails in the program's own launch as well, which reports it.
  if (CUPR_BACKEND(cudaGetFuncBySymbol)(&function, handle) != cudaSuccess) {
    reason = "its code is not in the program for this GPU";
    return std::nullopt;
  }
  const auto variable = variableOnGpu(driver, function, symbol.c_str());
  if (!variable || variable->bytes != sizeof(abi::KernelInfo)) {
    reason = kNotInstrumented;
    return std::nullopt;
  }
  abi::KernelInfo kernel{};
  if (!reader.read(addressOf(variable->address), &kernel, sizeof kernel) ||
      kernel.magic != abi::kKernelInfoMagic) {
    reason = "its description can't be read from the GPU";
    return std::nullopt;
  }
  return kernel;
}

std::optional<abi::KernelInfo> readOnGpu(const void *handle, const std::string &symbol, ModuleInfo &info,
                                         std::string &reason) {
  const Driver *const driver = Driver::get();
  if (!driver) {
    reason = "there is no CUDA driver";
    return std::nullopt;
  }
  const RelaxedCapture relaxed(*driver); // a kernel's first launch may be one that is captured
  DeviceReader reader(*driver);
  const auto kernel = kernelInfoOnGpu(*driver, reader, handle, symbol, reason);
  if (!kernel)
    return std::nullopt;
  info.siteTable.resize(kernel->tableBytes);
  if (!reader.read(kernel->table, info.siteTable.data(), info.siteTable.size())) {
    reason = "its site table can't be read from the GPU";
    return std::nullopt;
  }
  return kernel;
}

std::optional<abi::KernelInfo> readOnCpu(const void *handle, const std::string &symbol, ModuleInfo &info,
                                         std::string &reason) {
  const abi::CpuVariable *const variable = cuprCpuFindVariable(handle, symbol.c_str());
  if (!variable || variable->bytes != sizeof(abi::KernelInfo)) {
    reason = kNotInstrumented;
    return std::nullopt;
  }
  abi::KernelInfo kernel{};
  std::memcpy(&kernel, variable->address, sizeof kernel);
  const auto *const table = reinterpret_cast<const std::byte *>(kernel.table);
  info.siteTable.assign(table, table + kernel.tableBytes);
  info.variables.resize(kernel.variableCount);
  if (kernel.variableCount)
    std::memcpy(info.variables.data(), reinterpret_cast<const void *>(kernel.variables),
                info.variables.size() * sizeof(std::uint64_t));
  return kernel;
}

} // namespace

std::optional<ModuleInfo> readModuleInfo(DeviceKind device, const void *kernelHandle,
                                         const std::string &kernelName, std::string &reason) {
  const std::string symbol = CUPR_KERNEL_INFO_PREFIX + kernelName;
  ModuleInfo info;
  const auto kernel = device == DeviceKind::Gpu ? readOnGpu(kernelHandle, symbol, info, reason)
                                                : readOnCpu(kernelHandle, symbol, info, reason);
  if (!kernel)
    return std::nullopt;
  if (kernel->abiVersion != CUPR_ABI_VERSION) {
    reason = fmt::format(
        "it was instrumented by version {} of the pass, and this runtime knows version {}: rebuild it",
        kernel->abiVersion, CUPR_ABI_VERSION);
    return std::nullopt;
  }
  info.parameterCount = kernel->parameterCount;
  info.traceParameter = kernel->traceParameter;
  info.slice = kernel->slice;
  return info;
}

std::optional<std::vector<std::uint64_t>> readSliceVariables(const Driver &driver, const void *kernelHandle,
                                                             const std::string &kernelName) {
  const RelaxedCapture relaxed(driver);
  DeviceReader reader(driver);
  std::string ignored; // the kernel is known to be instrumented
  const auto kernel =
      kernelInfoOnGpu(driver, reader, kernelHandle, CUPR_KERNEL_INFO_PREFIX + kernelName, ignored);
  std::vector<std::uint64_t> addresses(kernel ? kernel->variableCount : 0);
  if (!kernel || (!addresses.empty() && !reader.read(kernel->variables, addresses.data(),
                                                     addresses.size() * sizeof(std::uint64_t))))
    return std::nullopt;
  return addresses;
}

std::optional<ModuleVariable> findModuleVariable(DeviceKind device, const void *kernelHandle,
                                                 const std::string &mangled) {
  if (device == DeviceKind::Cpu) {
    const abi::CpuVariable *const variable = cuprCpuFindVariable(kernelHandle, mangled.c_str());
    return variable ? std::optional(ModuleVariable{variable->address, variable->bytes}) : std::nullopt;
  }
  const Driver *const driver = Driver::get();
  if (!driver)
    return std::nullopt;
  const RelaxedCapture relaxed(*driver);
  cudaFunction_t function = nullptr;
  return CUPR_BACKEND(cudaGetFuncBySymbol)(&function, kernelHandle) == cudaSuccess
             ? variableOnGpu(*driver, function, mangled.c_str())
             : std::nullopt;
}

namespace {

/// What a variable of the module holds, up to its end; empty: it can't be read.
std::string textOfVariable(DeviceKind device, const void *kernelHandle, const char *name) {
  const auto variable = findModuleVariable(device, kernelHandle, name);
  if (!variable)
    return {};
  std::string text(variable->bytes, '\0');
  if (device == DeviceKind::Cpu) {
    std::memcpy(text.data(), variable->address, text.size());
  } else {
    const RelaxedCapture relaxed(*Driver::get());
    if (!DeviceReader(*Driver::get()).read(addressOf(variable->address), text.data(), text.size()))
      return {};
  }
  text.resize(::strnlen(text.data(), text.size()));
  return text;
}

} // namespace

std::vector<trace::HostLoop> readSourceLoops(DeviceKind device, const void *kernelHandle) {
  std::vector<trace::HostLoop> loops;
  std::istringstream lines(textOfVariable(device, kernelHandle, CUPR_SOURCE_LOOPS));
  trace::HostLoop loop;
  loop.isOfDevice = true;
  for (std::string line; std::getline(lines, line);)
    if (abi::readLoop(line, loop.extent, loop.file))
      loops.push_back(loop);
  return loops;
}

DeclaredVariables readDeclaredVariables(DeviceKind device, const void *kernelHandle) {
  DeclaredVariables all;
  std::istringstream lines(textOfVariable(device, kernelHandle, CUPR_DECLARED_VARIABLES));
  std::string name, kind, declaration;
  while (std::getline(lines, name, abi::kDeclarationSeparator) &&
         std::getline(lines, kind, abi::kDeclarationSeparator) && std::getline(lines, declaration)) {
    DeclaredVariable variable;
    variable.constant = kind == abi::kOfConstantMemory;
    if (abi::readDeclaration(declaration, variable.declared))
      all.emplace(name, std::move(variable));
  }
  return all;
}

} // namespace cupr::host
