/// Memory that is asked for before it is needed.
///
/// What is known of scattered addresses lies in a few places each, and each would have to be waited for. A
/// processor fetches a dozen of them at a time, if it is told early enough: first the block of a shadow, and,
/// when that has come, what it holds.
#ifndef CUPR_ANALYSIS_PREFETCH_AHEAD_H
#define CUPR_ANALYSIS_PREFETCH_AHEAD_H

#include "memory_page.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace cupr::analysis {

/// Of `all`, whose elements have a `begin`, number `i` is next. Calls `each(one that comes, ask)`, which calls
/// `ask(shadow, address)` for all shadows that will be looked at.
template <typename Each, typename One>
void prefetchAhead(std::span<const One> all, std::size_t i, Each each) {
  constexpr std::size_t kBlockAhead = 12, kCellAhead = 6;
  // Blocks of a page lie together.
  if (const std::size_t ahead = i + kBlockAhead;
      ahead < all.size() && all[ahead].begin >> kPageShift != all[ahead - 1].begin >> kPageShift)
    each(all[ahead], [](const auto &shadow, std::uint64_t address) { shadow.prefetchBlock(address); });
  if (const std::size_t ahead = i + kCellAhead; ahead < all.size())
    each(all[ahead], [](const auto &shadow, std::uint64_t address) { shadow.prefetchCell(address); });
}

} // namespace cupr::analysis

#endif
