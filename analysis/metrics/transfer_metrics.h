/// Figures of transfers between CTAs: sizes, numbers of partners, cuts through the grid, and who with whom
/// (Rieber 2017, sections 6.2.2 to 6.4). docs/analysis.md defines them.
///
/// Only communication between launches counts; the map of density has the other kinds of dependence, too.
#ifndef CUPR_ANALYSIS_TRANSFER_METRICS_H
#define CUPR_ANALYSIS_TRANSFER_METRICS_H

#include "analysis/engine/communication.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// How many transfers have which size.
struct TransferSizes {
  std::uint64_t transfers = 0, bytes = 0;
  bool exact = true;                            ///< else a size stands for all from the one before on
  std::map<std::uint64_t, std::uint64_t> sizes; ///< bytes -> transfers
};

/// Mean and standard deviation over entities that have a partner.
struct Spread {
  std::uint64_t ctas = 0;
  double mean = 0, deviation = 0;
};

/// CTAs (of one launch each) by their number of partners.
using Degrees = std::map<std::uint64_t, std::uint64_t>;

struct SuperstepFigures {
  std::vector<LaunchIndex> launches;
  std::uint64_t loadBytes = 0;     ///< distinct bytes read that earlier launches wrote
  std::uint64_t storeBytes = 0;    ///< distinct bytes written that later launches read
  std::uint64_t transferBytes = 0; ///< of transfers to CTAs of its launches
  LaunchVolume volume;             ///< of its launches
  Spread out, in;                  ///< partners of the CTAs of its launches
};

/// Transfers whose ends lie on two sides of a cut.
struct Bisection {
  std::uint64_t bytes = 0;
  double relative = 0; ///< of all transfers
};

/// CTA index to CTA index over all pairs of launches, from fine to coarse. Coordinates are CTA index /
/// ctasPerCell.
struct DensityLevel {
  std::uint64_t ctasPerCell = 1, cells = 0; ///< cells in each direction
  struct Cell {
    std::uint32_t source, destination;
    std::uint64_t bytes, transfers;
  };
  std::vector<Cell> filled; ///< by source, then destination
};
struct DensityMaps {
  std::uint64_t ctas = 0; ///< 1 + the largest index that takes part
  std::map<DependenceClass, std::vector<DensityLevel>> maps;
};

struct DistanceVolume {
  std::uint64_t bytes = 0, operations = 0;
};

struct TransferMetrics {
  TransferSizes sizes;
  Degrees in, out, otherIn, otherOut;                ///< other: partners with another index
  Degrees handedOnIn, handedOnOut;                   ///< partners with another index, or of another kernel
  std::array<std::optional<Bisection>, 3> bisection; ///< x, y, z; none: no grid has two CTAs there
  std::vector<SuperstepFigures> supersteps;
  std::map<std::uint32_t, DistanceVolume> distances; ///< 0: the next superstep
  DensityMaps density;
};

/// The finest level of a map of density has at most so many cells that are not empty.
inline constexpr std::size_t kMostDensityCells = 1u << 18;
/// The coarsest has at most so many in each direction.
inline constexpr std::uint64_t kCoarsestDensity = 64;
/// Sizes of transfers beyond this number of different ones are joined.
inline constexpr std::size_t kMostTransferSizes = 4096;

TransferMetrics transferMetrics(const Model &model, const Communication &communication);

} // namespace cupr::analysis

#endif
