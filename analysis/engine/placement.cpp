/// Grids, and the ways to factor a number of GPUs over three dimensions.
#include "placement.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cupr::analysis {

Grids::Grids(const Model &model) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> known;
  for (const LaunchInfo &info : model.launches()) {
    const trace::Dim3 &dim = info.launch.grid;
    const auto [entry, isNew] =
        known.emplace(std::tuple(dim.x, dim.y, dim.z), static_cast<std::uint32_t>(grids_.size()));
    gridOf_.push_back(entry->second);
    if (!isNew)
      continue;
    grids_.push_back({dim, vertices_});
    // Larger grids can't be analysed; the limit keeps the sum from running over.
    vertices_ += static_cast<std::uint64_t>(std::min<unsigned __int128>(
        static_cast<unsigned __int128>(dim.x) * dim.y * dim.z, std::uint64_t{1} << 40));
    largest_ = {std::max(largest_.x, dim.x), std::max(largest_.y, dim.y), std::max(largest_.z, dim.z)};
  }
}

CtaInGrid Grids::ctaOf(LaunchIndex launch, std::uint32_t cta) const {
  const Grid &grid = grids_[gridOf_[launch]];
  const trace::Dim3 place = placeInGrid(grid.dim, cta);
  return {&grid.dim, place.x, place.y, place.z, cta, static_cast<std::uint32_t>(grid.firstVertex + cta)};
}

std::vector<Placement> placementsFor(const Grids &grids, unsigned devices) {
  const trace::Dim3 &largest = grids.largest();
  std::vector<Placement> result;
  for (unsigned z = 1; z <= std::min(devices, largest.z); ++z)
    for (unsigned y = 1; z * y <= devices && y <= largest.y; ++y) {
      const unsigned x = devices / (z * y);
      if (x * y * z != devices || x > largest.x)
        continue;
      const CutKind kind = x == devices   ? CutKind::X
                           : y == devices ? CutKind::Y
                           : z == devices ? CutKind::Z
                                          : CutKind::Block;
      result.emplace_back(kind, Tiles{x, y, z});
    }
  if (largest.x > 1 || largest.y > 1 || largest.z > 1)
    result.push_back(Placement::cyclic(devices));
  std::sort(result.begin(), result.end(), [](const Placement &a, const Placement &b) {
    const auto key = [](const Placement &p) {
      return std::tuple(p.kind(), p.tiles().z, p.tiles().y, p.tiles().x);
    };
    return key(a) < key(b);
  });
  return result;
}

} // namespace cupr::analysis
