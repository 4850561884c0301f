/// The executable graphs of a GPU, and how launches of them are traced.
///
/// A graph bakes its kernels' arguments in, and so the number of the launch, by which records are told apart.
/// Before each launch of an executable graph its kernel nodes are therefore given the traced variant of
/// their kernel, with a new number, in the executable graph alone: launches that are enqueued are
/// not affected by that (cudaGraphExecKernelNodeSetParams), and the program's graph, with what it reads
/// back from there, stays as it is.
///
/// In an executable graph a node is named by the one that it was made from. So a graph which the program
/// destroys lives on until the executable graphs made from it are gone, too.
///
/// Threads: as CUDA has it, the program sees to it that a graph is used by one thread at a time. The
/// functions are for any thread.
#ifndef CUPR_RUNTIME_EXECUTABLE_GRAPH_H
#define CUPR_RUNTIME_EXECUTABLE_GRAPH_H

#include "graph_shape.h"
#include "graph_transfer.h"
#include "hostlib/runtime/driver/driver.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/kernels/traced_function.h"

#include <cuda_runtime_api.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cupr::host {

/// A kernel node.
class GraphKernel {
public:
  /// As the driver describes a node of a graph; `node` is that of the graph which the executable one was made
  /// from.
  GraphKernel(const Driver &driver, CUgraphNode node, std::uint32_t step,
              const CUDA_KERNEL_NODE_PARAMS &given);
  GraphKernel(GraphKernel &&) = default;
  GraphKernel &operator=(GraphKernel &&) = default;

  CUgraphNode node() const { return node_; }
  std::uint32_t step() const { return step_; }   ///< in GraphWork::steps
  const void *handle() const { return handle_; } ///< null: the kernel is not of this program's objects
  const Kernel &kernel() const { return *kernel_; }
  dim3 grid() const { return {plain_.gridDimX, plain_.gridDimY, plain_.gridDimZ}; }
  dim3 block() const { return {plain_.blockDimX, plain_.blockDimY, plain_.blockDimZ}; }
  unsigned sharedBytes() const { return plain_.sharedMemBytes; }
  /// The plain kernel's arguments, the trace argument of an augmented one among them.
  const std::vector<std::vector<std::byte>> &arguments() const { return values_; }
  CUcontext context() const { return plain_.ctx; }

  bool isEnabled = true;
  std::string reason; ///< why it is never traced; empty: it can be

  /// What the node launches from the next launch on: this variant of the kernel, or the kernel.
  CUresult setTraced(const Driver &driver, CUgraphExec executable, const TracedFunction &function,
                     CUfunction variant, const Trace &trace);
  CUresult setPlain(const Driver &driver, CUgraphExec executable);
  /// The driver has let the node be traced before.
  bool wasTraced() const { return wasTraced_; }

private:
  CUgraphNode node_;
  std::uint32_t step_;
  const void *handle_ = nullptr;
  std::shared_ptr<const Kernel> foreign_; ///< behind `kernel_` where it isn't one of the table
  const Kernel *kernel_ = nullptr;
  CUDA_KERNEL_NODE_PARAMS plain_{};
  std::vector<std::vector<std::byte>> values_; ///< of the plain kernel's arguments
  std::vector<void *> arguments_;              ///< to them
  bool isTraced_ = false;                      ///< now, in the executable graph
  bool wasTraced_ = false;
};

/// A node that copies or sets.
struct GraphTransferNode {
  CUgraphNode node;
  std::uint32_t step; ///< in GraphWork::steps
  GraphTransfer transfer;
  bool isEnabled = true;
};

/// What the nodes do, in an order in which they may run.
struct GraphWork {
  std::vector<GraphShape::Step> steps;
  std::vector<GraphKernel> kernels;         ///< by ascending step; the bodies of a conditional node have one
  std::vector<GraphTransferNode> transfers; ///< by ascending step

  GraphKernel *kernel(CUgraphNode node);
  GraphTransferNode *transfer(CUgraphNode node);
};

struct ExecutableGraph {
  CUgraphExec handle;
  cudaGraph_t source; ///< that it was made from
  GraphShape shape;   ///< of the source, then
  bool fromDevice;    ///< kernels may launch it
  std::mutex mutex;   ///< guards what follows
  GraphWork work;

  void setAllPlain(const Driver &driver);
};

/// `executable` was made from `graph`, with these flags (cudaGraphInstantiateFlag...).
void keepExecutable(cudaGraphExec_t executable, cudaGraph_t graph, unsigned long long flags);
/// It was updated with `graph`; or, if `node` is not null, the child graph of that node was.
void updateExecutable(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t node);
/// A kernel node got new parameters, those of `kernel`, as the plain kernel takes them.
void changeKernel(cudaGraphExec_t executable, cudaGraphNode_t node, const void *handle, dim3 grid, dim3 block,
                  unsigned sharedBytes, void **arguments);
/// A node that copies or sets got new parameters.
void changeTransfer(cudaGraphExec_t executable, cudaGraphNode_t node, GraphTransfer transfer);
void setEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, bool isEnabled);
/// The bodies of a conditional node.
void keepConditional(cudaGraphNode_t node, const cudaGraph_t *bodies, std::size_t count);
/// A node is about to be removed from its graph.
void forgetNode(cudaGraphNode_t node);
/// `executable` is about to be destroyed.
void forgetExecutable(cudaGraphExec_t executable);
/// The contexts are about to go, or tracing ends: all nodes launch plain kernels again.
void forgetGraphs();
/// The program destroys a graph. Whether it is still needed, and will be destroyed later.
bool destroyLater(cudaGraph_t graph);

/// Null: it is not known.
std::shared_ptr<ExecutableGraph> findExecutable(cudaGraphExec_t executable);

} // namespace cupr::host

#endif
