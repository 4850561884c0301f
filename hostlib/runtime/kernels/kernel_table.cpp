#include "kernel_table.h"

#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/site_table.h"
#include "devicelib/abi/source_name.h"
#include "devicelib/abi/symbols.h"
#include "hostlib/runtime/driver/api_table.h"
#include "launch_site.h"
#include "launch_slice.h"
#include "registration.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <cuda_runtime_api.h>
#include <mutex>
#include <unordered_map>

namespace cupr::host {
namespace {

/// Whether there are sites with values or clocks in a table, but for those of timed kernels.
bool hasValues(std::span<const std::byte> table, std::size_t offset, unsigned count) {
  for (std::size_t at = offset; count != 0 && at + sizeof(abi::Site) <= table.size();
       at += sizeof(abi::Site), --count) {
    abi::Site site;
    std::memcpy(&site, table.data() + at, sizeof site);
    if ((site.flags & (abi::kSiteValues | abi::kSiteClock)) && !(site.flags & abi::kSiteDuration))
      return true;
  }
  return false;
}

Kernel describe(const void *handle) {
  Kernel kernel;
  kernel.name = kernelName(handle);
  if (kernel.name.empty()) {
    kernel.name = kernel.demangled = "(unknown kernel)";
    kernel.reason = "its handle was not registered by this program's objects";
    return kernel;
  }
  kernel.demangled = abi::sourceName(kernel.name);
  if (auto info = readModuleInfo(deviceKind(), handle, kernel.name, kernel.reason)) {
    kernel.instrumented = true;
    kernel.parameterCount = info->parameterCount;
    kernel.traceParameter = info->traceParameter;
    if (deviceKind() == DeviceKind::Cpu) {
      kernel.tracedOnCpu = cuprCpuKernelBeside(handle, (CUPR_TRACED_PREFIX + kernel.name).c_str());
      kernel.derivedOnCpu = cuprCpuKernelBeside(handle, (CUPR_DERIVED_PREFIX + kernel.name).c_str());
      kernel.timedOnCpu = cuprCpuKernelBeside(handle, (CUPR_TIMED_PREFIX + kernel.name).c_str());
      kernel.variablesOnCpu = std::move(info->variables);
      cudaFuncAttributes attributes{};
      if (CUPR_BACKEND(cudaFuncGetAttributes)(&attributes, handle) == cudaSuccess) {
        kernel.onCpu.staticShared = static_cast<std::uint32_t>(attributes.sharedSizeBytes);
        kernel.onCpu.cluster = {static_cast<std::uint32_t>(attributes.requiredClusterWidth),
                                static_cast<std::uint32_t>(attributes.requiredClusterHeight),
                                static_cast<std::uint32_t>(attributes.requiredClusterDepth)};
      }
    }
    if (auto slice = launchSliceOf(info->siteTable, info->slice)) {
      kernel.slice = info->slice;
      kernel.blockSite = slice->blockSite;
      kernel.sliceInputs = std::move(slice->inputs);
      kernel.placeSites = std::move(slice->placeSites);
    }
    abi::SiteTableHeader header{};
    if (info->siteTable.size() >= sizeof header)
      std::memcpy(&header, info->siteTable.data(), sizeof header);
    if (header.timed < abi::kLatencySchemes)
      kernel.timedBy = static_cast<abi::LatencyScheme>(header.timed);
    kernel.siteCount =
        std::min(header.siteCount, header.totalBytes / static_cast<std::uint32_t>(sizeof(abi::Site)));
    kernel.hasValues = hasValues(info->siteTable, header.siteOffset, kernel.siteCount);
    kernel.siteTable = std::make_shared<const std::vector<std::byte>>(std::move(info->siteTable));
  }
  return kernel;
}

} // namespace

namespace {

struct KernelTable {
  std::mutex mutex;
  std::unordered_map<const void *, Kernel> kernels;            ///< by registered handle
  std::unordered_map<const void *, const void *> otherHandles; ///< to registered ones
};

std::atomic<std::uint64_t> handlesAdded{0};

KernelTable &kernelTable() {
  static KernelTable *const instance =
      new KernelTable; // launches may still be made while static objects are destroyed
  return *instance;
}

} // namespace

const Kernel &findKernel(const void *handle) {
  handle = registeredHandle(handle);
  const std::scoped_lock lock(kernelTable().mutex);
  if (const auto known = kernelTable().kernels.find(handle); known != kernelTable().kernels.end())
    return known->second;
  return kernelTable().kernels.emplace(handle, describe(handle)).first->second;
}

FoundKernel findRegisteredKernel(const void *handle) {
  // A program mostly launches what it launched before. No kernel is ever taken from the table.
  static thread_local struct {
    const void *handle = nullptr;
    FoundKernel found;
    std::uint64_t time = 0;
  } last;
  const std::uint64_t time = handlesAdded.load(std::memory_order_acquire);
  if (last.handle != handle || last.time != time || !last.found.kernel) {
    const void *const registered = registeredHandle(handle);
    last = {handle, {registered, &findKernel(registered)}, time};
  }
  return last.found;
}

Kernel foreignKernel(const Driver &driver, CUfunction function) {
  Kernel kernel;
  const char *name = nullptr;
  if (function && driver.cuFuncGetName(&name, function) == CUDA_SUCCESS && name)
    kernel.name = name;
  kernel.demangled = kernel.name.empty() ? "(unknown kernel)" : abi::sourceName(kernel.name);
  kernel.reason = "the program has loaded it itself (cuModuleLoad, NVRTC): it was not built with cupr++";
  return kernel;
}

void addHandle(const void *other, const void *registered) {
  const std::scoped_lock lock(kernelTable().mutex);
  kernelTable().otherHandles[other] = registered;
  handlesAdded.fetch_add(1, std::memory_order_release); // those that were found before may be others
}

const void *registeredHandle(const void *handle) {
  const std::scoped_lock lock(kernelTable().mutex);
  const auto known = kernelTable().otherHandles.find(handle);
  return known == kernelTable().otherHandles.end() ? handle : known->second;
}

namespace {

/// Whether these arguments of an augmented kernel start with the trace argument of an augmented launch:
/// one is open in this thread, and the argument bears its mark. (An API launch may be made while the
/// arguments of an augmented one are evaluated.)
bool bringsTrace(void *const *arguments) {
  const LaunchSite *const site = currentLaunchSite();
  if (!site || !site->bringsTrace || !arguments)
    return false;
  std::uint64_t mark;
  std::memcpy(&mark, static_cast<const char *>(arguments[0]) + offsetof(Trace, mark), sizeof mark);
  return mark == argument::kTraceAwaitsLaunch;
}

} // namespace

TracedArguments::TracedArguments(void **arguments, const Kernel &kernel, const Trace &trace)
    : trace_(trace), arguments_(arguments) {
  if (kernel.takesTrace() && bringsTrace(arguments))
    std::memcpy(arguments[0], &trace, sizeof trace);
  else
    insert(arguments, kernel);
}

TracedArguments::TracedArguments(void **arguments, const Kernel &kernel) : arguments_(arguments) {
  if (kernel.takesTrace() && !bringsTrace(arguments))
    insert(arguments, kernel);
}

void TracedArguments::insert(void **arguments, const Kernel &kernel) {
  if (kernel.parameterCount > kFew)
    many_.resize(kernel.parameterCount);
  arguments_ = kernel.parameterCount > kFew ? many_.data() : few_;
  for (unsigned i = 0; i < kernel.parameterCount; ++i)
    arguments_[i] = i == kernel.traceParameter ? &trace_ : *arguments++;
}

} // namespace cupr::host
