#include "reuse_stack.h"

#include <algorithm>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::size_t kFewestTimes = 1024;

} // namespace

void ReuseStack::mark(std::uint32_t time, std::int32_t change) {
  for (std::size_t node = std::size_t{time} + 1; node < tree_.size(); node += node & -node)
    tree_[node] += static_cast<std::uint32_t>(change);
}

std::uint64_t ReuseStack::marksUpTo(std::uint32_t time) const {
  std::uint64_t marks = 0;
  for (std::size_t node = std::size_t{time} + 1; node != 0; node &= node - 1)
    marks += tree_[node];
  return marks;
}

/// In the order of their last uses; with as many times free as are taken, and more.
void ReuseStack::renumber() {
  std::vector<std::pair<std::uint32_t, Thing *>> byTime;
  byTime.reserve(things_.size());
  for (auto &[key, thing] : things_)
    byTime.emplace_back(thing.time, &thing);
  std::ranges::sort(byTime);
  now_ = 0;
  for (const auto &[time, thing] : byTime)
    thing->time = now_++;
  tree_.assign(std::max(2 * byTime.size(), kFewestTimes) + 1, 0);
  for (std::size_t node = 1; node < tree_.size(); ++node) {
    tree_[node] += node <= now_;
    if (const std::size_t above = node + (node & -node); above < tree_.size())
      tree_[above] += tree_[node];
  }
}

ReuseStack::Use ReuseStack::use(std::uint64_t key) {
  if (std::size_t{now_} + 1 >= tree_.size())
    renumber();
  const auto [place, isNew] = things_.try_emplace(key);
  Thing &thing = place->second;
  std::optional<std::uint64_t> distance;
  if (!isNew) {
    distance = things_.size() - marksUpTo(thing.time);
    mark(thing.time, -1);
  }
  thing.time = now_++;
  mark(thing.time, 1);
  return {distance, thing};
}

void ReuseStack::clear() {
  things_.clear();
  tree_.clear();
  now_ = 0;
}

} // namespace cupr::analysis
