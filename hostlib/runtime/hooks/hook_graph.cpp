/// Graphs, as the program makes and launches them. A kernel from augmented sources takes a trace argument, of
/// which the program knows nothing: the nodes it makes get one that records nothing, and what it reads back
/// is without it. How launches are traced: executable_graph.h.
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/graphs/executable_graph.h"
#include "hostlib/runtime/kernels/registration.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"
#include "per_thread_stream.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;

namespace {

/// The parameters of a node as the kernel takes them. `Parameters` is a struct of the runtime API.
template <class Parameters> class NodeParameters {
public:
  explicit NodeParameters(const Parameters &given)
      : parameters_(given), kernel_(findKernel(given.func)), arguments_(given.kernelParams, kernel_) {
    parameters_.func = const_cast<void *>(registeredHandle(given.func));
    if (!given.extra)
      parameters_.kernelParams = arguments_.get();
  }

  /// The packed form of arguments has no gap for one more.
  bool fits() const {
    if (!parameters_.extra || !kernel_.takesTrace())
      return true;
    message("a graph node launches '{}' with its arguments as one buffer (`extra`), which rewritten kernels "
            "can't take; give them as an array (`kernelParams`)",
            kernel_.demangled);
    return false;
  }
  const Parameters &get() const { return parameters_; }
  /// The node of an executable graph has been given these.
  void wereSet(cudaGraphExec_t executable, cudaGraphNode_t node) const {
    const auto &p = parameters_;
    changeKernel(executable, node, p.func, dim3(p.gridDim.x, p.gridDim.y, p.gridDim.z),
                 dim3(p.blockDim.x, p.blockDim.y, p.blockDim.z), p.sharedMemBytes, p.kernelParams);
  }

private:
  Parameters parameters_;
  const Kernel &kernel_;
  TracedArguments arguments_;
};

/// Hands parameters on to `call`, those of a kernel with the trace argument.
template <class Call> cudaError_t withNodeParameters(cudaGraphNodeParams *given, const Call &call) {
  if (!given || given->type != cudaGraphNodeTypeKernel)
    return call(given);
  const NodeParameters<cudaKernelNodeParamsV2> kernel(given->kernel);
  if (!kernel.fits())
    return cudaErrorNotSupported;
  cudaGraphNodeParams parameters = *given;
  parameters.kernel = kernel.get();
  return call(&parameters);
}

cudaMemsetParams plainSet(const cudaMemsetParamsV2 &set) {
  return {set.dst, set.pitch, set.value, set.elementSize, set.width, set.height};
}

GraphTransfer flatCopy(const void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {const_cast<void *>(from), bytes, bytes, 1};
  copy.dstPtr = {const_cast<void *>(to), bytes, bytes, 1};
  copy.extent = {bytes, 1, 1};
  copy.kind = kind;
  return GraphTransfer::of(copy);
}

bool isTracing() { return deviceKind() == DeviceKind::Gpu && Session::current(); }

/// Hands the result of a call on; one that succeeded is noted, if there is a trace.
template <class Note> cudaError_t noted(cudaError_t result, const Note &note) {
  if (result == cudaSuccess && isTracing())
    note();
  return result;
}

cudaError_t made(cudaError_t result, const cudaGraphExec_t *executable, cudaGraph_t graph,
                 unsigned long long flags) {
  return noted(result, [&] { keepExecutable(*executable, graph, flags); });
}

cudaError_t launch(cudaGraphExec_t executable, cudaStream_t stream,
                   const std::function<cudaError_t()> &call) {
  Session *const session = Session::current();
  return session ? session->launchGraph(executable, stream, call) : call();
}

} // namespace

extern "C" {
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *parameters);
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream);

cudaError_t cupr_hook_cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, std::size_t count,
                                             const cudaKernelNodeParams *given) {
  const ApiCall apiCall;
  if (!given)
    return CUPR_BACKEND(cudaGraphAddKernelNode)(node, graph, dependencies, count, given);
  const NodeParameters<cudaKernelNodeParams> kernel(*given);
  if (!kernel.fits())
    return cudaErrorNotSupported;
  return CUPR_BACKEND(cudaGraphAddKernelNode)(node, graph, dependencies, count, &kernel.get());
}

