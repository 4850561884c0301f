#include "graph_shape.h"

#include "hostlib/runtime/driver/driver.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

namespace cupr::host {
namespace {

std::vector<CUgraphNode> nodesOf(const Driver &driver, CUgraph graph) {
  std::size_t count = 0;
  if (driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS)
    return {};
  std::vector<CUgraphNode> nodes(count);
  if (driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS)
    return {};
  nodes.resize(count);
  return nodes;
}

std::vector<CUgraphNode> dependenciesOf(const Driver &driver, CUgraphNode node) {
  std::size_t count = 0;
  if (driver.cuGraphNodeGetDependencies(node, nullptr, nullptr, &count) != CUDA_SUCCESS || count == 0)
    return {};
  std::vector<CUgraphNode> nodes(count);
  std::vector<CUgraphEdgeData> edges(count); // without them the call fails where an edge isn't a plain one
  if (driver.cuGraphNodeGetDependencies(node, nodes.data(), edges.data(), &count) != CUDA_SUCCESS)
    return {};
  nodes.resize(count);
  return nodes;
}

std::vector<std::vector<std::size_t>> dependentsOf(const GraphShape &graph) {
  std::vector<std::vector<std::size_t>> dependents(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::size_t dependency : graph.nodes[i].dependencies)
      dependents[dependency].push_back(i);
  return dependents;
}

std::vector<std::size_t> lastNodes(const GraphShape &graph) {
  const auto dependents = dependentsOf(graph);
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (dependents[i].empty())
      last.push_back(i);
  return last;
}

using Steps = std::vector<std::uint32_t>;

/// Adds what is not there yet; both ascend.
void unite(Steps &all, const Steps &more) {
  Steps united;
  std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(united));
  all = std::move(united);
}

/// The nodes of `graph`, the first of which wait for `before`. The steps that its last ones are; `before`, if
/// it has none.
Steps appendOrder(const GraphShape &graph, const Steps &before, std::vector<GraphShape::Step> &order) {
  const auto dependents = dependentsOf(graph);
  std::vector<std::size_t> awaited;
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    awaited.push_back(graph.nodes[i].dependencies.size());
    if (awaited[i] == 0)
      ready.insert(i);
  }
  std::vector<Steps> ends(graph.nodes.size()); // what it means to wait for the node
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    Steps after = graph.nodes[next].dependencies.empty() ? before : Steps{};
    for (const std::size_t dependency : graph.nodes[next].dependencies)
      unite(after, ends[dependency]);
    ends[next] = {static_cast<std::uint32_t>(order.size())};
    order.push_back({graph.nodes[next].handle, std::move(after)});
    for (const GraphShape &child : graph.nodes[next].inside)
      ends[next] = appendOrder(child, Steps(ends[next]), order);
    for (const std::size_t dependent : dependents[next])
      if (--awaited[dependent] == 0)
        ready.insert(dependent);
  }
  Steps last;
  for (const std::size_t node : lastNodes(graph))
    unite(last, ends[node]);
  return last.empty() ? before : last;
}

using Pairs = std::vector<std::pair<CUgraphNode, CUgraphNode>>;

bool appendPairs(const GraphShape &mine, const GraphShape &other, Pairs &pairs) {
  const std::vector<std::size_t> myLast = lastNodes(mine), otherLast = lastNodes(other);
  if (mine.nodes.size() != other.nodes.size() || myLast.size() != otherLast.size())
    return false;
  std::unordered_map<std::size_t, std::size_t> partner;
  std::vector<std::size_t> open = myLast;
  for (std::size_t i = 0; i < myLast.size(); ++i)
    partner[myLast[i]] = otherLast[i];
  while (!open.empty()) {
    const GraphShape::Node &a = mine.nodes[open.back()], &b = other.nodes[partner[open.back()]];
    open.pop_back();
    if (a.type != b.type || a.dependencies.size() != b.dependencies.size() ||
        a.inside.size() != b.inside.size())
      return false;
    pairs.emplace_back(a.handle, b.handle);
    for (std::size_t i = 0; i < a.inside.size(); ++i)
      if (!appendPairs(a.inside[i], b.inside[i], pairs))
        return false;
    for (std::size_t i = 0; i < a.dependencies.size(); ++i) {
      const auto [pair, isNew] = partner.emplace(a.dependencies[i], b.dependencies[i]);
      if (isNew)
        open.push_back(a.dependencies[i]);
      else if (pair->second != b.dependencies[i])
        return false;
    }
  }
  return true;
}

} // namespace

GraphShape GraphShape::read(const Driver &driver, CUgraph graph) {
  GraphShape shape;
  const std::vector<CUgraphNode> nodes = nodesOf(driver, graph);
  std::unordered_map<CUgraphNode, std::size_t> indices;
  for (const CUgraphNode node : nodes)
    indices.emplace(node, indices.size());
  for (const CUgraphNode node : nodes) {
    Node known{node, CU_GRAPH_NODE_TYPE_EMPTY, {}, {}};
    driver.cuGraphNodeGetType(node, &known.type);
    for (const CUgraphNode dependency : dependenciesOf(driver, node))
      if (const auto index = indices.find(dependency); index != indices.end())
        known.dependencies.push_back(index->second);
    CUgraph child;
    if (known.type == CU_GRAPH_NODE_TYPE_GRAPH &&
        driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS)
      known.inside.push_back(read(driver, child));
    shape.nodes.push_back(std::move(known));
  }
  return shape;
}

std::vector<GraphShape::Step> GraphShape::executionOrder() const {
  std::vector<Step> order;
  appendOrder(*this, {}, order);
  return order;
}

std::vector<Steps> awaitedActs(const std::vector<GraphShape::Step> &steps, const std::vector<bool> &acts) {
  std::vector<Steps> awaited(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const std::uint32_t step : steps[i].after)
      unite(awaited[i], acts[step] ? Steps{step} : awaited[step]);
  return awaited;
}

std::optional<Pairs> pairNodes(const GraphShape &mine, const GraphShape &other) {
  Pairs pairs;
  if (!appendPairs(mine, other, pairs))
    return std::nullopt;
  return pairs;
}

} // namespace cupr::host
