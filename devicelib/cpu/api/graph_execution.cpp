#include "graph_execution.h"

#include "api.h"

#include <atomic>
#include <unordered_map>

namespace cupr::cpu {

namespace {

std::atomic<abi::GraphWatcher *> watcher{nullptr};

using Pairs = std::unordered_map<cudaGraphNode_t, cudaGraphNode_t>; ///< from mine to the other's

std::vector<cudaGraphNode_t> lastNodes(const CUgraph_st &graph) {
  std::vector<cudaGraphNode_t> result;
  for (const cudaGraphNode_t node : graph.nodes)
    if (node->dependents.empty())
      result.push_back(node);
  return result;
}

bool changesShape(const Work &mine, const Work &other) {
  const auto *const before = std::get_if<SetWork>(&mine);
  if (!before)
    return false;
  const cudaMemsetParams &a = before->parameters, &b = std::get<SetWork>(other).parameters;
  return (a.height > 1 || b.height > 1) && (a.width != b.width || a.height != b.height);
}

bool changesAttributes(const Work &mine, const Work &other) {
  const auto *const before = std::get_if<KernelWork>(&mine);
  return before && before->together != std::get<KernelWork>(other).together;
}

cudaGraphExecUpdateResultInfo pairGraphs(CUgraph_st &mine, const CUgraph_st &other, Pairs &pairs);

cudaGraphExecUpdateResultInfo compare(cudaGraphNode_t mine, cudaGraphNode_t other, Pairs &pairs) {
  if (mine->work.index() != other->work.index())
    return {cudaGraphExecUpdateErrorNodeTypeChanged, other, nullptr};
  if (mine->dependencies.size() != other->dependencies.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, other, nullptr};
  if (changesShape(mine->work, other->work))
    return {cudaGraphExecUpdateErrorParametersChanged, other, nullptr};
  if (changesAttributes(mine->work, other->work))
    return {cudaGraphExecUpdateErrorAttributesChanged, other, nullptr};
  if (const auto *const child = std::get_if<ChildWork>(&mine->work))
    return pairGraphs(*child->graph, *std::get<ChildWork>(other->work).graph, pairs);
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

cudaGraphExecUpdateResultInfo pairGraphs(CUgraph_st &mine, const CUgraph_st &other, Pairs &pairs) {
  const std::vector<cudaGraphNode_t> myLast = lastNodes(mine), otherLast = lastNodes(other);
  if (mine.nodes.size() != other.nodes.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  if (myLast.size() != otherLast.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, otherLast.back(), nullptr};
  std::vector<std::pair<cudaGraphNode_t, cudaGraphNode_t>> open;
  for (std::size_t i = 0; i < myLast.size(); ++i) {
    pairs[myLast[i]] = otherLast[i];
    open.emplace_back(myLast[i], otherLast[i]);
  }
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (const auto info = compare(a, b, pairs); info.result != cudaGraphExecUpdateSuccess)
      return info;
    for (std::size_t i = 0; i < a->dependencies.size(); ++i) {
      const auto [pair, isNew] = pairs.emplace(a->dependencies[i], b->dependencies[i]);
      if (isNew)
        open.emplace_back(*pair);
      else if (pair->second != b->dependencies[i])
        return {cudaGraphExecUpdateErrorTopologyChanged, b, b->dependencies[i]};
    }
  }
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

cudaError_t run(const KernelWork &kernel, cudaStream_t stream) {
  void **const arguments = const_cast<void **>(kernel.arguments->pointers.data());
  if (abi::GraphWatcher *const who = watcher.load(std::memory_order_acquire))
    return static_cast<cudaError_t>(who->launch({kernel.handle,
                                                 {kernel.grid.x, kernel.grid.y, kernel.grid.z},
                                                 {kernel.block.x, kernel.block.y, kernel.block.z},
                                                 arguments,
                                                 kernel.sharedBytes,
                                                 kernel.together,
                                                 stream}));
  return launchKernel(kernel.handle, kernel.grid, kernel.block, arguments, kernel.sharedBytes,
                      kernel.together);
}

cudaError_t run(const CopyWork &copy, cudaStream_t stream) {
  const cudaError_t error = copy3D(&copy.parameters);
  if (abi::GraphWatcher *const who = watcher.load(std::memory_order_acquire); who && error == cudaSuccess)
    who->copied(copy.parameters, stream);
  return error;
}

cudaError_t run(const SetWork &set, cudaStream_t stream) {
  const cudaMemsetParams &p = set.parameters;
  const cudaError_t error = setRows(p.dst, p.pitch, p.value, p.elementSize, p.width, p.height);
  if (abi::GraphWatcher *const who = watcher.load(std::memory_order_acquire); who && error == cudaSuccess)
    who->wasSet(p, stream);
  return error;
}

cudaError_t run(const HostWork &host, cudaStream_t) {
  host.parameters.fn(host.parameters.userData);
  return cudaSuccess;
}

cudaError_t run(const ChildWork &child, cudaStream_t stream) { return runGraph(*child.graph, stream); }
cudaError_t run(const RecordWork &record, cudaStream_t) { return recordNow(record.event); }
// Everything before has been done.
cudaError_t run(const WaitWork &, cudaStream_t) { return cudaSuccess; }
cudaError_t run(const EmptyWork &, cudaStream_t) { return cudaSuccess; }

} // namespace

Handles<CUgraphExec_st> &executables() {
  static auto *handles = new Handles<CUgraphExec_st>;
  return *handles;
}

cudaGraphNode_t nodeIn(cudaGraphExec_t executable, cudaGraphNode_t original) {
  return executables().holds(executable) && graphNodes().holds(original)
             ? findCopy(*executable->graph, *original)
             : nullptr;
}

cudaGraphExecUpdateResultInfo updateGraph(CUgraph_st &mine, const CUgraph_st &other) {
  Pairs pairs;
  const cudaGraphExecUpdateResultInfo info = pairGraphs(mine, other, pairs);
  if (info.result == cudaGraphExecUpdateSuccess)
    for (const auto &[node, from] : pairs)
      if (!std::holds_alternative<ChildWork>(node->work))
        node->work = from->work;
  return info;
}

cudaError_t runGraph(const CUgraph_st &graph, cudaStream_t stream) {
  for (const cudaGraphNode_t node : executionOrder(graph)) {
    if (!node->enabled)
      continue;
    const cudaError_t error =
        std::visit([stream](const auto &work) { return run(work, stream); }, node->work);
    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

} // namespace cupr::cpu

extern "C" void cuprCpuSetGraphWatcher(cupr::abi::GraphWatcher *who) {
  cupr::cpu::watcher.store(who, std::memory_order_release);
}
