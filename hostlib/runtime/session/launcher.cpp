#include "launcher.h"

#include "devicelib/abi/begun_blocks.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/kernels/launch_slice.h"
#include "hostlib/runtime/kernels/traced_function.h"
#include "hostlib/trace/derived_launch.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace cupr::host {
namespace {

/// A launch of few threads that looks up little of a large table is recorded with less effort.
constexpr std::uint64_t kSnapshotBytesPerThread = 512;

/// What the host can write to without a call may change at any time; of what no call has told, not all may be there.
bool mayBeLookedUp(const MemoryMap::Range &range) {
  switch (range.kind) {
  case trace::MemoryKind::Device:
  case trace::MemoryKind::Pitched:
  case trace::MemoryKind::Pool:
  case trace::MemoryKind::Symbol:
    return !range.isFound;
  case trace::MemoryKind::Managed:
  case trace::MemoryKind::Host:
  case trace::MemoryKind::Array:
    break;
  }
  return false;
}

} // namespace

cudaError_t Launcher::launchUnchosen(const LaunchRequest &request, const Kernel &kernel, std::string reason,
                                     const LaunchCall &call) {
  trace::Launch launch = policy_.shape(request);
  launch.reason = std::move(reason);
  std::optional<DeviceTime> time;
  const cudaError_t result = makePlain(request, kernel, call, time);
  policy_.describe(request, kernel, launch);
  announcePlain(launch, time);
  return result;
}

cudaError_t Launcher::launchPlain(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                  const LaunchCall &call) {
  assert(!launch.traced && "the end of a traced launch would be waited for");
  std::optional<DeviceTime> time;
  const cudaError_t result = makePlain(request, kernel, call, time);
  announcePlain(launch, time);
  return result;
}

cudaError_t Launcher::makePlain(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call,
                                std::optional<DeviceTime> &time) {
  cudaError_t result = cudaSuccess;
  const auto make = [&] { result = call(request.kernel, TracedArguments(request.arguments, kernel).get()); };
  if (settings_.timesUntraced)
    time = timed(request.stream, make);
  else
    make();
  if (result != cudaSuccess)
    time.reset();
  return result;
}

void Launcher::announcePlain(trace::Launch &launch, const std::optional<DeviceTime> &time) {
  if (!time)
    return events_.launched(launch);
  trace::LaunchEnd end;
  end.began = time->began;
  end.ended = end.time = time->ended;
  end.complete = true;
  events_.launchedAndEnded(launch, end);
}

void Launcher::refuseIfFull(trace::Launch &launch) const {
  if (launch.reason.empty() && writer_.full())
    launch.reason = writer_.fullReason();
}

void Launcher::refuseToRecordIfReplayed(trace::Launch &launch) const {
  if (!settings_.replaysKernels || !launch.reason.empty())
    return;
  launch.reason = "Nsight Compute replays kernels, which those that record their accesses do not survive";
  static std::atomic<bool> isSaid{false};
  if (!isSaid.exchange(true))
    message("under Nsight Compute (ncu), which runs each kernel several times, only launches are traced "
            "whose accesses are derived; the others run plain, from launch {} ({}) on",
            static_cast<std::uint64_t>(launch.id), launch.kernel);
}

bool Launcher::wantsDerived(const LaunchRequest &request, const Kernel &kernel) const {
  // What the device counts is compared with records.
  return settings_.derivesAccesses && !settings_.countsAccesses && !settings_.dropsWhenFull &&
         !writer_.needsAllRecords() && kernel.slice != abi::kNoSlice &&
         trace::blocksOf({request.grid.x, request.grid.y, request.grid.z}) <= abi::kMaxBegunBlocks &&
         std::uint64_t{request.block.x} * request.block.y * request.block.z <= trace::kMaxDerivedThreads;
}

bool Launcher::wantsTimed(const Kernel &kernel) const {
  if (!settings_.timesAccesses)
    return false;
  if (kernel.timedBy == abi::LatencyScheme::None)
    sayUntimed(kernel);
  return kernel.timedBy != abi::LatencyScheme::None;
}

