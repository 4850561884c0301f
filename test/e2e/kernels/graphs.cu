/// Kernels of graphs: nodes made by hand, read back, changed and changed in the executable graph; a captured
/// stream, a child graph. The arguments of a node are the program's own, without a trace argument. Each
/// launch of a graph is a launch of each of its kernels. 1 block of 32: 32 loads and 32 stores each.
#include "verdict.h"

__global__ void add(int *out, int value) { out[threadIdx.x] += value; }
__global__ void multiply(int *out, int value) { out[threadIdx.x] *= value; }
void (*const kKept)(int *, int) = multiply; // so that it keeps its signature

static std::vector<int> expected(int (*of)(int)) {
  return generate<int>(32, [of](std::size_t i) { return of(int(i)); });
}

int main() {
  Device<int> out(generate<int>(32, [](std::size_t i) { return int(i); }));
  Verdict verdict("graphs");
  int *at = out;
  int value = 5, factor = 3;

  // (i + 5) * 3, by nodes.
  cudaGraph_t graph;
  MUST(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first, second;
  void *arguments[] = {&at, &value};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void *>(add);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  parameters.kernelParams = arguments;
  MUST(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters));
  void *factors[] = {&at, &factor};
  cudaGraphNodeParams general = {};
  general.type = cudaGraphNodeTypeKernel;
  general.kernel.func = reinterpret_cast<void *>(kKept);
  general.kernel.gridDim = dim3(1);
  general.kernel.blockDim = dim3(32);
  general.kernel.kernelParams = factors;
  MUST(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &general));
  cudaGraphExec_t executable;
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  MUST(cudaGraphLaunch(executable, nullptr));
  verdict.equal("nodes", out.read(), expected([](int i) { return (i + 5) * 3; }));

  // The arguments that are read back are the program's own. + 7, * 2: one changed in the graph, which is made
  // again, one in the executable graph.
  cudaKernelNodeParams back = {};
  MUST(cudaGraphKernelNodeGetParams(first, &back));
  verdict.equal("read back",
                std::vector<int>{*static_cast<int **>(back.kernelParams[0]) == at,
                                 *static_cast<int *>(back.kernelParams[1]), back.func == parameters.func},
                std::vector<int>{1, 5, 1});
  value = 7;
  parameters.kernelParams[1] = &value;
  MUST(cudaGraphKernelNodeSetParams(first, &parameters));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  factor = 2;
  MUST(cudaGraphExecNodeSetParams(executable, second, &general));
  MUST(cudaGraphLaunch(executable, nullptr));
  verdict.equal("changed", out.read(), expected([](int i) { return ((i + 5) * 3 + 7) * 2; }));

  // As a child of another graph: + 7, and the factor is still 3 in the graph.
  cudaGraph_t parent;
  cudaGraphNode_t child;
  MUST(cudaGraphCreate(&parent, 0));
  MUST(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphInstantiate(&executable, parent, 0));
  MUST(cudaGraphLaunch(executable, nullptr));
  verdict.equal("child", out.read(), expected([](int i) { return (((i + 5) * 3 + 7) * 2 + 7) * 3; }));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphDestroy(parent));
  MUST(cudaGraphDestroy(graph));

  cudaStream_t stream;
  MUST(cudaStreamCreate(&stream));
  MUST(cudaMemset(at, 0, 32 * sizeof(int)));
  MUST(cudaDeviceSynchronize());
  add<<<1, 32, 0, stream>>>(at, 4);
  MUST(cudaStreamSynchronize(stream));
  verdict.equal("traced", out.read(), std::vector<int>(32, 4));

  // A captured stream, launched twice: ((4 + 1) * 2 + 1) * 2.
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(at, 1);
  kKept<<<1, 32, 0, stream>>>(at, 2);
  cudaGraph_t twice;
  MUST(cudaStreamEndCapture(stream, &twice));
  MUST(cudaGraphInstantiate(&executable, twice, 0));
  MUST(cudaGraphLaunch(executable, stream));
  MUST(cudaGraphLaunch(executable, stream));
  MUST(cudaStreamSynchronize(stream));
  verdict.equal("captured", out.read(), std::vector<int>(32, 22));
  return verdict.finish();
}
