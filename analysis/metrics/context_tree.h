/// A tree of calling contexts in the making.
#ifndef CUPR_ANALYSIS_CONTEXT_TREE_H
#define CUPR_ANALYSIS_CONTEXT_TREE_H

#include "analysis/model/source_loops.h"
#include "profile.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Nodes by what tells them apart below one parent.
class ContextTree {
public:
  explicit ContextTree(const Model &model) : model_(model) { nodes_.emplace_back(); }

  std::uint32_t child(std::uint32_t parent, ContextKind kind, std::string_view name,
                      std::string_view file = {}, std::uint32_t line = 0, std::string_view object = {},
                      std::uint32_t column = 0) {
    const Key key{parent, kind, std::string(name), std::string(file), line, std::string(object), column};
    const auto [known, isNew] = children_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    model_.limit().spend(kSteps, [] { return std::string("the tree of calling contexts"); });
    if (isNew) {
      model_.limit().keep(2 * (sizeof(ProfileNode) + name.size() + file.size() + object.size()),
                          [] { return std::string("the tree of calling contexts"); });
      ProfileNode node;
      node.kind = kind;
      node.parent = parent;
      node.depth = nodes_[parent].depth + 1;
      node.name = name;
      node.file = file;
      node.line = line;
      node.column = column;
      node.object = object;
      nodes_.push_back(std::move(node));
    }
    return known->second;
  }
  /// The innermost of the loops around a place in the function `within`; itself where there are none.
  std::uint32_t loops(std::uint32_t within, SourceLoops &loops, LoopSide side, std::string_view file,
                      std::uint32_t line, std::uint32_t column) {
    for (const abi::SourceLoop &loop : loops.at(side, file, line, column))
      within = child(within, ContextKind::Loop, abi::loopKindName(loop.kind), file, loop.begin.line, {},
                     loop.begin.column);
    return within;
  }
  ProfileNode &operator[](std::uint32_t node) { return nodes_[node]; }
  std::vector<ProfileNode> take() { return std::move(nodes_); }

private:
  static constexpr std::uint64_t kSteps = 1000; ///< for a look-up
  using Key = std::tuple<std::uint32_t, ContextKind, std::string, std::string, std::uint32_t, std::string,
                         std::uint32_t>;
  const Model &model_;
  std::vector<ProfileNode> nodes_;
  std::map<Key, std::uint32_t> children_;
};

} // namespace cupr::analysis

#endif
