/// Launches on a GPU: the traced variant with the queue of its context, and the kernels of graphs.
///
/// *The end.* When the process ends, tracing ends first, while the driver still works: the launches that are traced are
/// waited for, and later ones run plain. So making a traced launch ready and the end exclude each other; whoever has not
/// seen the end gets through before it.
///
/// Threads: all members from any thread. Locks are taken in this order: the end's, a graph's, then those of queues,
/// modules and the event log, which are never held together but for modules' and the event log's.
#ifndef CUPR_RUNTIME_GPU_LAUNCHER_H
#define CUPR_RUNTIME_GPU_LAUNCHER_H

#include "context_queues.h"
#include "launch_timer.h"
#include "launcher.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace cupr::host {

struct ExecutableGraph;
struct GraphWork;
struct TracedFunction;
class GraphKernel;

class GpuLauncher final : public Launcher {
public:
  /// All four must live as long as the launcher. `beforeTracing` is called when a launch is about to be traced.
  GpuLauncher(const Settings &settings, trace::Writer &writer, EventLog &events, LaunchPolicy &policy,
              void (*beforeTracing)())
      : Launcher(settings, writer, events, policy), queues_(settings, writer, snapshots_, events),
        beforeTracing_(beforeTracing) {}

  cudaError_t launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) override;
  /// Performs the launch of a graph; its kernels are launches, too, each traced if it can be and the user has
  /// chosen it (graph_launch.cpp).
  cudaError_t launchGraph(cudaGraphExec_t executable, cudaStream_t stream,
                          const std::function<cudaError_t()> &call);

  /// Whether a launch that is traced in the current context has not ended.
  bool isBusy() { return !ended_ && queues_.isBusy(); }
  /// Waits until what has been launched so far is over and its records are with the writer.
  void flush() { queues_.flush(); }
  /// The device is about to go, but other threads may still be at it: waits for the launches that are traced.
  /// Later ones run plain, and are listed. Idempotent.
  void end();
  /// The context is about to go: waits for the launches and drops all queues.
  void release();

private:
  /// On the current device.
  cudaError_t launchHere(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call);
  std::optional<DeviceTime> timed(cudaStream_t stream, const std::function<void()> &make) override;
  /// When the trace is told of a launch: before it is made, or behind it.
  enum class Announced { Before, Behind };
  cudaError_t launchTracedVariant(const LaunchRequest &request, const Kernel &kernel,
                                  const TracedFunction &function, DeviceQueue &queue,
                                  const DeviceQueue::Tally &tally, trace::Launch &launch, Announced announced,
                                  const LaunchCall &call);
  /// Says in `launch` that its accesses are timed, if the variant for that can run, and how much its warps can stage.
  void describeTiming(const LaunchRequest &request, const Kernel &kernel, const TracedFunction &function,
                      trace::Launch &launch) const;
  struct NodeLaunch;
  NodeLaunch describeNode(ExecutableGraph &graph, GraphKernel &node, cudaStream_t stream);
  void announce(const GraphWork &work, std::vector<NodeLaunch> &nodes, cudaStream_t stream);
  cudaError_t launchNodes(ExecutableGraph &graph, std::vector<NodeLaunch> &nodes, DeviceQueue &queue,
                          cudaStream_t stream, const std::function<cudaError_t()> &call) const;

  /// Why launches are not traced behind the end.
  static constexpr const char *kEnding = "the process is ending";

  ContextQueues queues_;
  LaunchTimer timer_;
  void (*const beforeTracing_)();
  /// Shared while a launch is made ready: none must come behind the last one that is waited for.
  std::shared_mutex endMutex_;
  /// Stored before the mutex is taken for good; who reads it false with the mutex gets through before the end.
  std::atomic<bool> ended_{false};
  std::once_flag endedOnce_;
};

} // namespace cupr::host

#endif
