#include "traced_function.h"

#include "devicelib/abi/symbols.h"
#include "hostlib/runtime/driver/api_table.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace cupr::host {
namespace {

struct TracedFunctions {
  std::mutex mutex;
  std::map<std::pair<CUcontext, const void *>, std::unique_ptr<TracedFunction>> functions;
};

TracedFunctions &tracedFunctions() {
  static TracedFunctions *const instance =
      new TracedFunctions; // launches may still be made while static objects are destroyed
  return *instance;
}

std::unique_ptr<TracedFunction> find(const void *handle, const Kernel &kernel) {
  const Driver &driver = *Driver::get();
  auto result = std::make_unique<TracedFunction>();
  cudaFunction_t plain = nullptr;
  CUmodule module = nullptr;
  const std::string name = CUPR_TRACED_PREFIX + kernel.name;
  if (CUPR_BACKEND(cudaGetFuncBySymbol)(&plain, handle) != cudaSuccess)
    return result;
  result->plain = reinterpret_cast<CUfunction>(plain);
  std::size_t offset = 0, bytes = 0;
  for (unsigned i = 0; i < kernel.plainParameterCount(); ++i) {
    if (driver.cuFuncGetParamInfo(result->plain, i, &offset, &bytes) != CUDA_SUCCESS)
      break;
    result->parameterBytes.push_back(bytes);
  }
  for (const auto &[attribute, to] :
       {std::pair{CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &result->resources.staticShared},
        std::pair{CU_FUNC_ATTRIBUTE_NUM_REGS, &result->resources.registers},
        std::pair{CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &result->resources.cluster.x},
        std::pair{CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &result->resources.cluster.y},
        std::pair{CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &result->resources.cluster.z}})
    if (int value = 0; driver.cuFuncGetAttribute(&value, attribute, result->plain) == CUDA_SUCCESS)
      *to = static_cast<std::uint32_t>(value);
  if (driver.cuFuncGetModule(&module, result->plain) != CUDA_SUCCESS ||
      driver.cuModuleGetFunction(&result->traced, module, name.c_str()) != CUDA_SUCCESS)
    result->traced = nullptr;
  if (kernel.timedBy != abi::LatencyScheme::None && module &&
      driver.cuModuleGetFunction(&result->timed, module, (CUPR_TIMED_PREFIX + kernel.name).c_str()) !=
          CUDA_SUCCESS)
    result->timed = nullptr;
  if (kernel.slice != abi::kNoSlice && module) {
    auto variables = readSliceVariables(driver, handle, kernel.name);
    if (variables && driver.cuModuleGetFunction(&result->derived, module,
                                                (CUPR_DERIVED_PREFIX + kernel.name).c_str()) == CUDA_SUCCESS)
      result->sliceVariables = std::move(*variables);
    else
      result->derived = nullptr;
  }
  for (const auto &[function, threads] :
       {std::pair{result->plain, &result->plainThreads}, std::pair{result->traced, &result->tracedThreads},
        std::pair{result->derived, &result->derivedThreads}, std::pair{result->timed, &result->timedThreads}})
    if (function)
      driver.cuFuncGetAttribute(threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  return result;
}

std::uint64_t threadsOf(const LaunchRequest &request) {
  return std::uint64_t{request.block.x} * request.block.y * request.block.z;
}

/// Whether a variant that runs in blocks of at most so many threads does for the launch: a block that is too large for the plain one,
/// too, fails as it would without tracing.
bool fits(const LaunchRequest &request, int most, const TracedFunction &function) {
  const std::uint64_t threads = threadsOf(request);
  return threads <= static_cast<std::uint64_t>(most) ||
         threads > static_cast<std::uint64_t>(function.plainThreads);
}

} // namespace

bool TracedFunction::canTime(const LaunchRequest &request) const {
  return timed && fits(request, timedThreads, *this);
}

CUfunction TracedFunction::variantFor(const trace::Launch &launch) const {
  return launch.timed != abi::LatencyScheme::None ? timed : launch.isDerived() ? derived : traced;
}

const TracedFunction *findTracedFunction(const LaunchRequest &request, const Kernel &kernel,
                                         const WantedVariants &wanted, std::string &reason) {
  CUcontext context = nullptr;
  Driver::get()->cuCtxGetCurrent(&context);
  const TracedFunction *function = nullptr;
  {
    const std::scoped_lock lock(tracedFunctions().mutex);
    std::unique_ptr<TracedFunction> &entry = tracedFunctions().functions[{context, request.kernel}];
    if (!entry)
      entry = find(request.kernel, kernel);
    function = entry.get();
  }
  if (!function->traced) {
    reason = "its traced variant is not in the program for this GPU";
    return nullptr;
  }
  const int most = wanted.derived && function->derived ? function->derivedThreads : function->tracedThreads;
  if (fits(request, most, *function) || (wanted.timed && function->canTime(request)))
    return function;
  reason = fmt::format("its traced variant needs more registers, and runs in blocks of at most {} threads; "
                       "__launch_bounds__({}) on the kernel makes it fit",
                       most, threadsOf(request));
  return nullptr;
}

void copyAttributes(const TracedFunction &function, CUfunction variant) {
  const Driver &driver = *Driver::get();
  for (const CUfunction_attribute attribute :
       {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE}) {
    int wanted = 0, present = 0;
    if (driver.cuFuncGetAttribute(&wanted, attribute, function.plain) == CUDA_SUCCESS &&
        driver.cuFuncGetAttribute(&present, attribute, variant) == CUDA_SUCCESS && wanted != present)
      driver.cuFuncSetAttribute(variant, attribute, wanted);
  }
}

CUresult launchTraced(const TracedFunction &function, CUfunction variant, const LaunchRequest &request,
                      void **arguments) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute) &&
                    static_cast<int>(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) ==
                        static_cast<int>(cudaLaunchAttributeClusterDimension) &&
                    static_cast<int>(CU_LAUNCH_ATTRIBUTE_PRIORITY) ==
                        static_cast<int>(cudaLaunchAttributePriority),
                "the runtime's launch attributes are the driver's");
  copyAttributes(function, variant);
  std::vector<CUlaunchAttribute> attributes(request.attributeCount);
  if (request.attributeCount)
    std::memcpy(attributes.data(), request.attributes, attributes.size() * sizeof(CUlaunchAttribute));
  if (request.cooperative) {
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    attributes.push_back(cooperative);
  }
  CUlaunchConfig config{};
  config.gridDimX = request.grid.x;
  config.gridDimY = request.grid.y;
  config.gridDimZ = request.grid.z;
  config.blockDimX = request.block.x;
  config.blockDimY = request.block.y;
  config.blockDimZ = request.block.z;
  config.sharedMemBytes = static_cast<unsigned>(request.sharedBytes);
  config.hStream = request.stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return Driver::get()->cuLaunchKernelEx(&config, variant, arguments, nullptr);
}

void forgetTracedFunctions() {
  const std::scoped_lock lock(tracedFunctions().mutex);
  tracedFunctions().functions.clear();
}

} // namespace cupr::host
