/// Which kernels an executable graph runs, so that its launches can be listed. They are not traced: a graph
/// bakes its arguments in when it is made, and with them the number of the launch.
///
/// Threads: all from any thread.
#ifndef CUPR_RUNTIME_GRAPH_KERNELS_H
#define CUPR_RUNTIME_GRAPH_KERNELS_H

#include <cuda_runtime_api.h>
#include <string>
#include <vector>

namespace cupr::host {

struct GraphKernel {
  cudaGraphNode_t node; ///< in the graph from which the executable one was made
  std::string name;     ///< mangled
  dim3 grid, block;
  unsigned sharedBytes;
};

/// `executable` was made from `graph`, or was changed to be like it. Only on a GPU.
void keepGraph(cudaGraphExec_t executable, cudaGraph_t graph);
/// A node of `executable` got new parameters; its kernel may be another one.
void changeGraphKernel(cudaGraphExec_t executable, const GraphKernel &kernel);
void forgetGraph(cudaGraphExec_t executable);
/// In no particular order.
std::vector<GraphKernel> kernelsOf(cudaGraphExec_t executable);

} // namespace cupr::host

#endif
