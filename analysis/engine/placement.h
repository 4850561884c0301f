/// Which GPU a CTA runs on, under a way to cut the grids of a program.
///
/// Every launch is cut by its own grid with the same rule, so that launches with different grids can be laid
/// side by side: for a cut in x over n GPUs, a CTA at x of X goes to GPU floor(x * n / X). A grid with fewer
/// CTAs than parts leaves GPUs without work.
#ifndef CUPR_ANALYSIS_PLACEMENT_H
#define CUPR_ANALYSIS_PLACEMENT_H

#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <cstdint>
#include <vector>

namespace cupr::analysis {

/// From the simplest to program; of equal ones, the first is advised.
enum class CutKind { X, Y, Z, Block, Cyclic, Graph };
inline const char *cutName(CutKind kind) {
  static constexpr const char *kNames[] = {"x", "y", "z", "block", "cyclic", "graph"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Parts in each dimension; x * y * z GPUs. Those in x are neighbours.
struct Tiles {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Tiles &, const Tiles &) = default;
};

/// A CTA in its grid.
struct CtaInGrid {
  const trace::Dim3 *grid;
  std::uint32_t x, y, z, linear;
  std::uint32_t vertex; ///< CTAs of one index in equal grids share it
};

/// The grids of a trace, equal ones once.
class Grids {
public:
  explicit Grids(const Model &model);

  struct Grid {
    trace::Dim3 dim;
    std::uint64_t firstVertex; ///< of its CTAs, by their linear number
  };
  const std::vector<Grid> &all() const { return grids_; }
  CtaInGrid ctaOf(LaunchIndex launch, std::uint32_t cta) const;
  /// CTAs of all grids that are not equal.
  std::uint64_t vertices() const { return vertices_; }
  /// The most CTAs in each dimension.
  const trace::Dim3 &largest() const { return largest_; }

private:
  std::vector<Grid> grids_;
  std::vector<std::uint32_t> gridOf_; ///< by launch
  std::uint64_t vertices_ = 0;
  trace::Dim3 largest_{1, 1, 1};
};

class Placement {
public:
  /// One of X, Y, Z and Block.
  Placement(CutKind kind, const Tiles &tiles)
      : kind_(kind), devices_(tiles.x * tiles.y * tiles.z), tiles_(tiles) {}
  /// CTA n on GPU n modulo `devices`.
  static Placement cyclic(unsigned devices) { return {CutKind::Cyclic, devices, {}}; }
  static Placement graph(unsigned devices, std::vector<std::uint16_t> deviceOfVertex) {
    return {CutKind::Graph, devices, std::move(deviceOfVertex)};
  }

  CutKind kind() const { return kind_; }
  unsigned devices() const { return devices_; }
  const Tiles &tiles() const { return tiles_; }
  /// Of a graph's, by vertex: the GPU.
  const std::vector<std::uint16_t> &parts() const { return parts_; }

  unsigned deviceOf(const CtaInGrid &cta) const {
    switch (kind_) {
    case CutKind::Cyclic:
      return cta.linear % devices_;
    case CutKind::Graph:
      return parts_[cta.vertex];
    default:
      return (part(cta.z, tiles_.z, cta.grid->z) * tiles_.y + part(cta.y, tiles_.y, cta.grid->y)) * tiles_.x +
             part(cta.x, tiles_.x, cta.grid->x);
    }
  }

private:
  Placement(CutKind kind, unsigned devices, std::vector<std::uint16_t> parts)
      : kind_(kind), devices_(devices), parts_(std::move(parts)) {}
  static unsigned part(std::uint32_t at, std::uint32_t parts, std::uint32_t extent) {
    return parts == 1 ? 0 : static_cast<unsigned>(std::uint64_t{at} * parts / extent);
  }

  CutKind kind_;
  unsigned devices_;
  Tiles tiles_;
  std::vector<std::uint16_t> parts_; ///< by vertex
};

/// All that make sense for these grids, but for the graph's: a dimension is cut only where some grid has as
/// many CTAs in it as there are parts.
std::vector<Placement> placementsFor(const Grids &grids, unsigned devices);

} // namespace cupr::analysis

#endif
