/// Whether the lanes of a warp that wait for each other by masks all come.
///
/// The problem: a shuffle, a vote or a barrier of the warp has a mask, and waits until all lanes that it names, and that have not ended,
/// have come to the same kind with the same mask. A trace has which lanes came where; that a lane has ended it does not say, nor, of lanes that
/// run apart, who was first. So a lane that doesn't come may only be late, or gone.
///
/// Each lane's own order is sure. What the lanes of a warp come to is put together: a *meeting* takes place when each lane that its mask names has
/// it next. A lane that comes to nothing any more counts as ended, so it is waited for by nobody. Where no meeting can
/// take place then, and lanes still have some in front of them, they wait for each other in a circle, each at another meeting, and none of
/// them has ended: that can't be, in whatever order they ran. Barriers of the whole block are meetings of all lanes of the warp.
///
/// A record may stand for several meetings, one behind the other (abi/operation.def). What is known of the beginning of each
/// lane's way is enough: nothing is claimed of what may come.
///
/// Source: PTX ISA, "shfl.sync", "bar.warp.sync"; CUDA C++ Programming Guide, "Warp Shuffle Functions", "Synchronization Functions".
#ifndef CUPR_ANALYSIS_WARP_MEETINGS_H
#define CUPR_ANALYSIS_WARP_MEETINGS_H

#include "devicelib/abi/operation.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

class WarpMeetings {
public:
  /// Of the warp's lanes those that the block has.
  explicit WarpMeetings(std::uint32_t lanes) : present_(lanes) {}

  /// What it is to wait for.
  struct What {
    abi::Operation operation; ///< of lanes, WarpBarrier, or Barrier: the whole block's
    std::uint32_t mask;       ///< of Barrier: all
    friend bool operator==(const What &, const What &) = default;
  };
  /// These lanes come, in the order of each of them, to so many meetings from `site` on. The mask names them all.
  void come(std::uint32_t lanes, const What &what, std::uint32_t count, std::uint32_t site);

  /// Two places at which lanes wait for each other in vain. The first is none of Barrier.
  struct Circle {
    std::uint32_t site, lane, otherSite, otherLane;
    std::uint32_t mask; ///< of the first
  };
  /// So far; of what can't be told by now: nothing.
  std::optional<Circle> circle() const;

private:
  /// Lanes that have come somewhere, and not gone on as far as is known.
  struct Coming {
    std::uint32_t lanes;
    What what;
    std::uint32_t count, site;
  };
  using Line = std::vector<Coming>; ///< each lane's in its order
  /// What some lanes have in front of them.
  struct Front {
    What what;
    std::uint32_t lanes, site;
  };

  static std::vector<Front> frontsOf(const Line &line);
  static void meetAll(Line &line, std::uint32_t present, bool areOthersGone);
  static void leave(Line &line, const Front &front);

  Line line_;
  std::uint32_t present_;
  std::uint32_t gone_ = 0;      ///< lanes that were taken for ended
  bool isLost_ = false;         ///< one of them had not ended, or there is too much
  std::optional<Circle> found_; ///< before all was there
};

} // namespace cupr::analysis

#endif
