/// What a thread of the search does with its node.
///
/// The arrays have one byte per node: `frontier` marks the nodes of this round,
/// `reached` those with a final distance, `found` those that this round came
/// upon. Within a kernel no byte is read that the same kernel writes for another
/// node, and all who write one word write the same value: which accesses are
/// made does not depend on the order of the threads.
#ifndef BFS_FRONTIER_CUH
#define BFS_FRONTIER_CUH

#include "graph.h"

struct Frontier {
  unsigned char *frontier;
  unsigned char *reached;
  unsigned char *found;
  int *distance;
};

/// Marks the neighbour `to` as found in the round that gives distance `level`.
__device__ inline void discover(const Frontier &state, int to, int level) {
  if (state.reached[to])
    return;
  state.distance[to] = level;
  state.found[to] = 1;
}

/// Looks at all neighbours of `node`.
__device__ inline void expand(const Frontier &state, const Node *nodes, const int *neighbours, int node,
                              int level) {
  const Node range = nodes[node];
  for (int edge = range.first; edge < range.first + range.count; ++edge)
    discover(state, neighbours[edge], level);
}

#endif
