#include "graph.h"

#include "api.h"
#include "devicelib/abi/cpu_device.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace cupr::cpu {

namespace {

std::atomic<unsigned long long> nextNode{1};

void erase(std::vector<cudaGraphNode_t> &nodes, cudaGraphNode_t node) {
  nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
}

} // namespace

cudaGraphNodeType typeOf(const Work &work) {
  static constexpr cudaGraphNodeType kTypes[] = {cudaGraphNodeTypeEmpty,       cudaGraphNodeTypeKernel,
                                                 cudaGraphNodeTypeMemcpy,      cudaGraphNodeTypeMemset,
                                                 cudaGraphNodeTypeHost,        cudaGraphNodeTypeGraph,
                                                 cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent};
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  return kTypes[work.index()];
}

Handles<CUgraph_st> &graphs() {
  static auto *handles = new Handles<CUgraph_st>;
  return *handles;
}

Handles<CUgraphNode_st> &graphNodes() {
  static auto *handles = new Handles<CUgraphNode_st>;
  return *handles;
}

cudaGraph_t makeGraph(GraphOwner owner) { return graphs().add({{}, owner == GraphOwner::Part}); }

void destroyGraph(cudaGraph_t graph) {
  for (const cudaGraphNode_t node : graph->nodes)
    graphNodes().remove(node);
  graphs().remove(graph);
}

cudaGraph_t cloneGraph(const CUgraph_st &graph, GraphOwner owner) {
  const cudaGraph_t clone = makeGraph(owner);
  std::unordered_map<cudaGraphNode_t, cudaGraphNode_t> copies;
  for (const cudaGraphNode_t node : graph.nodes) {
    Work work = node->work;
    if (auto *const child = std::get_if<ChildWork>(&work))
      child->graph = cloneAsPart(*child->graph);
    copies[node] = graphNodes().add({nextNode++, node->id, clone, std::move(work), node->enabled, {}, {}});
    clone->nodes.push_back(copies[node]);
  }
  const auto copied = [&](const std::vector<cudaGraphNode_t> &nodes) {
    std::vector<cudaGraphNode_t> result;
    for (const cudaGraphNode_t node : nodes)
      result.push_back(copies[node]);
    return result;
  };
  for (const cudaGraphNode_t node : graph.nodes) {
    copies[node]->dependencies = copied(node->dependencies);
    copies[node]->dependents = copied(node->dependents);
  }
  return clone;
}

std::shared_ptr<CUgraph_st> cloneAsPart(const CUgraph_st &graph) {
  return {cloneGraph(graph, GraphOwner::Part), destroyGraph};
}

cudaGraphNode_t addNode(cudaGraph_t graph, Work work, std::span<const cudaGraphNode_t> dependencies,
                        cudaError_t &error) {
  error = cudaErrorInvalidValue;
  if (!graphs().holds(graph))
    return nullptr;
  std::unordered_set<cudaGraphNode_t> seen;
  for (const cudaGraphNode_t dependency : dependencies)
    if (!graphNodes().holds(dependency) || dependency->graph != graph || !seen.insert(dependency).second)
      return nullptr;
  const cudaGraphNode_t node = graphNodes().add(
      {nextNode++, 0, graph, std::move(work), true, {dependencies.begin(), dependencies.end()}, {}});
  for (const cudaGraphNode_t dependency : dependencies)
    dependency->dependents.push_back(node);
  graph->nodes.push_back(node);
  error = cudaSuccess;
  return node;
}

void removeNode(cudaGraphNode_t node) {
  for (const cudaGraphNode_t dependency : node->dependencies)
    erase(dependency->dependents, node);
  for (const cudaGraphNode_t dependent : node->dependents)
    erase(dependent->dependencies, node);
  erase(node->graph->nodes, node);
  graphNodes().remove(node);
}

