/// Launches of graphs: each of their kernels is a launch of its own in the trace, each time.
///
/// On a GPU the kernels' nodes are prepared before the graph is launched (executable_graph.h). The CPU device
/// runs a graph node by node, and asks for each.
#include "devicelib/abi/record.h"
#include "hostlib/runtime/graphs/executable_graph.h"
#include "process_end.h"
#include "session.h"

namespace cupr::host {
namespace {

/// Launches of one graph, all of which are open at the same time, must differ in their tags.
constexpr std::size_t kMostTraced = abi::kLaunchTags / 2;

} // namespace

/// A kernel of a graph that is launched.
struct Session::NodeLaunch {
  GraphKernel *kernel;
  const TracedFunction *function; ///< null: it is not traced
  trace::Launch launch;
  DeviceQueue::Prepared prepared{};
  DeviceQueue::Outcome outcome{};
};

Session::NodeLaunch Session::describeNode(ExecutableGraph &graph, GraphKernel &node, cudaStream_t stream) {
  const Driver &driver = *Driver::get();
  const Kernel &kernel = node.kernel();
  NodeLaunch result{&node, nullptr, describe(kernel, node.grid(), node.block(), node.sharedBytes(), stream)};
  trace::Launch &launch = result.launch;
  launch.module = modules_.moduleFor(node.handle(), kernel, launch.device);
  launch.ctas = selection_.blocks();
  launch.reason = node.reason;
  CUcontext current = nullptr;
  driver.cuCtxGetCurrent(&current);
  if (launch.reason.empty() && node.context() && node.context() != current)
    launch.reason = "it runs on another GPU than the one that is current when its CUDA graph is launched";
  if (launch.reason.empty())
    launch.reason = tracingEnded_ ? kEnding : selection_.reasonAgainst(kernel.demangled);
  if (launch.reason.empty() && writer_->full())
    launch.reason = writer_->fullReason();
  if (!launch.reason.empty() || writer_->failed())
    return result;
  const LaunchRequest request{node.handle(), node.grid(), node.block(), nullptr, node.sharedBytes(), stream};
  result.function = findTracedFunction(request, kernel, launch.reason);
  // Where the driver refuses, it must be known before the launch is said to be traced.
  if (result.function && !node.wasTraced() &&
      node.setTraced(driver, graph.handle, *result.function, Trace{}) != CUDA_SUCCESS) {
    result.function = nullptr;
    launch.reason = node.reason;
  }
  return result;
}

cudaError_t Session::launchGraph(cudaGraphExec_t executable, cudaStream_t stream,
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
    if (node.function && !queue && !(queue = queueOfContext(node.launch.reason)))
      node.function = nullptr;
    node.launch.traced = node.function != nullptr;
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
  endTracingAtExit();
  announce(graph->work, nodes, stream);
  return launchNodes(*graph, nodes, *queue, stream, call);
}

/// Together, so that their numbers follow each other: whoever opens a launch may wait for those with numbers
/// that are far lower, and must not do so for one that itself is to make.
void Session::announce(const GraphWork &work, std::vector<NodeLaunch> &nodes, cudaStream_t stream) {
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

cudaError_t Session::launchNodes(ExecutableGraph &graph, std::vector<NodeLaunch> &nodes, DeviceQueue &queue,
                                 cudaStream_t stream, const std::function<cudaError_t()> &call) const {
  for (NodeLaunch &node : nodes) {
    if (!node.function)
      continue;
    node.prepared = queue.prepare(node.launch.id, node.launch.kernel, countedSites(node.kernel->kernel()));
    select(node.prepared.argument, node.launch.ctas);
    if (node.kernel->setTraced(*Driver::get(), graph.handle, *node.function, node.prepared.argument) !=
        CUDA_SUCCESS)
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

namespace {

/// Performs what the nodes of graphs do on the CPU device.
class NodesOnCpu final : public abi::GraphWatcher {
public:
  int launch(const abi::CpuGraphKernel &node, const abi::CpuGraphStep &step) override {
    const Kernel &kernel = findKernel(node.handle);
    const dim3 grid(node.grid[0], node.grid[1], node.grid[2]);
    const dim3 block(node.block[0], node.block[1], node.block[2]);
    const auto call = [&](const void *variant, void **arguments) {
      return node.cooperative ? CUPR_BACKEND(cudaLaunchCooperativeKernel)(variant, grid, block, arguments,
                                                                          node.sharedBytes, step.stream)
                              : CUPR_BACKEND(cudaLaunchKernel)(variant, grid, block, arguments,
                                                               node.sharedBytes, step.stream);
    };
    Session *const session = Session::current();
    if (!session)
      return call(node.handle, node.arguments);
    LaunchRequest request{node.handle, grid, block, nullptr, node.sharedBytes, step.stream, node.cooperative};
    // The node has a trace argument that records nothing.
    request.arguments = node.arguments + (kernel.takesTrace() ? 1 : 0);
    const trace::GraphPlace place = placeOf(*session, step);
    request.place = &place;
    return session->launch(request, kernel, call);
  }

  void copied(const cudaMemcpy3DParms &copy, const abi::CpuGraphStep &step) override {
    if (Session *const session = Session::current())
      session->events().transferred(GraphTransfer::of(copy), step.stream, placeOf(*session, step));
  }
  void wasSet(const cudaMemsetParams &set, const abi::CpuGraphStep &step) override {
    if (Session *const session = Session::current())
      session->events().transferred(GraphTransfer::of(set), step.stream, placeOf(*session, step));
  }

private:
  /// A graph runs on the thread that launches it, from step 0 to its last one.
  static trace::GraphPlace placeOf(Session &session, const abi::CpuGraphStep &step) {
    static thread_local std::uint64_t graph = 0;
    if (step.number == 0)
      graph = session.events().nextGraphLaunch();
    return {graph, step.number, {step.after, step.after + step.afterCount}};
  }
};

} // namespace

void Session::watchGraphs() {
  static NodesOnCpu nodes;
  cuprCpuSetGraphWatcher(&nodes);
}

} // namespace cupr::host
