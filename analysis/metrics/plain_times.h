/// How long launches take untraced, of a trace whose launches are not traced but timed (CUPR_UNTRACED=time); and how much slower the same
/// launches of another trace were.
#ifndef CUPR_ANALYSIS_PLAIN_TIMES_H
#define CUPR_ANALYSIS_PLAIN_TIMES_H

#include "analysis/model/launch_selection.h"
#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace cupr::analysis {

/// By what a launch says of its work: kernel, grid, block and dynamic shared memory.
class PlainTimes {
public:
  explicit PlainTimes(const Model &timed);
  /// The mean of launches like it, in nanoseconds; none: there is none.
  std::optional<std::uint64_t> of(const LaunchInfo &launch) const;

private:
  using Shape = std::tuple<std::string, std::array<std::uint32_t, 6>, std::uint32_t>;
  struct Sum {
    std::uint64_t launches = 0, nanoseconds = 0;
  };
  static Shape shapeOf(const LaunchInfo &launch);

  std::map<Shape, Sum> byShape_;
};

/// Of the timed launches of a kernel (cupr++ --latency), from their first block's beginning to their last one's end.
struct Slowdown {
  std::uint64_t launches = 0;
  std::uint64_t timed = 0, plain = 0; ///< nanoseconds, of all of them
  double factor() const { return static_cast<double>(timed) / static_cast<double>(plain); }
};

/// By kernel, its first launch. Kernels are left out of which a launch has no time.
std::map<LaunchIndex, Slowdown> slowdowns(const Model &model, const LaunchSelection &selection,
                                          const PlainTimes &plain);

} // namespace cupr::analysis

#endif
