/// bfs: how far is every node of a graph from node 0? Breadth-first search,
/// level by level.
///
///     bfs [nodes]      default: 1000000
///
/// Prints the number of levels and a hash of all distances; exit 1 when the
/// device's answer is not the host's.
#include "graph.h"

#include <cstdio>
#include <cstdlib>

/// FNV-1a over the distances.
static std::uint64_t hashOf(const std::vector<int> &values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int value : values)
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x100000001b3u;
  return hash;
}

int main(int argc, char **argv) {
  const int nodeCount = argc > 1 ? std::atoi(argv[1]) : 1000000;
  if (nodeCount < 1 || nodeCount > 100000000) {
    std::fprintf(stderr, "usage: bfs [nodes, 1 to 100000000]\n");
    return 2;
  }
  const Graph graph = makeGraph(nodeCount);
  int levels = 0;
  const std::vector<int> device = searchOnDevice(graph, 0, levels);
  if (device.empty())
    return 1;
  const bool equal = device == searchOnHost(graph, 0);
  std::printf("bfs: %d nodes, %zu edges, %d levels, hash %016llx, %s\n", nodeCount,
              graph.neighbours.size() / 2, levels, static_cast<unsigned long long>(hashOf(device)),
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
