#include "gpu_launcher.h"

#include "hostlib/runtime/driver/in_context.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/driver/pointer_info.h"
#include "hostlib/runtime/graphs/executable_graph.h"
#include "hostlib/runtime/kernels/traced_function.h"
#include "hostlib/trace/derived_launch.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace cupr::host {
namespace {

/// Null: it has none of its own.
CUcontext contextOf(cudaStream_t stream) {
  CUcontext context = nullptr;
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
      Driver::get()->cuStreamGetCtx(stream, &context) != CUDA_SUCCESS)
    return nullptr;
  return context;
}

/// Whether the current device owns all of it, and it is there: another's may not be within its reach, and of what calls have told, the
/// driver may have been asked to free something since.
bool areOfDevice(const std::vector<MemoryRegion> &regions) {
  const Driver &driver = *Driver::get();
  CUdevice device = 0;
  if (regions.empty())
    return true;
  if (driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
    return false;
  return std::ranges::all_of(regions, [&](const MemoryRegion &region) {
    const PointerInfo info = pointerInfo(driver, region.address);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    return info.isKnown() && info.device == device &&
           driver.cuMemGetAddressRange(&base, &bytes, region.address) == CUDA_SUCCESS &&
           base <= region.address && region.address + region.bytes <= base + bytes;
  });
}

} // namespace

cudaError_t GpuLauncher::launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  if (ended_) { // nothing is asked of a driver that may be gone
    trace::Launch launch = policy_.configuration(request, kernel);
    launch.reason = kEnding;
    return launchPlain(request, kernel, launch, call);
  }
  // CUDA launches on the device of the stream, be it the current one or not.
  const InContext inContext(*Driver::get(), contextOf(request.stream));
  return launchHere(request, kernel, call);
}

cudaError_t GpuLauncher::launchHere(const LaunchRequest &request, const Kernel &kernel,
                                    const LaunchCall &call) {
  std::string reason = policy_.reasonAgainst(kernel);
  if (!reason.empty())
    return launchUnchosen(request, kernel, std::move(reason), call);
  trace::Launch launch = policy_.shape(request);
  DeviceQueue *queue = nullptr;
  const TracedFunction *function = nullptr;
  const InRuntime inRuntime;
  const std::shared_lock notEnding(endMutex_);
  if (ended_)
    launch.reason = kEnding;
  refuseIfFull(launch);
  if (launch.reason.empty() && !writer_.failed()) {
    const WantedVariants wanted{wantsDerived(request, kernel), wantsTimed(kernel)};
    if ((function = findTracedFunction(request, kernel, wanted, launch.reason)))
      queue = queues_.ofCurrentContext(launch.reason);
    if (queue && wanted.timed)
      describeTiming(request, kernel, *function, launch);
    beforeTracing_();
  }
  launch.traced = queue != nullptr;
  if (!queue) {
    policy_.describe(request, kernel, launch);
    return launchPlain(request, kernel, launch, call);
  }
  function->resources.describe(launch);
  {
    TracedArguments plain(request.arguments, kernel);
    for (std::size_t i = kernel.takesTrace() ? 1 : 0; i < function->parameterBytes.size(); ++i)
      events_.findMemory(plain.get()[i], function->parameterBytes[i]);
  }
  DeviceQueue::Tally tally;
  if (launch.timed == abi::LatencyScheme::None && function->derived && wantsDerived(request, kernel) &&
      describeSlice(request, kernel, function->sliceVariables, launch)) {
    if (const auto memory = memoryToLookUp(kernel, launch); memory && areOfDevice(*memory))
      tally = queue->tallyOfBlocks(trace::blocksOf(launch.grid), kernel.blockSite, request.stream, *memory,
                                   kernel.placeSites);
    if (!tally.words) // so it is recorded
      forgetSlice(launch);
  }
  // It goes first then, and is described and announced behind it; but what its module's variables are must be known in front.
  if (tally.needsNobody() && function->isDescribed.load(std::memory_order_relaxed)) {
    events_.numberLaunch(launch);
    return launchTracedVariant(request, kernel, *function, *queue, tally, launch, Announced::Behind, call);
  }
  policy_.describe(request, kernel, launch);
  function->isDescribed.store(true, std::memory_order_relaxed);
  if (!launch.isDerived()) {
    refuseToRecordIfReplayed(launch);
    if ((launch.traced = launch.reason.empty()))
      tally = queue->tallyOfSites(countedSites(kernel));
    else {
      forgetTiming(launch);
      return launchPlain(request, kernel, launch, call);
    }
  }
  describeValues(kernel, launch);
  events_.launched(launch);
  return launchTracedVariant(request, kernel, *function, *queue, tally, launch, Announced::Before, call);
}

