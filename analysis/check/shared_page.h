/// What lets whole warps read a page of a block's shared memory at once, as tiles are used: up to which time each warp has done what
/// there, and what has been read of late.
///
/// The problem: a tile is read by each thread many times for each time that it is written, and nearly always all that was written is
/// known by all who read it, since a barrier stands between. Then a step as a whole can't race, and who read what matters only if
/// somebody writes before the next barrier. So reads are put aside as they came, and go into the page's cells if that happens. Those
/// that all warps of the block know of are dropped.
#ifndef CUPR_ANALYSIS_CHECK_SHARED_PAGE_H
#define CUPR_ANALYSIS_CHECK_SHARED_PAGE_H

#include "launch_order.h"
#include "warp_step.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Times of a block's warps: for each the clock that its last access of a kind is below.
class WarpTimes {
public:
  void note(std::uint32_t warp, std::uint32_t clock) { below_[warp] = std::max(below_[warp], clock + 1); }
  /// Whether each lane of this warp knows of all that was done.
  bool areKnown(const Knowledge &knowledge, std::uint32_t warp) const {
    std::uint32_t unknown = 0;
    for (unsigned other = 0; other < WarpClocks::kWarps; ++other)
      unknown += below_[other] > knowledge.all.clocks.all[other] ? 1 : 0;
    return unknown == 0 ||
           (unknown == 1 && below_[warp] > knowledge.all.clocks.all[warp] && below_[warp] <= knowledge.met);
  }

  /// Of asynchronous copies of the block, by when they were issued: by when they were done.
  WarpTimes whenDone(const LaunchOrder &order, std::uint32_t block) const {
    WarpTimes done;
    for (std::uint32_t warp = 0; warp < WarpClocks::kWarps; ++warp)
      if (below_[warp] != 0) {
        Moment last{.block = block, .clock = (below_[warp] - 1) | Moment::kCopy};
        last.thread = static_cast<std::uint16_t>(warp * abi::kLanes);
        done.note(warp, order.whenDone(last).clock);
      }
    return done;
  }

private:
  std::array<std::uint32_t, WarpClocks::kWarps> below_{};
};

/// What lanes of a warp read in one page, all the same number of bytes.
struct SharedRead {
  std::uint32_t batch = 0;
  std::uint32_t knowledge = 0; ///< number, while the batch lasts
  std::uint32_t clock = 0, site = 0, lanes = 0, moreLanes = 0;
  std::uint32_t bytes = 0;
  /// In SharedPage::places: where each of 32 lanes' begins in the page.
  std::uint32_t places = 0;
  std::uint16_t warp = 0, acquired = 0, more = 0;
};

struct SharedPage {
  WarpTimes written, updated, read; ///< plain writes, those that others count on, and all reads
  WarpTimes copied;                 ///< asynchronously: when that was issued
  bool isCopied = false;            ///< anything
  WarpTimes done;                   ///< when that was done, if these are of this batch
  std::uint32_t doneBatch = 0;
  std::vector<SharedRead> reads; ///< that are not in the page's cells
  std::vector<std::uint16_t> places;
  bool isListed = false; ///< among those of which reads were put aside in the batch
  /// What each warp knew when it last came here: numbers, of this batch.
  std::array<std::uint32_t, WarpClocks::kWarps> knowledge{};
  std::uint32_t batch = 0;

  static constexpr std::uint64_t kBytesOfRead = sizeof(SharedRead) + abi::kLanes * sizeof(std::uint16_t);
  std::uint64_t held() const { return reads.size() * kBytesOfRead; }
  /// Those at clocks below these, by warp.
  void dropReads(const WarpClocks::Clocks &known);
};

inline void SharedPage::dropReads(const WarpClocks::Clocks &known) {
  std::uint32_t kept = 0;
  std::erase_if(reads, [&](SharedRead &read) {
    if (read.clock < known[read.warp])
      return true;
    std::copy_n(places.begin() + read.places, abi::kLanes, places.begin() + kept);
    read.places = std::exchange(kept, kept + abi::kLanes);
    return false;
  });
  places.resize(kept);
}

} // namespace cupr::analysis

#endif
