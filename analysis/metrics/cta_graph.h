/// Who exchanges how much with whom, as a graph that can be parted.
///
/// A vertex is a CTA index of one grid: CTA 5 of all launches with grid 16 x 16 is one vertex, so that data
/// that stays with its CTA from launch to launch stays on its GPU; launches with another grid have vertices
/// of their own. A vertex weighs what its CTAs access, in bytes by threads. An edge weighs the bytes of all
/// transfers between its ends, in both directions, over the whole run.
///
/// METIS parts it in n parts of equal weight (within 3 %) and least weight of the edges between them. Sums of
/// edges count a byte once for every CTA that reads it, so what METIS takes for least need not be so where
/// many CTAs of one GPU read the same bytes.
#ifndef CUPR_ANALYSIS_CTA_GRAPH_H
#define CUPR_ANALYSIS_CTA_GRAPH_H

#include "analysis/engine/communication.h"
#include "analysis/engine/placement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

class CtaGraph {
public:
  CtaGraph(const Grids &grids, const Communication &communication, const trace::WorkLimit &limit);

  /// Why there is no graph to part; empty: there is one.
  const std::string &absence() const { return absence_; }
  /// By vertex: its GPU. Empty if METIS can't, for want of memory, or of vertices with accesses. The same
  /// graph gives the same parts.
  std::vector<std::uint16_t> parts(unsigned devices) const;

private:
  std::uint64_t vertices_, active_ = 0; ///< active: with accesses
  std::string absence_;
  // As METIS wants it; its numbers have 32 bits.
  std::vector<std::int32_t> firstNeighbour_, neighbours_, edgeWeights_, vertexWeights_;
};

} // namespace cupr::analysis

#endif