cudaError_t GpuLauncher::launchTracedVariant(const LaunchRequest &request, const Kernel &kernel,
                                             const TracedFunction &function, DeviceQueue &queue,
                                             const DeviceQueue::Tally &tally, trace::Launch &launch,
                                             Announced announced, const LaunchCall &call) {
  cudaError_t result = cudaSuccess;
  bool isMade = false;
  const auto makeAny = [&](const Trace &given) -> DeviceQueue::Outcome {
    Trace trace = given;
    select(trace, launch.ctas);
    takeTimed(launch, trace);
    TracedArguments arguments(request.arguments, kernel, trace);
    isMade = true;
    const CUresult traced = launchTraced(function, function.variantFor(launch), request, arguments.get());
    if (traced == CUDA_SUCCESS)
      return {};
    // The plain kernel can still run; or the program learns from its own call what is wrong.
    result = call(request.kernel, TracedArguments(request.arguments, kernel, Trace{}).get());
    if (result != cudaSuccess)
      return {launchFailure(result), /*recordsLost=*/false};
    return {fmt::format("the traced variant could not be launched ({}); the plain one ran",
                        driverErrorName(traced)),
            /*recordsLost=*/true};
  };
  const auto make = [&](const Trace &given) {
    DeviceQueue::Outcome outcome = makeAny(given);
    if (announced == Announced::Behind) {
      policy_.describe(request, kernel, launch);
      events_.announceNumbered(launch);
    }
    return outcome;
  };
  try {
    queue.launch(request.stream, launch.id, kernel.demangled, tally, make);
  } catch (...) {
    if (!isMade) // so it is made plain
      throw;
    writer_.lose();
  }
  return result;
}

void GpuLauncher::describeTiming(const LaunchRequest &request, const Kernel &kernel,
                                 const TracedFunction &function, trace::Launch &launch) const {
  if (!function.canTime(request))
    return sayUntimed(kernel);
  launch.timed = kernel.timedBy;
  // A stage that is dropped is of many accesses, and what is staged is not counted.
  if (!settings_.dropsWhenFull && !settings_.countsAccesses)
    launch.stageBytes = static_cast<std::uint32_t>(settings_.stageBytes);
}

std::optional<Launcher::DeviceTime> GpuLauncher::timed(cudaStream_t stream,
                                                       const std::function<void()> &make) {
  if (ended_) { // nothing is asked of a driver that may be gone
    make();
    return std::nullopt;
  }
  const auto took = timer_.time(stream, make);
  if (!took)
    return std::nullopt;
  const std::uint64_t ended = events_.now();
  return DeviceTime{ended - std::min(*took, ended), ended};
}

void GpuLauncher::end() {
  std::call_once(endedOnce_, [this] {
    ended_ = true;
    { // Whoever has not seen that gets through first.
      const std::unique_lock lock(endMutex_);
    }
    queues_.finish();
  });
}

void GpuLauncher::release() {
  forgetGraphs();
  forgetTracedFunctions();
  timer_.forget();
  queues_.release();
}

} // namespace cupr::host
