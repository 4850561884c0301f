#include "cpu_launcher.h"

#include "hostlib/runtime/queue/site_counters.h"
#include "process_end.h"

#include <atomic>
#include <fmt/format.h>
#include <vector>

namespace cupr::host {

cudaError_t CpuLauncher::launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  trace::Launch launch = policy_.decide(request, kernel);
  refuseIfFull(launch);
  launch.traced = launch.reason.empty() && kernel.tracedOnCpu && !writer_.failed();
  if (!launch.traced)
    return launchPlain(request, kernel, launch, call);
  // The addresses that are known are those of the first device's variables.
  if (kernel.derivedOnCpu && wantsDerived(request, kernel) &&
      (launch.device == 0 || kernel.variablesOnCpu.empty()))
    describeSlice(request, kernel, kernel.variablesOnCpu, launch);
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
  const cudaError_t result = call(launch.isDerived() ? kernel.derivedOnCpu : kernel.tracedOnCpu,
                                  TracedArguments(request.arguments, kernel, trace).get());
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
  end.recordWords = writer_.recordWords(launch.id);
  end.time = events_.now();
  writer_.launchEnd(end);
  return result;
}

void CpuLauncher::records(std::uint64_t launch, const void *words, std::size_t count) {
  static std::atomic<std::uint32_t> threads{0}; // numbers alone: it publishes nothing
  static thread_local const std::uint32_t channel = threads++;
  const InRuntime inRuntime;
  writer_.records(trace::LaunchId{launch}, channel, words, count);
}

} // namespace cupr::host
