/// Launches of graphs on a GPU: each of their kernels is a launch of its own in the trace, each time. The kernels' nodes
/// are prepared before the graph is launched (executable_graph.h).
#include "devicelib/abi/record.h"
#include "gpu_launcher.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/graphs/executable_graph.h"

namespace cupr::host {
namespace {

/// Launches of one graph, all of which are open at the same time, must differ in their tags.
constexpr std::size_t kMostTraced = abi::kLaunchTags / 2;

} // namespace

/// A kernel of a graph that is launched.
struct GpuLauncher::NodeLaunch {
  GraphKernel *kernel;
  const TracedFunction *function; ///< null: it is not traced
  trace::Launch launch;
  DeviceQueue::Prepared prepared{};
  DeviceQueue::Outcome outcome{};
};

GpuLauncher::NodeLaunch GpuLauncher::describeNode(ExecutableGraph &graph, GraphKernel &node,
                                                  cudaStream_t stream) {
  const Driver &driver = *Driver::get();
  const Kernel &kernel = node.kernel();
  const LaunchRequest request{node.handle(), node.grid(), node.block(), nullptr, node.sharedBytes(), stream};
  NodeLaunch result{&node, nullptr, policy_.describe(request, kernel)};
  trace::Launch &launch = result.launch;
  launch.reason = node.reason;
  CUcontext current = nullptr;
  driver.cuCtxGetCurrent(&current);
  if (launch.reason.empty() && node.context() && node.context() != current)
    launch.reason = "it runs on another GPU than the one that is current when its CUDA graph is launched";
  if (launch.reason.empty())
    launch.reason = ended_ ? kEnding : policy_.reasonAgainst(kernel);
  refuseIfFull(launch);
  refuseToRecordIfReplayed(launch);
  if (!launch.reason.empty() || writer_.failed())
    return result;
  const WantedVariants wanted{/*derived=*/false, wantsTimed(kernel)};
  result.function = findTracedFunction(request, kernel, wanted, launch.reason);
  if (result.function && wanted.timed)
    describeTiming(request, kernel, *result.function, launch);
  // Where the driver refuses, it must be known before the launch is said to be traced.
  if (result.function && !node.wasTraced() &&
      node.setTraced(driver, graph.handle, *result.function, result.function->variantFor(launch), Trace{}) !=
          CUDA_SUCCESS) {
    result.function = nullptr;
    launch.reason = node.reason;
  }
  if (result.function)
    result.function->resources.describe(launch);
  return result;
}

cudaError_t GpuLauncher::launchGraph(cudaGraphExec_t executable, cudaStream_t stream,
                                     const std::function<cudaError_t()> &call) {
  const std::shared_ptr<ExecutableGraph> graph = findExecutable(executable);
  if (!graph)
    return call();
  const Driver &driver = *Driver::get();
  const InRuntime inRuntime;
  const std::shared_lock notEnding(endMutex_);
  const std::scoped_lock lock(graph->mutex);
  if (events_.streams().isCapturing(stream)) // CUDA refuses that
    return call();
  std::vector<NodeLaunch> nodes;
  DeviceQueue *queue = nullptr;
  std::size_t traced = 0;
  for (GraphKernel &kernel : graph->work.kernels) {
    if (!kernel.isEnabled)
      continue;
    NodeLaunch &node = nodes.emplace_back(describeNode(*graph, kernel, stream));
    if (node.function && traced == kMostTraced) {
      node.function = nullptr;
      node.launch.reason = "its CUDA graph has too many kernels";
    }
    if (node.function && !queue && !(queue = queues_.ofCurrentContext(node.launch.reason)))
      node.function = nullptr;
    node.launch.traced = node.function != nullptr;
    if (!node.launch.traced)
      forgetTiming(node.launch);
    describeValues(node.kernel->kernel(), node.launch);
    traced += node.launch.traced;
    if (!node.function)
      kernel.setPlain(driver, graph->handle);
  }
  if (traced == 0) {
    // The graph goes first: what is not traced waits for nothing.
    const cudaError_t result = call();
    if (result == cudaSuccess)
      announce(graph->work, nodes, stream);
    return result;
  }
  for (const NodeLaunch &node : nodes)
    if (node.function)
      for (std::size_t i = node.kernel->kernel().takesTrace() ? 1 : 0; i < node.kernel->arguments().size();
           ++i)
        events_.findMemory(node.kernel->arguments()[i].data(), node.kernel->arguments()[i].size());
  beforeTracing_();
  announce(graph->work, nodes, stream);
  return launchNodes(*graph, nodes, *queue, stream, call);
}

/// Together, so that their numbers follow each other: whoever opens a launch may wait for those with numbers
/// that are far lower, and must not do so for one that itself is to make.
void GpuLauncher::announce(const GraphWork &work, std::vector<NodeLaunch> &nodes, cudaStream_t stream) {
  std::vector<bool> acts(work.steps.size());
  for (const NodeLaunch &node : nodes)
    acts[node.kernel->step()] = true;
  for (const GraphTransferNode &node : work.transfers)
    if (node.isEnabled && (node.transfer.set || !node.transfer.copies.empty()))
      acts[node.step] = true;
  const auto awaited = awaitedActs(work.steps, acts);
  const std::uint64_t graph = events_.nextGraphLaunch();
  const auto place = [&](std::uint32_t step) { return trace::GraphPlace{graph, step, awaited[step]}; };
  auto next = work.transfers.begin();
  const auto transfersBefore = [&](std::size_t step) {
    for (; next != work.transfers.end() && next->step < step; ++next)
      if (next->isEnabled)
        events_.transferred(next->transfer, stream, place(next->step));
  };
  EventLog::LaunchSeries series(events_);
  for (NodeLaunch &node : nodes) {
    transfersBefore(node.kernel->step());
    node.launch.place = place(node.kernel->step());
    series.launched(node.launch);
  }
  transfersBefore(work.steps.size());
}

cudaError_t GpuLauncher::launchNodes(ExecutableGraph &graph, std::vector<NodeLaunch> &nodes,
                                     DeviceQueue &queue, cudaStream_t stream,
                                     const std::function<cudaError_t()> &call) const {
  for (NodeLaunch &node : nodes) {
    if (!node.function)
      continue;
    node.prepared = queue.prepare(stream, node.launch.id, node.launch.kernel,
                                  queue.tallyOfSites(countedSites(node.kernel->kernel())));
    select(node.prepared.argument, node.launch.ctas);
    takeTimed(node.launch, node.prepared.argument);
    if (node.kernel->setTraced(*Driver::get(), graph.handle, *node.function,
                               node.function->variantFor(node.launch),
                               node.prepared.argument) != CUDA_SUCCESS)
      node.outcome = {node.kernel->reason, /*recordsLost=*/true};
  }
  const cudaError_t result = call();
  for (NodeLaunch &node : nodes) {
    if (!node.function)
      continue;
    if (result != cudaSuccess)
      node.outcome = {launchFailure(result), /*recordsLost=*/false};
    queue.launched(stream, node.prepared, node.outcome);
  }
  return result;
}

} // namespace cupr::host
