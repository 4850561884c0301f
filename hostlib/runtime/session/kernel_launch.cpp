/// Launches of kernels: how each is described, whether it is traced, and how it runs on either device. Those of
/// graphs: graph_launch.cpp.
#include "hostlib/runtime/driver/in_context.h"
#include "hostlib/runtime/kernels/launch_site.h"
#include "hostlib/runtime/kernels/traced_function.h"
#include "process_end.h"
#include "session.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace cupr::host {

trace::Launch Session::configuration(const Kernel &kernel, dim3 grid, dim3 block,
                                     std::size_t sharedBytes) const {
  trace::Launch launch;
  launch.kernel = kernel.demangled;
  launch.mangled = kernel.name;
  launch.grid = {grid.x, grid.y, grid.z};
  launch.block = {block.x, block.y, block.z};
  launch.dynamicShared = static_cast<std::uint32_t>(sharedBytes);
  launch.time = events_.now();
  return launch;
}

trace::Launch Session::describe(const Kernel &kernel, dim3 grid, dim3 block, std::size_t sharedBytes,
                                cudaStream_t stream) const {
  trace::Launch launch = configuration(kernel, grid, block, sharedBytes);
  events_.streams().name(stream, launch);
  int device = 0;
  const cudaError_t known = device_ == DeviceKind::Cpu ? CUPR_BACKEND(cudaStreamGetDevice)(stream, &device)
                                                       : CUPR_BACKEND(cudaGetDevice)(&device);
  if (known == cudaSuccess)
    launch.device = static_cast<std::uint32_t>(device);
  return launch;
}

/// Null: it has none of its own.
CUcontext Session::contextOf(cudaStream_t stream) {
  CUcontext context = nullptr;
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
      Driver::get()->cuStreamGetCtx(stream, &context) != CUDA_SUCCESS)
    return nullptr;
  return context;
}

/// A launch must not fail for want of memory for its trace: it is made once, traced or plain.
cudaError_t Session::launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  enum class State { NotMade, InCall, Made } state = State::NotMade;
  cudaError_t result = cudaSuccess;
  const auto once = [&](const void *variant, void **arguments) {
    state = State::InCall;
    result = call(variant, arguments);
    state = State::Made;
    return result;
  };
  try {
    return launchAnywhere(request, kernel, once);
  } catch (...) {
    if (state == State::InCall) // it is what the program would see
      throw;
    writer_->lose();
  }
  return state == State::Made ? result
                              : call(request.kernel, TracedArguments(request.arguments, kernel).get());
}

cudaError_t Session::launchAnywhere(const LaunchRequest &request, const Kernel &kernel,
                                    const LaunchCall &call) {
  const auto isEmpty = [](const dim3 &extent) { return !extent.x || !extent.y || !extent.z; };
  const bool refused = isEmpty(request.grid) || isEmpty(request.block);
  if (refused ||
      events_.streams().isCapturing(request.stream)) // nothing runs now; for graphs see launchGraph
    return call(request.kernel, TracedArguments(request.arguments, kernel).get());
  if (device_ == DeviceKind::Cpu)
    return launchHere(request, kernel, call);
  if (tracingEnded_)
    return launchAtEnd(request, kernel, call);
  // CUDA launches on the device of the stream, be it the current one or not.
  const InContext inContext(*Driver::get(), contextOf(request.stream));
  return launchHere(request, kernel, call);
}

cudaError_t Session::launchAtEnd(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  trace::Launch launch = configuration(kernel, request.grid, request.block, request.sharedBytes);
  launch.reason = kEnding;
  return launchPlain(request, kernel, launch, call);
}

cudaError_t Session::launchHere(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  trace::Launch launch = describe(kernel, request.grid, request.block, request.sharedBytes, request.stream);
  launch.module = modules_.moduleFor(request.kernel, kernel, launch.device);
  launch.ctas = selection_.blocks();
  if (request.place)
    launch.place = *request.place;
  launch.reason = kernel.instrumented ? selection_.reasonAgainst(kernel.demangled) : kernel.reason;
  if (const LaunchSite *site = currentLaunchSite()) {
    launch.file = site->file;
    launch.line = site->line;
  }
  return device_ == DeviceKind::Gpu ? launchOnGpu(request, kernel, launch, call)
                                    : launchOnCpu(request, kernel, launch, call);
}

