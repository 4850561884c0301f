/// Which shard of memory has a page.
///
/// What happens to a byte depends on no other byte, so pages could be dealt anyhow; but a copy on the device
/// hands on who wrote its source. So pages that such copies connect, directly or by way of others, lie in one
/// shard: that of the lowest of them. Where source and destination begin at the same offset in a page, as
/// those of whole allocations do, that connects pairs of pages, and the shards stay even. Where they don't, it
/// connects all pages of both, and one shard has them.
#ifndef CUPR_ANALYSIS_PAGE_DEAL_H
#define CUPR_ANALYSIS_PAGE_DEAL_H

#include "hostlib/trace/work_limit.h"
#include "ranges.h"
#include "shadow.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cupr::analysis {

inline constexpr unsigned kShardBits = 6, kShards = 1u << kShardBits;

/// Bytes that are copied to `destination` and behind it.
struct Move {
  Range source;
  std::uint64_t destination = 0;
  Range target() const { return accessRange(destination, source.bytes()); }
  friend bool operator==(const Move &, const Move &) = default;
};

class PageDeal {
public:
  /// Nothing is connected.
  PageDeal() = default;
  /// `moves`: all that copies connect.
  PageDeal(std::vector<Move> moves, trace::WorkLimit &limit);

  unsigned shardOf(std::uint64_t page) const {
    if (parts_.empty())
      return scattered(page);
    const Part *part = partBehind(page);
    return part && part->first <= page ? shards_[part->at + (page - part->first)] : scattered(page);
  }

  /// Calls `visitor(Range)` for the parts of `range` in pages of `shard`, in ascending order.
  template <typename Visitor> void forEachPart(const Range &range, unsigned shard, Visitor visitor) const {
    if (range.begin >= range.end)
      return;
    const std::uint64_t last = (range.end - 1) >> kPageShift;
    std::uint64_t page = range.begin >> kPageShift;
    for (const Part *part = partBehind(page); part && part->first <= last; ++part) {
      if (page < part->first)
        forEachScattered(page, part->first - 1, range, shard, visitor);
      page = std::max(page, part->first);
      const std::uint8_t *const shards = shards_.data() + part->at;
      const std::uint64_t end = std::min(part->end, last + 1) - part->first;
      for (std::uint64_t at = page - part->first; at < end; ++at) {
        const void *const found = std::memchr(shards + at, static_cast<int>(shard), end - at);
        if (!found)
          break;
        at = static_cast<std::uint64_t>(static_cast<const std::uint8_t *>(found) - shards);
        visitor(partOf(range, part->first + at));
      }
      page = part->end;
      if (page > last || part == &parts_.back())
        break;
    }
    if (page <= last)
      forEachScattered(page, last, range, shard, visitor);
  }

private:
  /// Neighbouring pages that are connected with others: [first, end).
  struct Part {
    std::uint64_t first, end;
    std::size_t at; ///< in shards_
  };

  /// Any kShards pages in a row, from a multiple on, are in different shards; and the pages of a column of a
  /// matrix are not all in one.
  static unsigned scattered(std::uint64_t page) {
    page ^= page >> 24;
    page ^= page >> 12;
    return static_cast<unsigned>(page ^ page >> kShardBits) % kShards;
  }
  static Range partOf(const Range &range, std::uint64_t page) {
    const std::uint64_t begin = std::max(range.begin, page << kPageShift);
    const bool isLast = page == (range.end - 1) >> kPageShift;
    return {begin, isLast ? range.end : (page + 1) << kPageShift};
  }
  /// Of the pages from `first` to `last`, with which no other is connected.
  template <typename Visitor>
  static void forEachScattered(std::uint64_t first, std::uint64_t last, const Range &range, unsigned shard,
                               Visitor &visitor) {
    for (std::uint64_t group = first >> kShardBits; group <= last >> kShardBits; ++group) {
      // The page of the group whose low bits give this shard.
      const std::uint64_t page = group << kShardBits | (scattered(group << kShardBits) ^ shard);
      if (first <= page && page <= last)
        visitor(partOf(range, page));
    }
  }
  /// The first part that ends behind `page`, or null.
  const Part *partBehind(std::uint64_t page) const {
    const auto found = std::ranges::upper_bound(parts_, page, {}, &Part::end);
    return found == parts_.end() ? nullptr : &*found;
  }
  void findParts(const std::vector<Move> &moves, trace::WorkLimit &limit);
  std::size_t placeOf(std::uint64_t page) const {
    return partBehind(page)->at + (page - partBehind(page)->first);
  }

  std::vector<Part> parts_; ///< ascending
  std::vector<std::uint8_t> shards_;
};

} // namespace cupr::analysis

#endif
