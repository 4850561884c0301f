/// A random undirected graph in compressed form: the same one for the same
/// number of nodes, on every machine.
#ifndef BFS_GRAPH_H
#define BFS_GRAPH_H

#include <cstdint>
#include <vector>

/// Where a node's neighbours lie in Graph::neighbours.
struct Node {
  int first;
  int count;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<int> neighbours;
};

/// Each node gets three random partners; an edge counts for both ends, so the
/// average degree is 6. Nodes are numbered from 0.
Graph makeGraph(int nodeCount);

/// Distance in edges of each node from `source`; kUnreached where there is no path.
std::vector<int> searchOnHost(const Graph &graph, int source);

constexpr int kUnreached = -1;

/// The same on the device. Empty when a CUDA call failed, after saying which.
/// `levels` receives the number of rounds.
std::vector<int> searchOnDevice(const Graph &graph, int source, int &levels);

#endif