void Session::select(Trace &trace, const trace::CtaSelection &ctas) {
  trace.ctaFirst = ctas.first;
  trace.ctaEnd = ctas.end;
  trace.ctaPeriod = ctas.isAll() ? 0 : ctas.period;
}

std::string Session::launchFailure(cudaError_t error) {
  return fmt::format("the launch failed with {}, and made no access", CUPR_BACKEND(cudaGetErrorName)(error));
}

unsigned Session::countedSites(const Kernel &kernel) const {
  return settings_.countsAccesses ? std::max(kernel.siteCount, 1u) : 0;
}

cudaError_t Session::launchPlain(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                 const LaunchCall &call) {
  // The kernel goes first: what is not traced waits for nothing.
  const cudaError_t result = call(request.kernel, TracedArguments(request.arguments, kernel).get());
  events_.launched(launch);
  return result;
}

cudaError_t Session::launchOnGpu(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                 const LaunchCall &call) {
  DeviceQueue *queue = nullptr;
  const TracedFunction *function = nullptr;
  const InRuntime inRuntime;
  const std::shared_lock notEnding(endMutex_);
  if (launch.reason.empty() && tracingEnded_)
    launch.reason = kEnding;
  if (launch.reason.empty() && writer_->full())
    launch.reason = writer_->fullReason();
  if (launch.reason.empty() && !writer_->failed()) {
    if ((function = findTracedFunction(request, kernel, launch.reason)))
      queue = queueOfContext(launch.reason);
    endTracingAtExit();
  }
  launch.traced = queue != nullptr;
  if (!queue)
    return launchPlain(request, kernel, launch, call);
  {
    TracedArguments plain(request.arguments, kernel);
    for (std::size_t i = kernel.takesTrace() ? 1 : 0; i < function->parameterBytes.size(); ++i)
      events_.findMemory(plain.get()[i], function->parameterBytes[i]);
  }
  events_.launched(launch);
  cudaError_t result = cudaSuccess;
  const unsigned sites = countedSites(kernel);
  bool isMade = false;
  const auto make = [&](const Trace &given) -> DeviceQueue::Outcome {
    Trace trace = given;
    select(trace, launch.ctas);
    TracedArguments arguments(request.arguments, kernel, trace);
    isMade = true;
    const CUresult traced = launchTraced(*function, request, arguments.get());
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
  try {
    queue->launch(request.stream, launch.id, kernel.demangled, sites, make);
  } catch (...) {
    if (!isMade) // so it is made plain
      throw;
    writer_->lose();
  }
  return result;
}

cudaError_t Session::launchOnCpu(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                 const LaunchCall &call) {
  if (launch.reason.empty() && writer_->full())
    launch.reason = writer_->fullReason();
  launch.traced = launch.reason.empty() && kernel.tracedOnCpu && !writer_->failed();
  if (!launch.traced)
    return launchPlain(request, kernel, launch, call);
  events_.launched(launch);
  Trace trace{};
  trace.launch = static_cast<std::uint64_t>(launch.id);
  select(trace, launch.ctas);
  std::vector<unsigned long long> counters(countedSites(kernel));
  trace.siteCounts = counters.data();
  trace.countedSites = static_cast<std::uint32_t>(counters.size());
  trace.special = counters.empty() ? 0 : argument::kTraceCounts;
  const std::uint64_t began = events_.now();
  const int broken = cuprCpuContextError();
  const cudaError_t result =
      call(kernel.tracedOnCpu, TracedArguments(request.arguments, kernel, trace).get());
  // The CPU device has run the kernel when the call returns: whatever has broken the context stopped it.
  const auto state = static_cast<cudaError_t>(cuprCpuContextError());
  const bool died = broken == cudaSuccess && state != cudaSuccess;
  trace::LaunchEnd end;
  end.id = launch.id;
  end.began = began;
  end.ended = events_.now();
  end.complete = !died;
  if (result != cudaSuccess && !died)
    end.reason = launchFailure(result);
  else if (died)
    end.reason = fmt::format("the kernel ended with {}", CUPR_BACKEND(cudaGetErrorName)(state));
  if (!counters.empty())
    end.siteCounts = siteCounts(counters);
  const InRuntime inRuntime;
  end.recordWords = writer_->recordWords(launch.id);
  end.time = events_.now();
  writer_->launchEnd(end);
  return result;
}

} // namespace cupr::host
