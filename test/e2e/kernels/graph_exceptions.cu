/// Kernels of graphs that are not traced: in the body of a conditional node, which runs any number of times, and
/// of a node that is removed from the graph while the executable one is used. Between them the same kernel,
/// traced. 1 block of 32: 32 loads and 32 stores.
#include "verdict.h"

__global__ void add(int *out, int value) { out[threadIdx.x] += value; }

int main() {
  Device<int> out(std::vector<int>(32, 0));
  Verdict verdict("graph_exceptions");
  int *at = out;
  int value = 1;
  void *arguments[] = {&at, &value};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void *>(add);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  parameters.kernelParams = arguments;

  cudaGraph_t graph;
  cudaGraphNode_t node, condition;
  cudaGraphExec_t executable;
  MUST(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams conditional = {};
  conditional.type = cudaGraphNodeTypeConditional;
  conditional.conditional.handle = handle;
  conditional.conditional.type = cudaGraphCondTypeIf;
  conditional.conditional.size = 1;
  MUST(cudaGraphAddNode(&condition, graph, nullptr, nullptr, 0, &conditional));
  MUST(cudaGraphAddKernelNode(&node, conditional.conditional.phGraph_out[0], nullptr, 0, &parameters));
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  MUST(cudaGraphLaunch(executable, nullptr));
  verdict.equal("conditional", out.read(), std::vector<int>(32, 1));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphDestroy(graph));

  value = 10;
  MUST(cudaGraphCreate(&graph, 0));
  MUST(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  MUST(cudaGraphLaunch(executable, nullptr));
  MUST(cudaGraphDestroyNode(node));
  MUST(cudaGraphLaunch(executable, nullptr));
  verdict.equal("removed", out.read(), std::vector<int>(32, 21));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphDestroy(graph));
  return verdict.finish();
}
