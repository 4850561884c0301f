/// Which accesses of a launch the page asks for.
#ifndef CUPR_VIEWER_ACCESS_FILTER_H
#define CUPR_VIEWER_ACCESS_FILTER_H

#include "analysis/model/chunk_zone.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cupr::viewer {

class AccessFilter {
public:
  static constexpr std::int32_t kAny = -1;

  /// All accesses of a launch with this grid.
  explicit AccessFilter(const trace::Dim3 &grid = {}) : grid_(grid) {}

  /// Of this block, coordinate by coordinate, and of its warp of this number; kAny is any.
  void choosePlace(const std::array<std::int32_t, 3> &block, std::int32_t warp);
  /// `chosen[n]`: accesses of site n pass. None: those of all sites.
  void chooseSites(std::vector<bool> chosen) { sites_ = std::move(chosen); }

  bool isAll() const;
  bool has(const analysis::Record &record) const;
  /// False: a chunk with this zone has none.
  bool mayBeIn(const analysis::ChunkZone &zone) const { return zone.cta.meets(cta_); }

private:
  trace::Dim3 grid_;
  std::array<std::int32_t, 3> block_{kAny, kAny, kAny};
  std::int32_t warp_ = kAny;
  analysis::Bounds cta_; ///< between which numbers the block's is
  std::vector<bool> sites_;
};

} // namespace cupr::viewer

#endif
