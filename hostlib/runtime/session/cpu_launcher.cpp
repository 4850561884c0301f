#include "cpu_launcher.h"

#include "devicelib/abi/begun_blocks.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/queue/begun_blocks.h"
#include "hostlib/runtime/queue/launch_tallies.h"
#include "hostlib/trace/derived_launch.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace cupr::host {
namespace {

std::uint32_t ownChannel() {
  static std::atomic<std::uint32_t> threads{0}; // numbers alone: it publishes nothing
  static thread_local const std::uint32_t channel = threads++;
  return channel;
}

/// Of the regions' pieces. `store`, which may be null, gets what it has not got.
std::vector<PieceDigests> digestsOf(const std::vector<MemoryRegion> &regions, SnapshotStore *store) {
  std::vector<PieceDigests> all;
  for (const MemoryRegion &region : regions) {
    PieceDigests &digests = all.emplace_back();
    const auto *const begin = reinterpret_cast<const std::byte *>(region.address);
    for (std::uint64_t from = 0; from < region.bytes; from += abi::kPieceBytes) {
      const std::span piece(begin + from, std::min<std::uint64_t>(abi::kPieceBytes, region.bytes - from));
      digests.push_back(trace::digestOf(piece));
      if (store)
        store->put(digests.back(), piece);
    }
  }
  return all;
}

} // namespace

cudaError_t CpuLauncher::launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  std::string reason = policy_.reasonAgainst(kernel);
  if (!reason.empty())
    return launchUnchosen(request, kernel, std::move(reason), call);
  trace::Launch launch = policy_.shape(request);
  policy_.describe(request, kernel, launch);
  refuseIfFull(launch);
  launch.traced = launch.reason.empty() && kernel.tracedOnCpu && !writer_.failed();
  if (!launch.traced)
    return launchPlain(request, kernel, launch, call);
  kernel.onCpu.describe(launch);
  if (wantsTimed(kernel) && kernel.timedOnCpu)
    launch.timed = kernel.timedBy;
  // The addresses that are known are those of the first device's variables.
  if (launch.timed == abi::LatencyScheme::None && kernel.derivedOnCpu && wantsDerived(request, kernel) &&
      (launch.device == 0 || kernel.variablesOnCpu.empty()))
    describeSlice(request, kernel, kernel.variablesOnCpu, launch);
  std::vector<MemoryRegion> memory;
  if (launch.isDerived()) {
    if (auto found = memoryToLookUp(kernel, launch))
      memory = std::move(*found);
    else
      forgetSlice(launch);
  }
  std::vector<PieceDigests> before;
  if (!memory.empty()) {
    const InRuntime inRuntime;
    before = digestsOf(memory, &snapshots_);
  }
  describeValues(kernel, launch);
  events_.launched(launch);
  Trace trace{};
  trace.launch = static_cast<std::uint64_t>(launch.id);
  select(trace, launch.ctas);
  std::vector<unsigned long long> tally(
      launch.isDerived() ? abi::tallyOfBlocks(trace::blocksOf(launch.grid)) + kernel.placeSites.size()
                         : countedSites(kernel));
  trace.tally = tally.data();
  trace.tallyWords = static_cast<std::uint32_t>(tally.size());
  const bool counts = !launch.isDerived() && !tally.empty();
  trace.special =
      (counts ? argument::kTraceCounts : 0) | (settings_.recordsValues ? 0 : argument::kTraceNoValues);
  takeTimed(launch, trace);
  const std::uint64_t began = events_.now();
  const int broken = cuprCpuContextError();
  const void *const variant = launch.timed != abi::LatencyScheme::None ? kernel.timedOnCpu
                              : launch.isDerived()                     ? kernel.derivedOnCpu
                                                                       : kernel.tracedOnCpu;
  const cudaError_t result = call(variant, TracedArguments(request.arguments, kernel, trace).get());
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
    end.reason = fmt::format("the kernel ended with {}{}{}", CUPR_BACKEND(cudaGetErrorName)(state),
                             *cuprCpuContextFailure() ? ": " : "", cuprCpuContextFailure());
  if (counts)
    end.siteCounts = siteCounts(tally);
  const InRuntime inRuntime;
  if (end.complete && !memory.empty()) {
    std::optional<std::vector<PieceDigests>> held;
    if (digestsOf(memory, nullptr) == before)
      held = std::move(before);
    snapshots_.name(end, memory, held);
  }
  if (launch.isDerived())
    writeBegunBlocks(writer_, launch.id, ownChannel(), kernel.blockSite, kernel.placeSites, tally);
  end.recordWords = writer_.recordWords(launch.id);
  end.time = events_.now();
  writer_.launchEnd(end);
  return result;
}

std::optional<Launcher::DeviceTime> CpuLauncher::timed(cudaStream_t /*stream*/,
                                                       const std::function<void()> &make) {
  const std::uint64_t began = events_.now();
  make(); // the CPU device has run the kernel when the call returns
  return DeviceTime{began, events_.now()};
}

void CpuLauncher::records(std::uint64_t launch, const void *words, std::size_t count) {
  const InRuntime inRuntime;
  writer_.records(trace::LaunchId{launch}, ownChannel(), words, count);
}

} // namespace cupr::host
