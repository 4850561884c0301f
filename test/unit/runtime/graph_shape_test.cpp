#include "hostlib/runtime/graphs/graph_shape.h"

#include <catch2/catch.hpp>
#include <map>

using namespace cupr::host;

namespace {

CUgraphNode handle(std::size_t number) { return reinterpret_cast<CUgraphNode>(number); }

constexpr CUgraphNodeType kKernel = CU_GRAPH_NODE_TYPE_KERNEL, kCopy = CU_GRAPH_NODE_TYPE_MEMCPY;

/// Nodes first, first + 1, ... with these types and dependencies.
GraphShape graph(std::size_t first, std::vector<std::pair<CUgraphNodeType, std::vector<std::size_t>>> nodes) {
  GraphShape shape;
  for (auto &[type, dependencies] : nodes)
    shape.nodes.push_back({handle(first++), type, std::move(dependencies), {}});
  return shape;
}

std::vector<std::size_t> order(const GraphShape &shape) {
  std::vector<std::size_t> numbers;
  for (const GraphShape::Step &step : shape.executionOrder())
    numbers.push_back(reinterpret_cast<std::size_t>(step.node));
  return numbers;
}

using Steps = std::vector<std::vector<std::uint32_t>>;

/// What each step waits for.
Steps waits(const GraphShape &shape) {
  Steps result;
  for (const GraphShape::Step &step : shape.executionOrder())
    result.push_back(step.after);
  return result;
}

/// By the number of mine; empty: not alike.
std::map<std::size_t, std::size_t> paired(const GraphShape &mine, const GraphShape &other) {
  std::map<std::size_t, std::size_t> numbers;
  if (const auto pairs = pairNodes(mine, other))
    for (const auto &[a, b] : *pairs)
      numbers[reinterpret_cast<std::size_t>(a)] = reinterpret_cast<std::size_t>(b);
  return numbers;
}

using Numbers = std::map<std::size_t, std::size_t>;

} // namespace

TEST_CASE("nodes run behind what they depend on, otherwise as they were added") {
  // 1 behind 3, 3 behind 2; 4 depends on nothing.
  CHECK(order(graph(1, {{kKernel, {2}}, {kKernel, {}}, {kKernel, {1}}, {kKernel, {}}})) ==
        std::vector<std::size_t>{2, 3, 1, 4});
}

TEST_CASE("a child graph's nodes run in its place") {
  GraphShape parent = graph(1, {{CU_GRAPH_NODE_TYPE_GRAPH, {}}, {kKernel, {0}}});
  parent.nodes[0].inside.push_back(graph(10, {{kKernel, {1}}, {kKernel, {}}}));
  CHECK(order(parent) == std::vector<std::size_t>{1, 11, 10, 2});
}

TEST_CASE("steps wait for what their nodes depend on") {
  // 1 behind 3, 3 behind 2; 4 behind 1 and 2, though 1 follows from 2.
  CHECK(waits(graph(1, {{kKernel, {2}}, {kKernel, {}}, {kKernel, {1}}, {kKernel, {0, 1}}})) ==
        Steps{{}, {0}, {1}, {0, 2}});
}

TEST_CASE("a child graph's first nodes wait for it, and what is behind it for its last nodes") {
  GraphShape parent = graph(1, {{kKernel, {}}, {CU_GRAPH_NODE_TYPE_GRAPH, {0}}, {kKernel, {1}}});
  parent.nodes[1].inside.push_back(graph(10, {{kKernel, {}}, {kKernel, {}}, {kKernel, {0}}}));
  CHECK(order(parent) == std::vector<std::size_t>{1, 2, 10, 11, 12, 3});
  CHECK(waits(parent) == Steps{{}, {0}, {1}, {1}, {2}, {3, 4}});
  parent.nodes[1].inside[0].nodes.clear();
  CHECK(waits(parent) == Steps{{}, {0}, {1}});
}

