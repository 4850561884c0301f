/// Kernel nodes of graphs. A kernel from augmented sources takes a trace argument, of which the program
/// knows nothing: the nodes it makes get one that records nothing, and what it reads back is without it.
#include "graph_kernels.h"
#include "kernel_table.h"
#include "message.h"
#include "session.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;

namespace {

/// The parameters of a node as the kernel takes them. `Parameters` is a struct of the runtime API.
template <class Parameters> class NodeParameters {
public:
  explicit NodeParameters(const Parameters &given)
      : parameters_(given), kernel_(findKernel(given.func)), arguments_(given.kernelParams, kernel_) {
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
  GraphKernel asKernel(cudaGraphNode_t node) const {
    const auto &p = parameters_;
    return {node, kernel_.name, dim3(p.gridDim.x, p.gridDim.y, p.gridDim.z),
            dim3(p.blockDim.x, p.blockDim.y, p.blockDim.z), p.sharedMemBytes};
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

cudaError_t made(cudaError_t result, const cudaGraphExec_t *executable, cudaGraph_t graph) {
  if (result == cudaSuccess && Session::current())
    keepGraph(*executable, graph);
  return result;
}

cudaError_t launched(cudaError_t result, cudaGraphExec_t executable, cudaStream_t stream) {
  Session *const session = Session::current();
  if (result == cudaSuccess && session)
    session->graphLaunched(executable, stream);
  return result;
}

} // namespace

extern "C" {
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *parameters);
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream);

cudaError_t cupr_hook_cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, std::size_t count,
                                             const cudaKernelNodeParams *given) {
  if (!given)
    return CUPR_BACKEND(cudaGraphAddKernelNode)(node, graph, dependencies, count, given);
  const NodeParameters<cudaKernelNodeParams> kernel(*given);
  if (!kernel.fits())
    return cudaErrorNotSupported;
  return CUPR_BACKEND(cudaGraphAddKernelNode)(node, graph, dependencies, count, &kernel.get());
}

cudaError_t cupr_hook_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *given) {
  if (!given)
    return CUPR_BACKEND(cudaGraphKernelNodeSetParams)(node, given);
  const NodeParameters<cudaKernelNodeParams> kernel(*given);
  return kernel.fits() ? CUPR_BACKEND(cudaGraphKernelNodeSetParams)(node, &kernel.get())
                       : cudaErrorNotSupported;
}

cudaError_t cupr_hook_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters) {
  const cudaError_t result = CUPR_BACKEND(cudaGraphKernelNodeGetParams)(node, parameters);
  if (result == cudaSuccess && parameters->kernelParams && findKernel(parameters->func).takesTrace())
    ++parameters->kernelParams;
  return result;
}

cudaError_t cupr_hook_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       const cudaKernelNodeParams *given) {
  if (!given)
    return CUPR_BACKEND(cudaGraphExecKernelNodeSetParams)(executable, node, given);
  const NodeParameters<cudaKernelNodeParams> kernel(*given);
  if (!kernel.fits())
    return cudaErrorNotSupported;
  const cudaError_t result = CUPR_BACKEND(cudaGraphExecKernelNodeSetParams)(executable, node, &kernel.get());
  if (result == cudaSuccess)
    changeGraphKernel(executable, kernel.asKernel(node));
  return result;
}

cudaError_t cupr_hook_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                                       std::size_t count, cudaGraphNodeParams *given) {
  return withNodeParameters(given, [&](cudaGraphNodeParams *parameters) {
    return CUPR_BACKEND(cudaGraphAddNode)(node, graph, dependencies, edges, count, parameters);
  });
}

cudaError_t cupr_hook_cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *given) {
  return withNodeParameters(given, [&](cudaGraphNodeParams *parameters) {
    return CUPR_BACKEND(cudaGraphNodeSetParams)(node, parameters);
  });
}

cudaError_t cupr_hook_cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraphNodeParams *given) {
  const cudaError_t result = withNodeParameters(given, [&](cudaGraphNodeParams *parameters) {
    return CUPR_BACKEND(cudaGraphExecNodeSetParams)(executable, node, parameters);
  });
  if (result == cudaSuccess && given && given->type == cudaGraphNodeTypeKernel)
    changeGraphKernel(executable, NodeParameters<cudaKernelNodeParamsV2>(given->kernel).asKernel(node));
  return result;
}

cudaError_t cupr_hook_cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                           unsigned long long flags) {
  return made(CUPR_BACKEND(cudaGraphInstantiate)(executable, graph, flags), executable, graph);
}

cudaError_t cupr_hook_cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                    unsigned long long flags) {
  return made(CUPR_BACKEND(cudaGraphInstantiateWithFlags)(executable, graph, flags), executable, graph);
}

cudaError_t cupr_hook_cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams *parameters) {
  return made(CUPR_BACKEND(cudaGraphInstantiateWithParams)(executable, graph, parameters), executable, graph);
}

cudaError_t cupr_hook_cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                          cudaGraphInstantiateParams *parameters) {
  return made(CUPR_BACKEND(cudaGraphInstantiateWithParams_ptsz)(executable, graph, parameters), executable,
              graph);
}

cudaError_t cupr_hook_cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                          cudaGraphExecUpdateResultInfo *info) {
  return made(CUPR_BACKEND(cudaGraphExecUpdate)(executable, graph, info), &executable, graph);
}

cudaError_t cupr_hook_cudaGraphExecDestroy(cudaGraphExec_t executable) {
  forgetGraph(executable);
  return CUPR_BACKEND(cudaGraphExecDestroy)(executable);
}

cudaError_t cupr_hook_cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return launched(CUPR_BACKEND(cudaGraphLaunch)(executable, stream), executable, stream);
}

cudaError_t cupr_hook_cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream) {
  return launched(CUPR_BACKEND(cudaGraphLaunch_ptsz)(executable, stream), executable,
                  stream ? stream : cudaStreamPerThread);
}
}
