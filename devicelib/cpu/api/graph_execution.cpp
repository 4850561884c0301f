#include "graph_execution.h"

#include "api.h"

#include <algorithm>
#include <atomic>
#include <iterator>
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
  return before && before->company.together != std::get<KernelWork>(other).company.together;
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

using Steps = std::vector<std::uint32_t>; ///< ascending

/// One launch of a graph.
class GraphRun {
public:
  explicit GraphRun(cudaStream_t stream) : stream_(stream) {}

  /// Runs all nodes, the first of which wait for the steps `before`. The first error of a node ends it;
  /// otherwise `last` are the steps behind which nothing comes.
  cudaError_t runNodes(const CUgraph_st &graph, const Steps &before, Steps &last) {
    std::unordered_map<cudaGraphNode_t, Steps> ends; // what it means to wait for the node
    for (const cudaGraphNode_t node : executionOrder(graph)) {
      Steps after = node->dependencies.empty() ? before : Steps{};
      for (const cudaGraphNode_t dependency : node->dependencies)
        unite(after, ends[dependency]);
      Steps &end = ends[node] = after;
      if (!node->enabled)
        continue;
      if (const cudaError_t error = runNode(node->work, after, end); error != cudaSuccess)
        return error;
    }
    last.clear();
    for (const cudaGraphNode_t node : lastNodes(graph))
      unite(last, ends[node]);
    if (last.empty())
      last = before;
    return cudaSuccess;
  }

private:
  static void unite(Steps &all, const Steps &more) {
    Steps united;
    std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(united));
    all = std::move(united);
  }

  /// `end` is what follows waits for: `after`, unless the node is a step of its own.
  cudaError_t runNode(const Work &work, const Steps &after, Steps &end) {
    if (const auto *const child = std::get_if<ChildWork>(&work))
      return runNodes(*child->graph, after, end);
    if (const auto *const host = std::get_if<HostWork>(&work))
      host->parameters.fn(host->parameters.userData);
    if (const auto *const record = std::get_if<RecordWork>(&work))
      return recordNow(record->event);
    const auto *const kernel = std::get_if<KernelWork>(&work);
    const auto *const copy = std::get_if<CopyWork>(&work);
    const auto *const set = std::get_if<SetWork>(&work);
    if (!kernel && !copy && !set)
      return cudaSuccess; // an event that is waited for: everything before has been done
    const abi::CpuGraphStep step{stream_, next_++, after.data(), after.size()};
    end = {step.number};
    return kernel ? run(*kernel, step) : copy ? run(*copy, step) : run(*set, step);
  }

  static cudaError_t run(const KernelWork &kernel, const abi::CpuGraphStep &step) {
    void **const arguments = const_cast<void **>(kernel.arguments->pointers.data());
    if (abi::GraphWatcher *const who = watcher.load(std::memory_order_acquire))
      return static_cast<cudaError_t>(
          who->launch({kernel.handle,
                       {kernel.grid.x, kernel.grid.y, kernel.grid.z},
                       {kernel.block.x, kernel.block.y, kernel.block.z},
                       arguments,
                       kernel.sharedBytes,
                       kernel.company.together,
                       {kernel.company.cluster.x, kernel.company.cluster.y, kernel.company.cluster.z}},
                      step));
    return launchKernel(kernel.handle, kernel.grid, kernel.block, arguments, kernel.sharedBytes,
                        kernel.company);
  }

  static cudaError_t run(const CopyWork &copy, const abi::CpuGraphStep &step) {
    const cudaError_t error = copy3D(&copy.parameters);
    if (abi::GraphWatcher *const who = watcher.load(std::memory_order_acquire); who && error == cudaSuccess)
      who->copied(copy.parameters, step);
    return error;
  }

  static cudaError_t run(const SetWork &set, const abi::CpuGraphStep &step) {
    const cudaMemsetParams &p = set.parameters;
    const cudaError_t error = setRows(p.dst, p.pitch, p.value, p.elementSize, p.width, p.height);
    if (abi::GraphWatcher *const who = watcher.load(std::memory_order_acquire); who && error == cudaSuccess)
      who->wasSet(p, step);
    return error;
  }

  const cudaStream_t stream_;
  std::uint32_t next_ = 0; ///< step
};

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
  Steps last;
  return GraphRun(stream).runNodes(graph, {}, last);
}

} // namespace cupr::cpu

extern "C" void cuprCpuSetGraphWatcher(cupr::abi::GraphWatcher *who) {
  cupr::cpu::watcher.store(who, std::memory_order_release);
}
