/// The session: one process's trace, from its first CUDA call to its exit.
///
/// It owns the writer and the devices' queues, numbers launches and other events in the
/// order of the host's calls, and knows which kernels are instrumented. The hooks (hook_*.cpp) tell it
/// what the program does. Nothing it does may change the program's results: it throws
/// nothing, calls the CUDA runtime only where that can't set an error, and when tracing
/// is impossible the program runs on untraced, with the reason in the trace.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_SESSION_H
#define CUPR_RUNTIME_SESSION_H

#include "devicelib/abi/cpu_device.h"
#include "event_log.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/kernels/launch_request.h"
#include "hostlib/runtime/queue/device_queue.h"
#include "hostlib/runtime/settings/selection.h"
#include "hostlib/runtime/settings/settings.h"
#include "hostlib/trace/writer.h"
#include "module_registry.h"

#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace cupr::host {

struct ExecutableGraph;
struct GraphTransfer;
struct GraphWork;
class GraphKernel;

class Session final : public abi::RecordSink {
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
  /// Performs the launch of a graph; its kernels are launches, too, each traced if it can be and the user has
  /// chosen it (graph_launch.cpp).
  cudaError_t launchGraph(cudaGraphExec_t executable, cudaStream_t stream,
                          const std::function<cudaError_t()> &call);

  /// What the host does but launches.
  EventLog &events() { return events_; }

  /// Waits until what has been launched so far is over and its records are written.
  void flush();
  /// The device is about to go, but other threads may still be at it: waits for the launches that are traced.
  /// Later ones run plain, and are listed. Idempotent.
  void endTracing();
  /// The same, and closes the trace; later launches are not seen. Idempotent.
  void finish();
  /// The context is about to go: waits for the launches and drops all queues.
  void releaseDevice();

  void records(std::uint64_t launch, const void *words, std::size_t count) override;

private:
  Session(DeviceKind device, Settings settings, std::uint64_t startTime);
  /// That of the current context; null, and why, when there is none.
  DeviceQueue *queueOfContext(std::string &reason);
  /// Why launches are not traced behind endTracing.
  static constexpr const char *kEnding = "the process is ending";
  /// What is known of a launch without asking a driver.
  trace::Launch configuration(const Kernel &kernel, dim3 grid, dim3 block, std::size_t sharedBytes) const;
  trace::Launch describe(const Kernel &kernel, dim3 grid, dim3 block, std::size_t sharedBytes,
                         cudaStream_t stream) const;
  static CUcontext contextOf(cudaStream_t stream);
  cudaError_t launchAnywhere(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call);
  /// On the current device.
  cudaError_t launchHere(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call);
  struct NodeLaunch;
  NodeLaunch describeNode(ExecutableGraph &graph, GraphKernel &node, cudaStream_t stream);
  void announce(const GraphWork &work, std::vector<NodeLaunch> &nodes, cudaStream_t stream);
  cudaError_t launchNodes(ExecutableGraph &graph, std::vector<NodeLaunch> &nodes, DeviceQueue &queue,
                          cudaStream_t stream, const std::function<cudaError_t()> &call) const;
  /// Sees to it that the kernels of graphs on the CPU device are launched here.
  static void watchGraphs();
  cudaError_t launchPlain(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                          const LaunchCall &call);
  cudaError_t launchOnGpu(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                          const LaunchCall &call);
  cudaError_t launchOnCpu(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                          const LaunchCall &call);
  static void select(Trace &trace, const trace::CtaSelection &ctas);
  static std::string launchFailure(cudaError_t error);
  /// The runtime library must end its own work while the GPU's libraries still work: the handlers that
  /// were registered last run first.
  static void endTracingAtExit();
  /// A launch behind endTracing: nothing is asked of a driver that may be gone.
  cudaError_t launchAtEnd(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call);
  /// The sites at which the device counts accesses; 0: it does not count.
  unsigned countedSites(const Kernel &kernel) const;

  /// In a child of fork, the parent's, which stays as it was: other threads may have been in the middle of it.
  const Session *older_ = nullptr;
  const DeviceKind device_;
  const Settings settings_;
  Selection selection_;
  const std::unique_ptr<trace::Writer> writer_;
  EventLog events_;
  ModuleRegistry modules_;

  std::mutex queuesMutex_;
  std::map<CUcontext, std::unique_ptr<DeviceQueue>> queues_;

  /// Shared while a launch is made ready on a GPU: none must come behind the last one that is waited for.
  std::shared_mutex endMutex_;
  std::atomic<bool> tracingEnded_{false};
  std::once_flag endedOnce_;
  std::mutex finishMutex_;
  bool finished_ = false;
};

} // namespace cupr::host

#endif
