/// Nodes of graphs: adding them, reading and setting what they do, in graphs and in executable ones. A call
/// per kind of node and place; what they have in common is `add`, `get` and `set`.
#include "api.h"

#include "graph_execution.h"

namespace cupr::cpu {

namespace {

cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                std::size_t count, Work work) {
  if (!node || (count && !dependencies))
    return cudaErrorInvalidValue;
  cudaError_t error = cudaSuccess;
  if (const cudaGraphNode_t added = addNode(graph, std::move(work), {dependencies, count}, error))
    *node = added;
  return error;
}

/// The node's work of this kind; null for other nodes.
template <typename Kind> Kind *get(cudaGraphNode_t node) {
  return graphNodes().holds(node) ? std::get_if<Kind>(&node->work) : nullptr;
}

/// A node does the same kind of thing as before.
cudaError_t set(cudaGraphNode_t node, Work work) {
  if (!graphNodes().holds(node) || node->work.index() != work.index())
    return cudaErrorInvalidValue;
  node->work = std::move(work);
  return cudaSuccess;
}

template <typename Parameters>
cudaError_t kernelWork(const Parameters *given, const Company &company, Work &work) {
  if (!given)
    return cudaErrorInvalidValue;
  if (given->extra)
    return cudaErrorNotSupported;
  const dim3 grid(given->gridDim.x, given->gridDim.y, given->gridDim.z);
  const dim3 block(given->blockDim.x, given->blockDim.y, given->blockDim.z);
  return makeKernelWork(given->func, grid, block, given->kernelParams, given->sharedMemBytes, company, work);
}

/// A cooperative node stays one, and clusters as large as they are.
template <typename Parameters> cudaError_t setKernel(cudaGraphNode_t node, const Parameters *given) {
  const KernelWork *const before = get<KernelWork>(node);
  Work work;
  const cudaError_t error = before ? kernelWork(given, before->company, work) : cudaErrorInvalidValue;
  return error == cudaSuccess ? set(node, std::move(work)) : error;
}

cudaError_t copyWork(const cudaMemcpy3DParms *given, Work &work) {
  if (!given)
    return cudaErrorInvalidValue;
  work = CopyWork{*given};
  return cudaSuccess;
}

Work flatCopy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  return copyRowsWork(to, bytes, from, bytes, bytes, 1, kind);
}

cudaError_t symbolCopy(const void *symbol, std::size_t offset, std::size_t bytes, const void *from, void *to,
                       cudaMemcpyKind kind, Work &work) {
  void *address = nullptr;
  if (const cudaError_t error = symbolRange(symbol, offset, bytes, address); error != cudaSuccess)
    return error;
  work = from ? flatCopy(address, from, bytes, kind) : flatCopy(to, address, bytes, kind);
  return cudaSuccess;
}

cudaError_t childWork(cudaGraph_t graph, Work &work) {
  if (!graphs().holds(graph))
    return cudaErrorInvalidValue;
  work = ChildWork{cloneAsPart(*graph)};
  return cudaSuccess;
}

/// What cudaGraphAddNode and its relatives describe.
cudaError_t generalWork(const cudaGraphNodeParams *given, Work &work) {
  if (!given)
    return cudaErrorInvalidValue;
  switch (given->type) {
  case cudaGraphNodeTypeKernel:
    return kernelWork(&given->kernel, {}, work);
  case cudaGraphNodeTypeMemcpy:
    return copyWork(&given->memcpy.copyParams, work);
  case cudaGraphNodeTypeMemset: {
    const cudaMemsetParamsV2 &p = given->memset;
    work = SetWork{{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}};
    return cudaSuccess;
  }
  case cudaGraphNodeTypeHost:
    work = HostWork{{given->host.fn, given->host.userData}};
    return cudaSuccess;
  case cudaGraphNodeTypeGraph:
    return childWork(given->graph.graph, work);
  case cudaGraphNodeTypeEmpty:
    work = EmptyWork{};
    return cudaSuccess;
  case cudaGraphNodeTypeEventRecord:
    work = RecordWork{given->eventRecord.event};
    return isEvent(given->eventRecord.event) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaGraphNodeTypeWaitEvent:
    work = WaitWork{given->eventWait.event};
    return isEvent(given->eventWait.event) ? cudaSuccess : cudaErrorInvalidValue;
  default: // memory, conditions, semaphores
    return cudaErrorNotSupported;
  }
}