void Launcher::sayUntimed(const Kernel &kernel) {
  static std::atomic<bool> isSaid{false};
  if (!isSaid.exchange(true))
    message("CUPR_LATENCY: {} has no timed variant that can run here (cupr++ --latency makes them); such "
            "launches are traced "
            "without times",
            kernel.demangled);
}

void Launcher::takeTimed(const trace::Launch &launch, Trace &trace) {
  if (launch.stageBytes == 0)
    trace.mark = 0;
  if (launch.timed != abi::LatencyScheme::None)
    trace.special &= ~argument::kTraceNoValues;
}

void Launcher::forgetTiming(trace::Launch &launch) {
  launch.timed = abi::LatencyScheme::None;
  launch.stageBytes = 0;
}

bool Launcher::describeSlice(const LaunchRequest &request, const Kernel &kernel,
                             const std::vector<std::uint64_t> &variables, trace::Launch &launch) {
  TracedArguments plain(request.arguments, kernel);
  auto values = sliceValues(kernel.sliceInputs, plain.get() + (kernel.takesTrace() ? 1 : 0), variables);
  if (!values)
    return false;
  launch.slice = kernel.slice;
  launch.sliceValues = std::move(*values);
  return true;
}

std::optional<std::vector<MemoryRegion>> Launcher::memoryToLookUp(const Kernel &kernel,
                                                                  const trace::Launch &launch) const {
  std::vector<MemoryRegion> regions;
  std::uint64_t bytes = 0;
  const auto regionAt = [&](std::uint64_t address) {
    return std::ranges::find_if(
        regions, [&](const MemoryRegion &region) { return address - region.address < region.bytes; });
  };
  for (std::size_t i = 0; i < kernel.sliceInputs.size(); ++i) {
    const std::uint64_t address = launch.sliceValues[i];
    if (!(kernel.sliceInputs[i].roles & abi::kSliceReadsThere) || address == 0 ||
        regionAt(address) != regions.end())
      continue;
    const auto allocation = events_.memory().find(address);
    if (!allocation || !mayBeLookedUp(allocation->second))
      return std::nullopt;
    regions.push_back({allocation->first, allocation->second.bytes});
    bytes += allocation->second.bytes;
  }
  const std::uint64_t threads =
      trace::blocksOf(launch.grid) * launch.block.x * launch.block.y * launch.block.z;
  if (bytes > std::min(settings_.mostSnapshotBytes, kSnapshotBytesPerThread * threads))
    return std::nullopt;
  if (regions.empty())
    return regions;
  if (settings_.replaysKernels) // also those that look at the memory, and wait for the host
    return std::nullopt;
  for (std::size_t i = 0; i < kernel.sliceInputs.size(); ++i) {
    const std::uint64_t address = launch.sliceValues[i];
    if (kernel.sliceInputs[i].roles & abi::kSliceWritesThere && address != 0 &&
        (!events_.memory().find(address) || regionAt(address) != regions.end()))
      return std::nullopt;
  }
  return regions;
}

void Launcher::forgetSlice(trace::Launch &launch) {
  launch.slice = abi::kNoSlice;
  launch.sliceValues.clear();
}

void Launcher::describeValues(const Kernel &kernel, trace::Launch &launch) const {
  launch.values = launch.traced && !launch.isDerived() &&
                  (launch.timed != abi::LatencyScheme::None || (settings_.recordsValues && kernel.hasValues));
}

unsigned Launcher::countedSites(const Kernel &kernel) const {
  return settings_.countsAccesses ? std::max(kernel.siteCount, 1u) : 0;
}

void Launcher::select(Trace &trace, const trace::CtaSelection &ctas) {
  trace.ctaFirst = ctas.first;
  trace.ctaEnd = ctas.end;
  trace.ctaPeriod = ctas.isAll() ? 0 : ctas.period;
}

std::string Launcher::launchFailure(cudaError_t error) {
  return fmt::format("the launch failed with {}, and made no access", CUPR_BACKEND(cudaGetErrorName)(error));
}

} // namespace cupr::host