cudaError_t cupr_hook_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *given) {
  const ApiCall apiCall;
  if (!given)
    return CUPR_BACKEND(cudaGraphKernelNodeSetParams)(node, given);
  const NodeParameters<cudaKernelNodeParams> kernel(*given);
  return kernel.fits() ? CUPR_BACKEND(cudaGraphKernelNodeSetParams)(node, &kernel.get())
                       : cudaErrorNotSupported;
}

cudaError_t cupr_hook_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters) {
  const ApiCall apiCall;
  const cudaError_t result = CUPR_BACKEND(cudaGraphKernelNodeGetParams)(node, parameters);
  if (result == cudaSuccess && parameters->kernelParams && findKernel(parameters->func).takesTrace())
    ++parameters->kernelParams;
  return result;
}

cudaError_t cupr_hook_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       const cudaKernelNodeParams *given) {
  const ApiCall apiCall;
  if (!given)
    return CUPR_BACKEND(cudaGraphExecKernelNodeSetParams)(executable, node, given);
  const NodeParameters<cudaKernelNodeParams> kernel(*given);
  if (!kernel.fits())
    return cudaErrorNotSupported;
  return noted(CUPR_BACKEND(cudaGraphExecKernelNodeSetParams)(executable, node, &kernel.get()),
               [&] { kernel.wereSet(executable, node); });
}

cudaError_t cupr_hook_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                                       std::size_t count, cudaGraphNodeParams *given) {
  const ApiCall apiCall;
  const cudaError_t result = withNodeParameters(given, [&](cudaGraphNodeParams *parameters) {
    return CUPR_BACKEND(cudaGraphAddNode)(node, graph, dependencies, edges, count, parameters);
  });
  // When these run, the host may learn what is over.
  if (HostAccesses *const told = HostAccesses::current();
      told && result == cudaSuccess &&
      (given->type == cudaGraphNodeTypeHost || given->type == cudaGraphNodeTypeEventRecord))
    told->mayKnowOfAll();
  if (result == cudaSuccess && given->type == cudaGraphNodeTypeConditional && isTracing())
    keepConditional(*node, given->conditional.phGraph_out, given->conditional.size);
  return result;
}

cudaError_t cupr_hook_cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *given) {
  const ApiCall apiCall;
  return withNodeParameters(given, [&](cudaGraphNodeParams *parameters) {
    return CUPR_BACKEND(cudaGraphNodeSetParams)(node, parameters);
  });
}

cudaError_t cupr_hook_cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraphNodeParams *given) {
  const ApiCall apiCall;
  const cudaError_t result = withNodeParameters(given, [&](cudaGraphNodeParams *parameters) {
    return CUPR_BACKEND(cudaGraphExecNodeSetParams)(executable, node, parameters);
  });
  if (result != cudaSuccess || !isTracing())
    return result;
  if (given->type == cudaGraphNodeTypeKernel)
    NodeParameters<cudaKernelNodeParamsV2>(given->kernel).wereSet(executable, node);
  else if (given->type == cudaGraphNodeTypeGraph)
    updateExecutable(executable, given->graph.graph, node);
  else if (given->type == cudaGraphNodeTypeMemcpy)
    changeTransfer(executable, node, GraphTransfer::of(given->memcpy.copyParams));
  else if (given->type == cudaGraphNodeTypeMemset)
    changeTransfer(executable, node, GraphTransfer::of(plainSet(given->memset)));
  return result;
}

cudaError_t cupr_hook_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       const cudaMemcpy3DParms *given) {
  const ApiCall apiCall;
  return noted(CUPR_BACKEND(cudaGraphExecMemcpyNodeSetParams)(executable, node, given),
               [&] { changeTransfer(executable, node, GraphTransfer::of(*given)); });
}

cudaError_t cupr_hook_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                         void *to, const void *from, std::size_t bytes,
                                                         cudaMemcpyKind kind) {
  const ApiCall apiCall;
  return noted(CUPR_BACKEND(cudaGraphExecMemcpyNodeSetParams1D)(executable, node, to, from, bytes, kind),
               [&] { changeTransfer(executable, node, flatCopy(to, from, bytes, kind)); });
}

