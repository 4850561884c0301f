/// Executable graphs of the CPU device: a copy of a graph, the nodes of which can be given other parameters,
/// and which runs when it is launched.
#ifndef CUPR_CPU_GRAPH_EXECUTION_H
#define CUPR_CPU_GRAPH_EXECUTION_H

#include "graph.h"

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph; ///< its own; the nodes know their originals
  unsigned long long flags;
};

namespace cupr::cpu {

Handles<CUgraphExec_st> &executables();

/// The executable graph's copy of a node of the graph from which it was made; null: there is none.
cudaGraphNode_t nodeIn(cudaGraphExec_t executable, cudaGraphNode_t original);

/// Gives the nodes of `mine` the work of those of `other`. Which belong together is found as the driver does:
/// the nodes behind which nothing comes, in their order, and then backwards along dependencies, in their
/// order (cudaGraphExecUpdate). Nothing is changed where that fails.
cudaGraphExecUpdateResultInfo updateGraph(CUgraph_st &mine, const CUgraph_st &other);

/// Runs all nodes. The first error of a node ends it; what kernels do wrong is a sticky error, as in
/// launches.
cudaError_t runGraph(const CUgraph_st &graph, cudaStream_t stream);

} // namespace cupr::cpu

#endif
