/// Graphs as the program makes them: their nodes' dependencies, copies of them, and executable ones.
#include "api.h"

#include "capture.h"
#include "graph_execution.h"

#include <algorithm>

namespace cupr::cpu {

namespace {

/// Gives the program a list, as the calls do that return nodes: `place` null asks for the number of elements.
template <typename T> void give(const std::vector<T> &list, T *place, std::size_t *count) {
  if (place) {
    const std::size_t copied = std::min(*count, list.size());
    std::copy_n(list.begin(), copied, place);
    std::fill(place + copied, place + *count, T{});
    *count = copied;
  } else {
    *count = list.size();
  }
}

cudaError_t giveNeighbours(cudaGraphNode_t node, std::vector<cudaGraphNode_t> CUgraphNode_st::*list,
                           cudaGraphNode_t *place, cudaGraphEdgeData *edges, std::size_t *count) {
  if (!graphNodes().holds(node) || !count)
    return cudaErrorInvalidValue;
  if (place && edges)
    std::fill_n(edges, *count, cudaGraphEdgeData{});
  give(node->*list, place, count);
  return cudaSuccess;
}

bool areNodesOf(cudaGraph_t graph, const cudaGraphNode_t *nodes, std::size_t count) {
  return std::all_of(nodes, nodes + count, [graph](cudaGraphNode_t node) {
    return graphNodes().holds(node) && node->graph == graph;
  });
}

cudaError_t instantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) {
  constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                        cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagUseNodePriority;
  if (!executable || !graphs().holds(graph))
    return cudaErrorInvalidValue;
  if (flags & ~kKnown)
    return flags & cudaGraphInstantiateFlagDeviceLaunch ? cudaErrorNotSupported : cudaErrorInvalidValue;
  *executable = executables().add({cloneAsPart(*graph), flags});
  return cudaSuccess;
}

/// Not in a stream that is captured, as on a GPU.
cudaError_t launchGraph(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executables().holds(executable))
    return cudaErrorInvalidValue;
  if (isCaptured(stream))
    return refuseCapture(stream);
  if (answer(cudaSuccess) != cudaSuccess)
    return answer(cudaSuccess);
  return runGraph(*executable->graph, stream);
}

} // namespace

} // namespace cupr::cpu

using namespace cupr::cpu;

CUPR_CPU_API(cudaGraphCreate)(cudaGraph_t *graph, unsigned flags) {
  if (!graph || flags)
    return answer(cudaErrorInvalidValue);
  *graph = makeGraph(GraphOwner::Program);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphDestroy)(cudaGraph_t graph) {
  if (!graphs().holds(graph) || graph->isPart)
    return answer(cudaErrorInvalidValue);
  destroyGraph(graph);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphClone)(cudaGraph_t *clone, cudaGraph_t graph) {
  if (!clone || !graphs().holds(graph))
    return answer(cudaErrorInvalidValue);
  *clone = cloneGraph(*graph, GraphOwner::Program);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphNodeFindInClone)(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
  if (!node || !graphNodes().holds(original) || !graphs().holds(clone))
    return answer(cudaErrorInvalidValue);
  *node = findCopy(*clone, *original);
  return answer(*node ? cudaSuccess : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphDestroyNode)(cudaGraphNode_t node) {
  if (!graphNodes().holds(node))
    return answer(cudaErrorInvalidValue);
  removeNode(node);
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaGraphNodeGetType)(cudaGraphNode_t node, cudaGraphNodeType *type) {
  if (!graphNodes().holds(node) || !type)
    return answer(cudaErrorInvalidValue);
  *type = typeOf(node->work);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphGetNodes)(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (!graphs().holds(graph) || !count)
    return answer(cudaErrorInvalidValue);
  give(graph->nodes, nodes, count);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphGetRootNodes)(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (!graphs().holds(graph) || !count)
    return answer(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> roots;
  std::copy_if(graph->nodes.begin(), graph->nodes.end(), std::back_inserter(roots),
               [](cudaGraphNode_t node) { return node->dependencies.empty(); });
  give(roots, nodes, count);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphGetEdges)
(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count) {
  if (!graphs().holds(graph) || !count || !from != !to)
    return answer(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> starts, ends;
  for (const cudaGraphNode_t node : graph->nodes)
    for (const cudaGraphNode_t dependency : node->dependencies) {
      starts.push_back(dependency);
      ends.push_back(node);
    }
  if (from && edges)
    std::fill_n(edges, *count, cudaGraphEdgeData{});
  std::size_t same = *count;
  give(starts, from, &same);
  give(ends, to, count);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphNodeGetDependencies)
(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count) {
  return answer(giveNeighbours(node, &CUgraphNode_st::dependencies, nodes, edges, count));
}
CUPR_CPU_API(cudaGraphNodeGetDependentNodes)
(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count) {
  return answer(giveNeighbours(node, &CUgraphNode_st::dependents, nodes, edges, count));
}
CUPR_CPU_API(cudaGraphAddDependencies)
(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *,
 size_t count) {
  if (!graphs().holds(graph) || !areNodesOf(graph, from, count) || !areNodesOf(graph, to, count))
    return answer(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (const cudaError_t error = connect(from[i], to[i]); error != cudaSuccess)
      return answer(error);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphRemoveDependencies)
(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *,
 size_t count) {
  if (!graphs().holds(graph) || !areNodesOf(graph, from, count) || !areNodesOf(graph, to, count))
    return answer(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (!disconnect(from[i], to[i]))
      return answer(cudaErrorInvalidValue);
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaGraphInstantiate)
(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) {
  return answer(instantiate(executable, graph, flags));
}
CUPR_CPU_API(cudaGraphInstantiateWithFlags)
(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) {
  return answer(instantiate(executable, graph, flags));
}
CUPR_CPU_API(cudaGraphInstantiateWithParams)
(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphInstantiateParams *parameters) {
  if (!parameters)
    return answer(cudaErrorInvalidValue);
  const cudaError_t error = instantiate(executable, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return answer(error);
}
CUPR_CPU_API(cudaGraphExecGetFlags)(cudaGraphExec_t executable, unsigned long long *flags) {
  if (!executables().holds(executable) || !flags)
    return answer(cudaErrorInvalidValue);
  *flags = executable->flags;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphExecUpdate)
(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  if (!info)
    return answer(cudaErrorInvalidValue);
  *info = {cudaGraphExecUpdateError, nullptr, nullptr};
  if (!executables().holds(executable) || !graphs().holds(graph))
    return answer(cudaErrorInvalidValue);
  *info = updateGraph(*executable->graph, *graph);
  return answer(info->result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}
CUPR_CPU_API(cudaGraphUpload)(cudaGraphExec_t executable, cudaStream_t) {
  return answer(executables().holds(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphLaunch)(cudaGraphExec_t executable, cudaStream_t stream) {
  return answer(launchGraph(executable, stream));
}
CUPR_CPU_API(cudaGraphExecDestroy)(cudaGraphExec_t executable) {
  return answer(executables().remove(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphNodeSetEnabled)
(cudaGraphExec_t executable, cudaGraphNode_t original, unsigned isEnabled) {
  const cudaGraphNode_t node = nodeIn(executable, original);
  if (!node)
    return answer(cudaErrorInvalidValue);
  node->enabled = isEnabled != 0;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphNodeGetEnabled)
(cudaGraphExec_t executable, cudaGraphNode_t original, unsigned *isEnabled) {
  const cudaGraphNode_t node = nodeIn(executable, original);
  if (!node || !isEnabled)
    return answer(cudaErrorInvalidValue);
  *isEnabled = node->enabled;
  return answer(cudaSuccess);
}