cudaError_t connect(cudaGraphNode_t from, cudaGraphNode_t to) {
  if (from->graph != to->graph || comesBehind(from, to) ||
      std::find(to->dependencies.begin(), to->dependencies.end(), from) != to->dependencies.end())
    return cudaErrorInvalidValue;
  to->dependencies.push_back(from);
  from->dependents.push_back(to);
  return cudaSuccess;
}

bool disconnect(cudaGraphNode_t from, cudaGraphNode_t to) {
  if (std::find(to->dependencies.begin(), to->dependencies.end(), from) == to->dependencies.end())
    return false;
  erase(to->dependencies, from);
  erase(from->dependents, to);
  return true;
}

bool comesBehind(cudaGraphNode_t node, cudaGraphNode_t other) {
  std::unordered_set<cudaGraphNode_t> seen{node};
  std::vector<cudaGraphNode_t> open{node};
  while (!open.empty()) {
    const cudaGraphNode_t next = open.back();
    open.pop_back();
    if (next == other)
      return true;
    for (const cudaGraphNode_t dependency : next->dependencies)
      if (seen.insert(dependency).second)
        open.push_back(dependency);
  }
  return false;
}

std::vector<cudaGraphNode_t> executionOrder(const CUgraph_st &graph) {
  const auto addedFirst = [](cudaGraphNode_t a, cudaGraphNode_t b) { return a->id < b->id; };
  std::set<cudaGraphNode_t, decltype(addedFirst)> ready;
  std::unordered_map<cudaGraphNode_t, std::size_t> awaited;
  for (const cudaGraphNode_t node : graph.nodes) {
    awaited[node] = node->dependencies.size();
    if (node->dependencies.empty())
      ready.insert(node);
  }
  std::vector<cudaGraphNode_t> order;
  while (!ready.empty()) {
    const cudaGraphNode_t node = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(node);
    for (const cudaGraphNode_t dependent : node->dependents)
      if (--awaited[dependent] == 0)
        ready.insert(dependent);
  }
  return order;
}

cudaGraphNode_t findCopy(const CUgraph_st &clone, const CUgraphNode_st &original) {
  for (const cudaGraphNode_t node : clone.nodes) {
    if (node->original == original.id)
      return node;
    if (const auto *const child = std::get_if<ChildWork>(&node->work))
      if (const cudaGraphNode_t inside = findCopy(*child->graph, original))
        return inside;
  }
  return nullptr;
}

cudaError_t makeKernelWork(const void *handle, dim3 grid, dim3 block, void **arguments, std::size_t shared,
                           const Company &company, Work &work) {
  const abi::CpuKernel *kernel = nullptr;
  if (const cudaError_t error = checkLaunch(handle, grid, block, shared, company, kernel);
      error != cudaSuccess)
    return error;
  if (kernel->parameterCount && !arguments)
    return cudaErrorInvalidValue;
  auto copied = std::make_shared<KernelArguments>();
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < kernel->parameterCount; ++i)
    bytes += kernel->parameters[i].bytes + kernel->parameters[i].alignment;
  copied->bytes.resize(bytes);
  void *place = copied->bytes.data();
  for (std::uint32_t i = 0; i < kernel->parameterCount; ++i) {
    const abi::CpuParameter &parameter = kernel->parameters[i];
    std::align(parameter.alignment, parameter.bytes, place, bytes);
    std::memcpy(place, arguments[i], parameter.bytes);
    copied->pointers.push_back(place);
    place = static_cast<char *>(place) + parameter.bytes;
    bytes -= parameter.bytes;
  }
  work = KernelWork{handle, grid, block, static_cast<unsigned>(shared), company, std::move(copied)};
  return cudaSuccess;
}

CopyWork copyRowsWork(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                      std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = {const_cast<void *>(from), fromPitch, width, rows};
  parameters.dstPtr = {to, toPitch, width, rows};
  parameters.extent = {width, rows, 1};
  parameters.kind = kind;
  return {parameters};
}

} // namespace cupr::cpu