cudaError_t setGeneral(cudaGraphNode_t node, const cudaGraphNodeParams *given) {
  if (!graphNodes().holds(node) || !given || given->type != typeOf(node->work))
    return cudaErrorInvalidValue;
  if (given->type == cudaGraphNodeTypeKernel)
    return setKernel(node, &given->kernel);
  if (given->type == cudaGraphNodeTypeGraph)
    return cudaErrorNotSupported;
  Work work;
  const cudaError_t error = generalWork(given, work);
  return error == cudaSuccess ? set(node, std::move(work)) : error;
}

/// Adds what has been described without an error.
cudaError_t added(cudaError_t error, cudaGraphNode_t *node, cudaGraph_t graph,
                  const cudaGraphNode_t *dependencies, std::size_t count, Work work) {
  return error == cudaSuccess ? add(node, graph, dependencies, count, std::move(work)) : error;
}

cudaError_t setIf(cudaError_t error, cudaGraphNode_t node, Work work) {
  return error == cudaSuccess ? set(node, std::move(work)) : error;
}

} // namespace

} // namespace cupr::cpu

using namespace cupr::cpu;

// Nodes of any kind.

CUPR_CPU_API(cudaGraphAddNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *,
 size_t count, cudaGraphNodeParams *given) {
  Work work;
  const cudaError_t error = generalWork(given, work);
  return answer(added(error, node, graph, dependencies, count, std::move(work)));
}
CUPR_CPU_API(cudaGraphNodeSetParams)(cudaGraphNode_t node, cudaGraphNodeParams *given) {
  return answer(setGeneral(node, given));
}
CUPR_CPU_API(cudaGraphExecNodeSetParams)
(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeParams *given) {
  return answer(setGeneral(nodeIn(executable, node), given));
}
CUPR_CPU_API(cudaGraphAddEmptyNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count) {
  return answer(add(node, graph, dependencies, count, EmptyWork{}));
}

// Kernels.

CUPR_CPU_API(cudaGraphAddKernelNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 const cudaKernelNodeParams *given) {
  Work work;
  const cudaError_t error = kernelWork(given, {}, work);
  return answer(added(error, node, graph, dependencies, count, std::move(work)));
}
CUPR_CPU_API(cudaGraphKernelNodeGetParams)(cudaGraphNode_t node, cudaKernelNodeParams *parameters) {
  const KernelWork *const kernel = get<KernelWork>(node);
  if (!kernel || !parameters)
    return answer(cudaErrorInvalidValue);
  *parameters = {};
  parameters->func = const_cast<void *>(kernel->handle);
  parameters->gridDim = kernel->grid;
  parameters->blockDim = kernel->block;
  parameters->sharedMemBytes = kernel->sharedBytes;
  parameters->kernelParams = const_cast<void **>(kernel->arguments->pointers.data());
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphKernelNodeSetParams)(cudaGraphNode_t node, const cudaKernelNodeParams *given) {
  return answer(setKernel(node, given));
}
CUPR_CPU_API(cudaGraphExecKernelNodeSetParams)
(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaKernelNodeParams *given) {
  return answer(setKernel(nodeIn(executable, node), given));
}
CUPR_CPU_API(cudaGraphKernelNodeSetAttribute)
(cudaGraphNode_t node, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value) {
  KernelWork *const kernel = get<KernelWork>(node);
  if (!kernel || !value)
    return answer(cudaErrorInvalidValue);
  if (attribute == cudaLaunchAttributeCooperative)
    kernel->company.together = value->cooperative != 0;
  if (attribute == cudaLaunchAttributeClusterDimension)
    kernel->company.cluster = dim3(value->clusterDim.x, value->clusterDim.y, value->clusterDim.z);
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphKernelNodeGetAttribute)
(cudaGraphNode_t node, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value) {
  const KernelWork *const kernel = get<KernelWork>(node);
  if (!kernel || !value)
    return answer(cudaErrorInvalidValue);
  *value = {};
  if (attribute == cudaLaunchAttributeCooperative)
    value->cooperative = kernel->company.together;
  if (attribute == cudaLaunchAttributeClusterDimension)
    value->clusterDim = {kernel->company.cluster.x, kernel->company.cluster.y, kernel->company.cluster.z};
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphKernelNodeCopyAttributes)(cudaGraphNode_t to, cudaGraphNode_t from) {
  KernelWork *const kernel = get<KernelWork>(to);
  const KernelWork *const source = get<KernelWork>(from);
  if (!kernel || !source)
    return answer(cudaErrorInvalidValue);
  kernel->company = source->company;
  return answer(cudaSuccess);
}

