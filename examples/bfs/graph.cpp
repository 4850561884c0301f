/// Generator and the plain search on the host.
#include "graph.h"

#include <utility>

namespace {

/// splitmix64: small, and well distributed from any seed.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  int below(int bound) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return static_cast<int>(((mixed >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

private:
  std::uint64_t state_;
};

} // namespace

Graph makeGraph(int nodeCount) {
  Random random(static_cast<std::uint64_t>(nodeCount));
  std::vector<std::pair<int, int>> edges;
  edges.reserve(3u * static_cast<std::size_t>(nodeCount));
  for (int node = 0; node < nodeCount; ++node)
    for (int partner = 0; partner < 3; ++partner)
      edges.emplace_back(node, random.below(nodeCount));

  Graph graph;
  graph.nodes.assign(nodeCount, Node{0, 0});
  for (const std::pair<int, int> &edge : edges) {
    ++graph.nodes[edge.first].count;
    ++graph.nodes[edge.second].count;
  }
  int next = 0;
  for (Node &node : graph.nodes) {
    node.first = next;
    next += node.count;
    node.count = 0; // counts again while the list is filled
  }
  graph.neighbours.resize(next);
  const auto link = [&](int from, int to) {
    Node &node = graph.nodes[from];
    graph.neighbours[node.first + node.count++] = to;
  };
  for (const std::pair<int, int> &edge : edges) {
    link(edge.first, edge.second);
    link(edge.second, edge.first);
  }
  return graph;
}

std::vector<int> searchOnHost(const Graph &graph, int source) {
  std::vector<int> distance(graph.nodes.size(), kUnreached);
  std::vector<int> queue{source};
  distance[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int from = queue[head];
    const Node node = graph.nodes[from];
    for (int edge = node.first; edge < node.first + node.count; ++edge) {
      const int to = graph.neighbours[edge];
      if (distance[to] != kUnreached)
        continue;
      distance[to] = distance[from] + 1;
      queue.push_back(to);
    }
  }
  return distance;
}
