/// Sums by key from several sources, each of which has its own in ascending order: merging takes a step of a heap for each of them.
#ifndef CUPR_ANALYSIS_MERGED_SUMS_H
#define CUPR_ANALYSIS_MERGED_SUMS_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cupr::analysis {

/// Goes on behind it. Mostly it is the same source's turn again: then that takes two comparisons.
template <typename Cursor> void passLowest(std::vector<Cursor *> &heads) {
  Cursor *moved = heads.front();
  if (!moved->next()) {
    moved = heads.back();
    heads.pop_back();
    if (heads.empty())
      return;
  }
  std::size_t place = 0;
  for (std::size_t below; (below = 2 * place + 1) < heads.size(); place = below) {
    if (below + 1 < heads.size() && heads[below + 1]->entry().before(heads[below]->entry()))
      ++below;
    if (!heads[below]->entry().before(moved->entry()))
      break;
    heads[place] = heads[below];
  }
  heads[place] = moved;
}

/// Calls `visitor(sum)` for every key, ascending, as long as it returns true; returns whether it always did.
/// `Cursor`: next(), false if there are no more, and entry(), with `before(other)`, an order of keys, and
/// `add(other)`, for one with the same key.
template <typename Cursor, typename Visitor>
bool forEachMerged(std::vector<Cursor> &cursors, Visitor &visitor) {
  std::vector<Cursor *> heads; // a heap with the lowest in front
  for (Cursor &cursor : cursors)
    if (cursor.next())
      heads.push_back(&cursor);
  std::make_heap(heads.begin(), heads.end(),
                 [](const Cursor *a, const Cursor *b) { return b->entry().before(a->entry()); });
  while (!heads.empty()) {
    auto sum = heads.front()->entry();
    for (passLowest(heads); !heads.empty() && !sum.before(heads.front()->entry()); passLowest(heads))
      sum.add(heads.front()->entry());
    if (!visitor(sum))
      return false;
  }
  return true;
}

} // namespace cupr::analysis

#endif
