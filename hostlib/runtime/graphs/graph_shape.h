/// The nodes of a graph and their dependencies, as plain data: the order in which nodes run, and which nodes
/// of two graphs belong together when the driver updates an executable graph with another graph.
///
/// Threads: none of its own.
#ifndef CUPR_RUNTIME_GRAPH_SHAPE_H
#define CUPR_RUNTIME_GRAPH_SHAPE_H

#include <cstddef>
#include <cstdint>
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

  struct Step {
    CUgraphNode node;
    std::vector<std::uint32_t> after; ///< steps that it waits for, all before it, ascending
  };
  /// The nodes, those of a child graph behind it, in an order in which they may run: of those that may be
  /// next, the one that was added first.
  std::vector<Step> executionOrder() const;
};

/// By step: the steps with acts that it waits for, through those that have none. `acts`: by step.
std::vector<std::vector<std::uint32_t>> awaitedActs(const std::vector<GraphShape::Step> &steps,
                                                    const std::vector<bool> &acts);

/// Which node of `other` belongs to which of `mine`, those of child graphs included. Found as
/// cudaGraphExecUpdate does (its documentation): the nodes behind which nothing comes are paired in their
/// order, and then the dependencies of each pair in theirs. Nothing when the graphs are not alike.
std::optional<std::vector<std::pair<CUgraphNode, CUgraphNode>>> pairNodes(const GraphShape &mine,
                                                                          const GraphShape &other);

} // namespace cupr::host

#endif
