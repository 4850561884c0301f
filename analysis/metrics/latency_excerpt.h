/// What is drawn of a timed launch over time: some of its warps, for some of their time.
///
/// Time is that of a multiprocessor's clock, from when its first access of the launch began: clocks of multiprocessors have nothing to do
/// with each other. So what lies one above the other on two of them need not have been at one time.
///
/// An excerpt has the first multiprocessors that the trace tells of, the first warps of each, and of these all accesses that begin before
/// its end. It ends where the first of its warps has more than kMostSlices.
#ifndef CUPR_ANALYSIS_LATENCY_EXCERPT_H
#define CUPR_ANALYSIS_LATENCY_EXCERPT_H

#include "analysis/model/ordering.h"
#include "latency_samples.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace cupr::analysis {

struct LatencyExcerpt {
  static constexpr std::size_t kMostMultiprocessors = 4, kMostWarps = 16, kMostSlices = 64;

  struct Slice {
    std::uint64_t start; ///< from its multiprocessor's first access
    std::uint32_t duration;
    std::uint32_t access; ///< its place in LatencyFigures::accesses
  };
  struct Track {
    std::uint32_t sm = 0;
    std::uint64_t cta = 0;
    std::uint32_t warp = 0;
    std::vector<Slice> slices; ///< by start
  };

  LaunchIndex launch = 0;
  std::optional<std::uint64_t> end;                     ///< cycles; none: it has all that its warps did
  std::uint64_t samples = 0, warps = 0, processors = 0; ///< of the launch
  std::vector<Track> tracks;                            ///< by multiprocessor, then by first start
};

/// Takes an excerpt of a launch whose samples pass by. Memory: some 100 KiB.
class ExcerptTaker {
public:
  explicit ExcerptTaker(LaunchIndex launch) { excerpt_.launch = launch; }

  /// `site`: what Slice::access holds for now.
  void add(const LatencySample &sample, std::uint32_t site);
  /// When all have passed. `warps`: of the launch.
  LatencyExcerpt finish(std::uint64_t warps);

private:
  struct Warp {
    std::vector<LatencyExcerpt::Slice> slices;
    std::uint64_t leftOut = UINT64_MAX; ///< the first start of what there was no more place for
  };
  struct Multiprocessor {
    std::uint64_t first = UINT64_MAX; ///< start of an access
    bool isShown = false;
    std::map<std::pair<std::uint64_t, std::uint32_t>, Warp> warps; ///< by block and warp
  };

  LatencyExcerpt excerpt_;
  std::map<std::uint32_t, Multiprocessor> processors_;
  std::size_t shown_ = 0; ///< multiprocessors
};

} // namespace cupr::analysis

#endif