// Copies.

CUPR_CPU_API(cudaGraphAddMemcpyNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 const cudaMemcpy3DParms *given) {
  Work work;
  const cudaError_t error = copyWork(given, work);
  return answer(added(error, node, graph, dependencies, count, std::move(work)));
}
CUPR_CPU_API(cudaGraphAddMemcpyNode1D)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, void *to,
 const void *from, size_t bytes, cudaMemcpyKind kind) {
  return answer(add(node, graph, dependencies, count, flatCopy(to, from, bytes, kind)));
}
CUPR_CPU_API(cudaGraphAddMemcpyNodeToSymbol)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  Work work;
  const cudaError_t error = symbolCopy(symbol, offset, bytes, from, nullptr, kind, work);
  return answer(added(error, node, graph, dependencies, count, std::move(work)));
}
CUPR_CPU_API(cudaGraphAddMemcpyNodeFromSymbol)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, void *to,
 const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  Work work;
  const cudaError_t error = symbolCopy(symbol, offset, bytes, nullptr, to, kind, work);
  return answer(added(error, node, graph, dependencies, count, std::move(work)));
}
CUPR_CPU_API(cudaGraphMemcpyNodeGetParams)(cudaGraphNode_t node, cudaMemcpy3DParms *parameters) {
  const CopyWork *const copy = get<CopyWork>(node);
  if (!copy || !parameters)
    return answer(cudaErrorInvalidValue);
  *parameters = copy->parameters;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphMemcpyNodeSetParams)(cudaGraphNode_t node, const cudaMemcpy3DParms *given) {
  Work work;
  const cudaError_t error = copyWork(given, work);
  return answer(setIf(error, node, std::move(work)));
}
CUPR_CPU_API(cudaGraphMemcpyNodeSetParams1D)
(cudaGraphNode_t node, void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return answer(set(node, flatCopy(to, from, bytes, kind)));
}
CUPR_CPU_API(cudaGraphMemcpyNodeSetParamsToSymbol)
(cudaGraphNode_t node, const void *symbol, const void *from, size_t bytes, size_t offset,
 cudaMemcpyKind kind) {
  Work work;
  const cudaError_t error = symbolCopy(symbol, offset, bytes, from, nullptr, kind, work);
  return answer(setIf(error, node, std::move(work)));
}
CUPR_CPU_API(cudaGraphMemcpyNodeSetParamsFromSymbol)
(cudaGraphNode_t node, void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  Work work;
  const cudaError_t error = symbolCopy(symbol, offset, bytes, nullptr, to, kind, work);
  return answer(setIf(error, node, std::move(work)));
}
CUPR_CPU_API(cudaGraphExecMemcpyNodeSetParams)
(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaMemcpy3DParms *given) {
  Work work;
  const cudaError_t error = copyWork(given, work);
  return answer(setIf(error, nodeIn(executable, node), std::move(work)));
}
CUPR_CPU_API(cudaGraphExecMemcpyNodeSetParams1D)
(cudaGraphExec_t executable, cudaGraphNode_t node, void *to, const void *from, size_t bytes,
 cudaMemcpyKind kind) {
  return answer(set(nodeIn(executable, node), flatCopy(to, from, bytes, kind)));
}
CUPR_CPU_API(cudaGraphExecMemcpyNodeSetParamsToSymbol)
(cudaGraphExec_t executable, cudaGraphNode_t node, const void *symbol, const void *from, size_t bytes,
 size_t offset, cudaMemcpyKind kind) {
  Work work;
  const cudaError_t error = symbolCopy(symbol, offset, bytes, from, nullptr, kind, work);
  return answer(setIf(error, nodeIn(executable, node), std::move(work)));
}
CUPR_CPU_API(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
(cudaGraphExec_t executable, cudaGraphNode_t node, void *to, const void *symbol, size_t bytes, size_t offset,
 cudaMemcpyKind kind) {
  Work work;
  const cudaError_t error = symbolCopy(symbol, offset, bytes, nullptr, to, kind, work);
  return answer(setIf(error, nodeIn(executable, node), std::move(work)));
}

// Sets, host functions, child graphs, events.

CUPR_CPU_API(cudaGraphAddMemsetNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 const cudaMemsetParams *given) {
  return answer(given ? add(node, graph, dependencies, count, SetWork{*given}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphMemsetNodeGetParams)(cudaGraphNode_t node, cudaMemsetParams *parameters) {
  const SetWork *const work = get<SetWork>(node);
  if (!work || !parameters)
    return answer(cudaErrorInvalidValue);
  *parameters = work->parameters;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphMemsetNodeSetParams)(cudaGraphNode_t node, const cudaMemsetParams *given) {
  return answer(given ? set(node, SetWork{*given}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphExecMemsetNodeSetParams)
(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaMemsetParams *given) {
  return answer(given ? set(nodeIn(executable, node), SetWork{*given}) : cudaErrorInvalidValue);
}

CUPR_CPU_API(cudaGraphAddHostNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 const cudaHostNodeParams *given) {
  return answer(given ? add(node, graph, dependencies, count, HostWork{*given}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphHostNodeGetParams)(cudaGraphNode_t node, cudaHostNodeParams *parameters) {
  const HostWork *const work = get<HostWork>(node);
  if (!work || !parameters)
    return answer(cudaErrorInvalidValue);
  *parameters = work->parameters;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphHostNodeSetParams)(cudaGraphNode_t node, const cudaHostNodeParams *given) {
  return answer(given ? set(node, HostWork{*given}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphExecHostNodeSetParams)
(cudaGraphExec_t executable, cudaGraphNode_t node, const cudaHostNodeParams *given) {
  return answer(given ? set(nodeIn(executable, node), HostWork{*given}) : cudaErrorInvalidValue);
}

CUPR_CPU_API(cudaGraphAddChildGraphNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 cudaGraph_t child) {
  Work work;
  const cudaError_t error = childWork(child, work);
  return answer(added(error, node, graph, dependencies, count, std::move(work)));
}
CUPR_CPU_API(cudaGraphChildGraphNodeGetGraph)(cudaGraphNode_t node, cudaGraph_t *graph) {
  const ChildWork *const child = get<ChildWork>(node);
  if (!child || !graph)
    return answer(cudaErrorInvalidValue);
  *graph = child->graph.get();
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphExecChildGraphNodeSetParams)
(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t given) {
  const ChildWork *const child = get<ChildWork>(nodeIn(executable, node));
  if (!child || !graphs().holds(given))
    return answer(cudaErrorInvalidValue);
  return answer(updateGraph(*child->graph, *given).result == cudaGraphExecUpdateSuccess
                    ? cudaSuccess
                    : cudaErrorInvalidValue);
}

CUPR_CPU_API(cudaGraphAddEventRecordNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 cudaEvent_t event) {
  return answer(isEvent(event) ? add(node, graph, dependencies, count, RecordWork{event})
                               : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphEventRecordNodeGetEvent)(cudaGraphNode_t node, cudaEvent_t *event) {
  const RecordWork *const work = get<RecordWork>(node);
  if (!work || !event)
    return answer(cudaErrorInvalidValue);
  *event = work->event;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphEventRecordNodeSetEvent)(cudaGraphNode_t node, cudaEvent_t event) {
  return answer(isEvent(event) ? set(node, RecordWork{event}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphExecEventRecordNodeSetEvent)
(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event) {
  return answer(isEvent(event) ? set(nodeIn(executable, node), RecordWork{event}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphAddEventWaitNode)
(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
 cudaEvent_t event) {
  return answer(isEvent(event) ? add(node, graph, dependencies, count, WaitWork{event})
                               : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphEventWaitNodeGetEvent)(cudaGraphNode_t node, cudaEvent_t *event) {
  const WaitWork *const work = get<WaitWork>(node);
  if (!work || !event)
    return answer(cudaErrorInvalidValue);
  *event = work->event;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGraphEventWaitNodeSetEvent)(cudaGraphNode_t node, cudaEvent_t event) {
  return answer(isEvent(event) ? set(node, WaitWork{event}) : cudaErrorInvalidValue);
}
CUPR_CPU_API(cudaGraphExecEventWaitNodeSetEvent)
(cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event) {
  return answer(isEvent(event) ? set(nodeIn(executable, node), WaitWork{event}) : cudaErrorInvalidValue);
}