cudaError_t cupr_hook_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                               cudaGraphNode_t node, const void *symbol,
                                                               const void *from, std::size_t bytes,
                                                               std::size_t offset, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  return noted(
      CUPR_BACKEND(cudaGraphExecMemcpyNodeSetParamsToSymbol)(executable, node, symbol, from, bytes, offset,
                                                             kind),
      [&] { changeTransfer(executable, node, flatCopy(symbolAddress(symbol, offset), from, bytes, kind)); });
}

cudaError_t cupr_hook_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                                 cudaGraphNode_t node, void *to,
                                                                 const void *symbol, std::size_t bytes,
                                                                 std::size_t offset, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  return noted(
      CUPR_BACKEND(cudaGraphExecMemcpyNodeSetParamsFromSymbol)(executable, node, to, symbol, bytes, offset,
                                                               kind),
      [&] { changeTransfer(executable, node, flatCopy(to, symbolAddress(symbol, offset), bytes, kind)); });
}

cudaError_t cupr_hook_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       const cudaMemsetParams *given) {
  const ApiCall apiCall;
  return noted(CUPR_BACKEND(cudaGraphExecMemsetNodeSetParams)(executable, node, given),
               [&] { changeTransfer(executable, node, GraphTransfer::of(*given)); });
}

cudaError_t cupr_hook_cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                           unsigned long long flags) {
  const ApiCall apiCall;
  return made(CUPR_BACKEND(cudaGraphInstantiate)(executable, graph, flags), executable, graph, flags);
}

cudaError_t cupr_hook_cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                    unsigned long long flags) {
  const ApiCall apiCall;
  return made(CUPR_BACKEND(cudaGraphInstantiateWithFlags)(executable, graph, flags), executable, graph,
              flags);
}

cudaError_t cupr_hook_cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *parameters) {
  const ApiCall apiCall;
  return made(CUPR_BACKEND(cudaGraphInstantiateWithParams)(executable, graph, parameters), executable, graph,
              parameters ? parameters->flags : 0);
}

cudaError_t cupr_hook_cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                          cudaGraphInstantiateParams *parameters) {
  const ApiCall apiCall;
  return made(CUPR_BACKEND(cudaGraphInstantiateWithParams_ptsz)(executable, graph, parameters), executable,
              graph, parameters ? parameters->flags : 0);
}

cudaError_t cupr_hook_cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                          cudaGraphExecUpdateResultInfo *info) {
  const ApiCall apiCall;
  return noted(CUPR_BACKEND(cudaGraphExecUpdate)(executable, graph, info),
               [&] { updateExecutable(executable, graph, nullptr); });
}

cudaError_t cupr_hook_cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           cudaGraph_t child) {
  const ApiCall apiCall;
  return noted(CUPR_BACKEND(cudaGraphExecChildGraphNodeSetParams)(executable, node, child),
               [&] { updateExecutable(executable, child, node); });
}

cudaError_t cupr_hook_cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                              unsigned isEnabled) {
  const ApiCall apiCall;
  return noted(CUPR_BACKEND(cudaGraphNodeSetEnabled)(executable, node, isEnabled),
               [&] { setEnabled(executable, node, isEnabled != 0); });
}

cudaError_t cupr_hook_cudaGraphDestroyNode(cudaGraphNode_t node) {
  const ApiCall apiCall;
  if (isTracing())
    forgetNode(node);
  return CUPR_BACKEND(cudaGraphDestroyNode)(node);
}

cudaError_t cupr_hook_cudaGraphDestroy(cudaGraph_t graph) {
  const ApiCall apiCall;
  return isTracing() && destroyLater(graph) ? cudaSuccess : CUPR_BACKEND(cudaGraphDestroy)(graph);
}

cudaError_t cupr_hook_cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const ApiCall apiCall;
  forgetExecutable(executable); // before another one can have the same handle
  return CUPR_BACKEND(cudaGraphExecDestroy)(executable);
}

cudaError_t cupr_hook_cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const ApiCall apiCall;
  return launch(executable, stream, [=] { return CUPR_BACKEND(cudaGraphLaunch)(executable, stream); });
}

cudaError_t cupr_hook_cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream) {
  const ApiCall apiCall;
  return launch(executable, perThread(stream),
                [=] { return CUPR_BACKEND(cudaGraphLaunch_ptsz)(executable, stream); });
}
}
