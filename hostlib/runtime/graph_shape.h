/// The nodes of a graph and their dependencies, as plain data: the order in which nodes run, and which nodes
/// of two graphs belong together when the driver updates an executable graph with another graph.
///
/// Threads: none of its own.
#ifndef CUPR_RUNTIME_GRAPH_SHAPE_H
#define CUPR_RUNTIME_GRAPH_SHAPE_H

#include <cstddef>
#include <cuda.h>
#include <optional>
#include <utility>
#include <vector>

namespace cupr::host {

struct Driver;

struct GraphShape {
  struct Node {
    CUgraphNode handle;
    CUgraphNodeType type;
    std::vector<std::size_t> dependencies; ///< indices in `nodes`
    std::vector<GraphShape> inside;        ///< of a child graph: one
  };
  std::vector<Node> nodes; ///< in the order in which they were added

  /// Null handles and no nodes where the driver can't tell.
  static GraphShape read(const Driver &driver, CUgraph graph);

  /// The nodes, with those of child graphs in the place of these, in an order in which they may run: of those
  /// that may be next, the one that was added first.
  std::vector<CUgraphNode> executionOrder() const;
};

/// Which node of `other` belongs to which of `mine`, those of child graphs included. Found as
/// cudaGraphExecUpdate does (its documentation): the nodes behind which nothing comes are paired in their
/// order, and then the dependencies of each pair in theirs. Nothing when the graphs are not alike.
std::optional<std::vector<std::pair<CUgraphNode, CUgraphNode>>> pairNodes(const GraphShape &mine,
                                                                          const GraphShape &other);

} // namespace cupr::host

#endif
