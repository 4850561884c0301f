/// What follows from the tree of calling contexts: the same from the inside to the outside, and procedures wherever they are called.
#include "context_tree.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerProcedure = 200;

bool hasFigures(const ProfileFigures &figures) { return figures != ProfileFigures(); }

/// Of a loop the function that it stands in; of all else itself.
const ProfileNode &functionOf(const Profile &profile, const ProfileNode &node) {
  const ProfileNode *at = &node;
  while (at->kind == ContextKind::Loop)
    at = &profile.nodes[at->parent];
  return *at;
}

} // namespace

Profile bottomUp(const Model &model, const Profile &topDown) {
  ContextTree tree(model);
  for (const ProfileNode &node : topDown.nodes) {
    if (!hasFigures(node.own))
      continue;
    std::uint32_t at = 0;
    for (const ProfileNode *caller = &functionOf(topDown, node); caller->kind != ContextKind::Program;
         caller = &topDown.nodes[caller->parent]) {
      const bool isFirst = at == 0;
      const bool isPlace =
          isFirst || caller->kind == ContextKind::Loop; // of callers places are not told apart
      at = tree.child(at, caller->kind, caller->name, isPlace ? caller->file : "", isPlace ? caller->line : 0,
                      caller->object, caller->column);
      tree[at].total += node.own;
      if (isFirst)
        tree[at].own += node.own;
    }
    tree[0].total += node.own;
  }
  Profile profile;
  profile.nodes = tree.take();
  profile.nodes[0].own = profile.nodes[0].total;
  profile.threads = topDown.threads;
  profile.samplings = topDown.samplings;
  profile.executionTime = topDown.executionTime;
  return profile;
}

std::vector<Procedure> proceduresOf(const Model &model, const Profile &topDown) {
  std::map<std::tuple<ContextKind, std::string, std::string, std::string, std::uint32_t, std::uint32_t>,
           std::size_t>
      numbers;
  std::vector<Procedure> procedures;
  std::vector<std::size_t> procedureOf; // of each node
  constexpr std::size_t kNone = SIZE_MAX;
  for (const ProfileNode &node : topDown.nodes) {
    const bool isLoop = node.kind == ContextKind::Loop;
    if (node.kind == ContextKind::Program || node.kind == ContextKind::Access) {
      procedureOf.push_back(kNone);
    } else {
      const auto [known, isNew] = numbers.try_emplace(
          {node.kind, node.name, node.object, isLoop ? node.file : "", isLoop ? node.line : 0, node.column},
          procedures.size());
      if (isNew)
        procedures.push_back({node.kind,
                              node.name,
                              node.object,
                              isLoop ? node.file : "",
                              isLoop ? node.line : 0,
                              node.column,
                              {},
                              {}});
      procedureOf.push_back(known->second);
    }
    if (node.kind == ContextKind::Program)
      continue;
    // What a function accesses is its own, and what is a loop's own.
    const std::uint32_t at = node.kind == ContextKind::Access ? node.parent : &node - topDown.nodes.data();
    const ProfileNode &function = functionOf(topDown, topDown.nodes[at]);
    procedures[procedureOf[at]].own += node.own;
    if (&function != &topDown.nodes[at])
      procedures[procedureOf[static_cast<std::size_t>(&function - topDown.nodes.data())]].own += node.own;
  }
  // Children follow their parents, not one behind the other: paths are walked by lists of children.
  std::vector<std::vector<std::uint32_t>> children(topDown.nodes.size());
  for (std::uint32_t i = 1; i < topDown.nodes.size(); ++i)
    children[topDown.nodes[i].parent].push_back(i);
  std::vector<std::uint32_t> open(procedures.size()); // how often it stands on the path
  std::vector<std::pair<std::uint32_t, bool>> walk{{0, false}};
  while (!walk.empty()) {
    const auto [node, isLeft] = walk.back();
    walk.pop_back();
    const std::size_t procedure = procedureOf[node];
    if (isLeft) {
      --open[procedure];
      continue;
    }
    model.limit().spend(kStepsPerProcedure,
                        [] { return std::string("the procedures of its calling contexts"); });
    if (procedure != kNone) {
      if (open[procedure]++ == 0)
        procedures[procedure].total += topDown.nodes[node].total;
      walk.emplace_back(node, true);
    }
    for (const std::uint32_t child : children[node])
      walk.emplace_back(child, false);
  }
  return procedures;
}

} // namespace cupr::analysis
