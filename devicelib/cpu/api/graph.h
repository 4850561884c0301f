/// Graphs of the CPU device: nodes of work with dependencies between them, made by hand or by capturing
/// streams (capture.h), and executable graphs, which are copies of them (graph_execution.h).
///
/// A node is executed when all that it depends on has been; among those that may be next, the one that was
/// added first. Dependencies through ports of kernels (programmatic launches) count as whole ones.
///
/// Threads: as CUDA has it, the program sees to it that a graph is used by one thread at a time; the sets of
/// handles may be used by any.
#ifndef CUPR_CPU_GRAPH_H
#define CUPR_CPU_GRAPH_H

#include "api.h"
#include "handles.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace cupr::cpu {

/// The arguments of a kernel, copied. Never changes: copies of a node share it.
struct KernelArguments {
  std::vector<unsigned char> bytes;
  std::vector<void *> pointers; ///< into `bytes`, one per argument
};

struct EmptyWork {};
struct KernelWork {
  const void *handle;
  dim3 grid, block;
  unsigned sharedBytes;
  Company company;
  std::shared_ptr<const KernelArguments> arguments;
};
struct CopyWork {
  cudaMemcpy3DParms parameters;
};
struct SetWork {
  cudaMemsetParams parameters;
};
struct HostWork {
  cudaHostNodeParams parameters;
};
struct ChildWork {
  std::shared_ptr<CUgraph_st> graph; ///< the node's own
};
struct RecordWork {
  cudaEvent_t event;
};
struct WaitWork {
  cudaEvent_t event;
};
using Work =
    std::variant<EmptyWork, KernelWork, CopyWork, SetWork, HostWork, ChildWork, RecordWork, WaitWork>;

cudaGraphNodeType typeOf(const Work &work);

} // namespace cupr::cpu

// What the opaque handles of the API point to.

struct CUgraphNode_st {
  unsigned long long id;       ///< never reused
  unsigned long long original; ///< of a node in a clone: the id of what it is a copy of
  cudaGraph_t graph;
  cupr::cpu::Work work;
  bool enabled; ///< in executable graphs
  std::vector<cudaGraphNode_t> dependencies, dependents;
};

struct CUgraph_st {
  std::vector<cudaGraphNode_t> nodes; ///< owned; in the order in which they were added
  bool isPart;                        ///< of a node or an executable graph: the program can't destroy it
};

namespace cupr::cpu {

Handles<CUgraph_st> &graphs();
Handles<CUgraphNode_st> &graphNodes();

enum class GraphOwner { Program, Part };
cudaGraph_t makeGraph(GraphOwner owner);
void destroyGraph(cudaGraph_t graph);
/// With all nodes, which know their originals.
cudaGraph_t cloneGraph(const CUgraph_st &graph, GraphOwner owner);
/// A copy that is a part of something.
std::shared_ptr<CUgraph_st> cloneAsPart(const CUgraph_st &graph);

/// Null, and the reason in `error`, where a dependency is not a node of the graph.
cudaGraphNode_t addNode(cudaGraph_t graph, Work work, std::span<const cudaGraphNode_t> dependencies,
                        cudaError_t &error);
void removeNode(cudaGraphNode_t node);
/// cudaErrorInvalidValue for a dependency that is there already, or would close a cycle.
cudaError_t connect(cudaGraphNode_t from, cudaGraphNode_t to);
/// Whether there was such a dependency.
bool disconnect(cudaGraphNode_t from, cudaGraphNode_t to);
/// Whether `node` is `other`, or comes behind it.
bool comesBehind(cudaGraphNode_t node, cudaGraphNode_t other);

/// The nodes in the order in which they are executed.
std::vector<cudaGraphNode_t> executionOrder(const CUgraph_st &graph);
/// The node of the clone, or of a graph inside, that is a copy of `original`; null: there is none.
cudaGraphNode_t findCopy(const CUgraph_st &clone, const CUgraphNode_st &original);

/// The work of a kernel node: copies the arguments. What would make a launch fail is an error here.
cudaError_t makeKernelWork(const void *handle, dim3 grid, dim3 block, void **arguments, std::size_t shared,
                           const Company &company, Work &work);
CopyWork copyRowsWork(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                      std::size_t width, std::size_t rows, cudaMemcpyKind kind);

} // namespace cupr::cpu

#endif
