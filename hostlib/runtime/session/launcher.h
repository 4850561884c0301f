/// How launches are made and traced; on either device, what both do.
///
/// A launch that is not traced goes first and is described and announced then: it waits for nothing, and what the host does behind
/// the call, the kernel's run hides. One that is traced is announced first, since its records may come at any time from then on; unless
/// it notes its blocks alone (DeviceQueue::Tally::needsNobody).
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_LAUNCHER_H
#define CUPR_RUNTIME_LAUNCHER_H

#include "devicelib/abi/trace_argument.h"
#include "event_log.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/kernels/launch_request.h"
#include "hostlib/runtime/settings/settings.h"
#include "hostlib/runtime/snapshots/snapshot_store.h"
#include "launch_policy.h"

#include <cuda_runtime_api.h>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cupr::host {

class Launcher {
public:
  virtual ~Launcher() = default;
  Launcher(const Launcher &) = delete;
  Launcher &operator=(const Launcher &) = delete;

  /// Makes the launch, traced if it can be and the user has chosen it. May throw for want of memory, before `call`
  /// or behind it.
  virtual cudaError_t launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) = 0;

protected:
  /// When the device ran something, on the session's clock.
  struct DeviceTime {
    std::uint64_t began, ended;
  };

  /// All four must live as long as the launcher.
  Launcher(const Settings &settings, trace::Writer &writer, EventLog &events, LaunchPolicy &policy)
      : settings_(settings), writer_(writer), events_(events), policy_(policy), snapshots_(writer) {}

  /// A launch that the user has not chosen, for this reason: made before anything is found out about it.
  cudaError_t launchUnchosen(const LaunchRequest &request, const Kernel &kernel, std::string reason,
                             const LaunchCall &call);
  /// `launch.reason` says why it is not traced.
  cudaError_t launchPlain(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                          const LaunchCall &call);
  /// Makes a call that puts one kernel into the stream, waits for it, and says when it ran. Nothing: it can't be timed.
  virtual std::optional<DeviceTime> timed(cudaStream_t stream, const std::function<void()> &make) = 0;
  /// A trace that has reached its size gets no more launches.
  void refuseIfFull(trace::Launch &launch) const;
  /// A kernel that is run again, with the device's memory as it was, finds a queue that the host has gone on with: it would
  /// wait for ever. What is derived does not use the queue.
  void refuseToRecordIfReplayed(trace::Launch &launch) const;
  /// Whether the launch's accesses are to be derived, if its kernel's variant for that is there.
  bool wantsDerived(const LaunchRequest &request, const Kernel &kernel) const;
  /// Whether the launch's accesses are to be timed, if its kernel's variant for that is there.
  bool wantsTimed(const Kernel &kernel) const;
  /// Says once that it is not, and so launches are traced without times.
  static void sayUntimed(const Kernel &kernel);
  /// The timed variant records durations, whatever CUPR_VALUES says, and has its stages where the launch has room for them.
  static void takeTimed(const trace::Launch &launch, Trace &trace);
  /// It is not timed after all.
  static void forgetTiming(trace::Launch &launch);
  /// Says in `launch` what its accesses are derived from. False: that can't be said, and they must be recorded. `variables`: the
  /// addresses that slices of its module need.
  static bool describeSlice(const LaunchRequest &request, const Kernel &kernel,
                            const std::vector<std::uint64_t> &variables, trace::Launch &launch);
  /// The memory that its slice, which `launch` describes, may look up. Nothing: it is not known to stay as it is, or there is too
  /// much of it, and the accesses must be recorded.
  std::optional<std::vector<MemoryRegion>> memoryToLookUp(const Kernel &kernel,
                                                          const trace::Launch &launch) const;
  /// Takes that back.
  static void forgetSlice(trace::Launch &launch);
  /// The sites at which the device counts accesses; 0: it does not count.
  /// Whether values are recorded, of one whose other members are known.
  void describeValues(const Kernel &kernel, trace::Launch &launch) const;
  unsigned countedSites(const Kernel &kernel) const;
  static void select(Trace &trace, const trace::CtaSelection &ctas);
  static std::string launchFailure(cudaError_t error);

  const Settings &settings_;
  trace::Writer &writer_;
  EventLog &events_;
  LaunchPolicy &policy_;
  SnapshotStore snapshots_;

private:
  /// The plain kernel, timed if such launches are to be.
  cudaError_t makePlain(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call,
                        std::optional<DeviceTime> &time);
  void announcePlain(trace::Launch &launch, const std::optional<DeviceTime> &time);
};

} // namespace cupr::host

#endif
