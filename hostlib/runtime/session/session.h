/// The session: one process's trace, from its first CUDA call to its exit.
///
/// It owns what writes the trace and what makes launches, starts when the device is chosen, and ends with the process. A
/// launch is *chosen* if the user wants it traced (launch_policy.h), *made* by the launcher of the device
/// (gpu_launcher.h, cpu_launcher.h); everything else that the host does is told to the event log (event_log.h). The hooks
/// (hook_*.cpp) tell the session what the program does. Nothing it does may change the program's results: it throws
/// nothing, calls the CUDA runtime only where that can't set an error, and when tracing is impossible the program runs on
/// untraced, with the reason in the trace.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_SESSION_H
#define CUPR_RUNTIME_SESSION_H

#include "blocking_call.h"
#include "cpu_launcher.h"
#include "event_log.h"
#include "gpu_launcher.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/kernels/launch_request.h"
#include "hostlib/runtime/paths/host_accesses.h"
#include "hostlib/runtime/paths/host_log.h"
#include "hostlib/runtime/paths/logged_samples.h"
#include "hostlib/runtime/settings/selection.h"
#include "hostlib/runtime/settings/settings.h"
#include "hostlib/trace/tensor_maps.h"
#include "hostlib/trace/writer.h"
#include "launch_policy.h"
#include "live_check.h"
#include "module_registry.h"

#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace cupr::host {

class Session {
public:
  /// Starts the process's session; called once, when the device is chosen.
  static void start(DeviceKind device);
  /// The session; null before the first CUDA call, when tracing is off, and after the end. In a child of
  /// fork, a new one with a trace of its own starts here.
  static Session *current();

  /// Runs `body`; what it throws, for want of memory, stays in here, and the trace says that it lacks something.
  template <typename Body> void contained(Body body) noexcept {
    try {
      body();
    } catch (...) {
      writer_->lose();
    }
  }

  /// Performs the launch, traced if the kernel is instrumented and the user has chosen it.
  cudaError_t launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call);
  /// The same for a graph, whose kernels are launches, too.
  cudaError_t launchGraph(cudaGraphExec_t executable, cudaStream_t stream,
                          const std::function<cudaError_t()> &call);

  /// Those that the program has had made.
  trace::TensorMaps &tensorMaps() { return tensorMaps_; }

  /// What the host does but launches.
  EventLog &events() { return events_; }

  /// Before a call of the program that will wait for what is in front of it in the stream, as far as launches that are traced are
  /// concerned (blocking_call.h). `waits()`: whether it will.
  template <typename Waits> void beforeWaiting(cudaStream_t stream, Waits waits) {
    if (gpu_ && gpu_->isBusy() && waits())
      waitWithoutDriver(stream);
  }
  /// Waits until what has been launched so far is over and its records are written.
  void flush();
  /// The device is about to go, but other threads may still be at it: waits for the launches that are traced.
  /// Later ones run plain, and are listed. Idempotent.
  void endTracing();
  /// The same, and closes the trace; later launches are not seen. Idempotent.
  void finish();
  /// The context is about to go: waits for the launches and drops all queues.
  void releaseDevice();
  /// In a child of fork, what is the parent's is left alone.
  void leaveToParent();

private:
  Session(DeviceKind device, Settings settings, std::uint64_t startTime);
  Launcher &launcher() { return gpu_ ? static_cast<Launcher &>(*gpu_) : *cpu_; }
  /// Whether the settings leave something of what host code tells of its accesses.
  static bool recordsAccesses(const Settings &settings);
  /// Starts the check that the settings ask for, or says why there is none.
  void startCheck();
  /// Behind a call of the program that touched memory.
  static void lookBehindCall();
  [[noreturn]] void stop();
  /// Sees to it that the kernels of graphs on the CPU device are launched here (cpu_graph_nodes.cpp).
  static void watchGraphs();
  /// The runtime library must end its own work while the GPU's libraries still work: the handlers that
  /// were registered last run first.
  static void endTracingAtExit();

  /// In a child of fork, the parent's, which stays as it was: other threads may have been in the middle of it.
  const Session *older_ = nullptr;
  const DeviceKind device_;
  const Settings settings_;
  Selection selection_;
  trace::TensorMaps tensorMaps_;
  const std::unique_ptr<trace::Writer> writer_;
  EventLog events_;
  HostLog hostLog_;
  std::optional<HostAccesses> accesses_; ///< if host code tells of them
  std::optional<LoggedSamples> samples_; ///< if wanted
  std::optional<LiveCheck> check_;       ///< likewise
  ModuleRegistry modules_;
  LaunchPolicy policy_;
  // The one of the device.
  std::optional<CpuLauncher> cpu_;
  std::optional<GpuLauncher> gpu_;

  std::mutex finishMutex_;
  bool finished_ = false;
};

} // namespace cupr::host

#endif