TEST_CASE("acts wait through nodes that have none") {
  // 0 and 1 without a common end; 2, empty, joins them; 3 and 4 behind it.
  const auto shape = graph(
      1, {{kKernel, {}}, {kKernel, {}}, {CU_GRAPH_NODE_TYPE_EMPTY, {0, 1}}, {kKernel, {2}}, {kCopy, {2, 3}}});
  const auto steps = shape.executionOrder();
  CHECK(awaitedActs(steps, {true, true, false, true, true}) == Steps{{}, {}, {0, 1}, {0, 1}, {0, 1, 3}});
  CHECK(awaitedActs(steps, {true, false, false, false, true})[4] == std::vector<std::uint32_t>{0});
}

TEST_CASE("nodes are paired backwards from the last ones") {
  const auto chain = graph(1, {{kCopy, {}}, {kKernel, {0}}, {kKernel, {1}}});
  // The same chain, added in another order.
  CHECK(paired(chain, graph(21, {{kKernel, {1}}, {kKernel, {2}}, {kCopy, {}}})) ==
        Numbers{{1, 23}, {2, 22}, {3, 21}});
}

TEST_CASE("several last nodes are paired in their order, dependencies in theirs") {
  const auto fork = graph(1, {{kKernel, {}}, {kKernel, {0}}, {kKernel, {0}}});
  CHECK(paired(fork, graph(21, {{kKernel, {}}, {kKernel, {0}}, {kKernel, {0}}})) ==
        Numbers{{1, 21}, {2, 22}, {3, 23}});
  const auto join = graph(1, {{kKernel, {}}, {kKernel, {}}, {kKernel, {0, 1}}});
  CHECK(paired(join, graph(21, {{kKernel, {}}, {kKernel, {}}, {kKernel, {1, 0}}})) ==
        Numbers{{1, 22}, {2, 21}, {3, 23}});
}

TEST_CASE("the nodes of child graphs are paired, too") {
  GraphShape mine = graph(1, {{CU_GRAPH_NODE_TYPE_GRAPH, {}}});
  GraphShape other = graph(2, {{CU_GRAPH_NODE_TYPE_GRAPH, {}}});
  mine.nodes[0].inside.push_back(graph(10, {{kKernel, {}}, {kCopy, {0}}}));
  other.nodes[0].inside.push_back(graph(20, {{kKernel, {}}, {kCopy, {0}}}));
  CHECK(paired(mine, other) == Numbers{{1, 2}, {10, 20}, {11, 21}});
  other.nodes[0].inside[0].nodes[1].type = kKernel;
  CHECK(paired(mine, other).empty());
}

TEST_CASE("graphs that differ are not paired") {
  const auto diamond = graph(1, {{kKernel, {}}, {kKernel, {0}}, {kKernel, {0}}, {kKernel, {1, 2}}});
  SECTION("in the number of nodes") {
    CHECK(paired(diamond, graph(21, {{kKernel, {}}, {kKernel, {0}}, {kKernel, {1}}})).empty());
  }
  SECTION("in the number of last nodes") {
    CHECK(
        paired(diamond, graph(21, {{kKernel, {}}, {kKernel, {0}}, {kKernel, {0}}, {kKernel, {0}}})).empty());
  }
  SECTION("in a type") {
    CHECK(
        paired(diamond, graph(21, {{kKernel, {}}, {kKernel, {0}}, {kCopy, {0}}, {kKernel, {1, 2}}})).empty());
  }
  SECTION("in what two nodes have in common") {
    CHECK(paired(diamond, graph(21, {{kKernel, {}}, {kKernel, {}}, {kKernel, {0}}, {kKernel, {1, 2}}}))
              .empty());
    const auto apart =
        graph(21, {{kKernel, {}}, {kKernel, {}}, {kKernel, {0}}, {kKernel, {1}}, {kKernel, {2, 3}}});
    const auto together =
        graph(1, {{kKernel, {}}, {kKernel, {}}, {kKernel, {0}}, {kKernel, {0}}, {kKernel, {2, 3}}});
    CHECK(paired(together, apart).empty());
  }
}
