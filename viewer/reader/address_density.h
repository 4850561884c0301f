/// How many accesses there are of which addresses when: a picture of a launch, in cells of so many accesses of warps and so many bytes.
#ifndef CUPR_VIEWER_ADDRESS_DENSITY_H
#define CUPR_VIEWER_ADDRESS_DENSITY_H

#include "analysis/model/records.h"

#include <cstdint>
#include <vector>

namespace cupr::viewer {

struct DensityBounds {
  std::uint64_t firstAddress = 0, lastAddress = 0;
  std::uint64_t firstRecord = 0, endRecord = 0; ///< by their number among the launch's
  std::uint32_t columns = 0, rows = 0;
  abi::MemorySpace space = abi::MemorySpace::Global;
};

class AddressDensity {
public:
  explicit AddressDensity(const DensityBounds &bounds)
      : bounds_(bounds), cells_(std::size_t{kClasses} * bounds.columns * bounds.rows) {}

  const DensityBounds &bounds() const { return bounds_; }
  /// The record with the number `number`.
  void add(const analysis::Record &record, std::uint64_t number);
  /// Accesses of threads: of loads, then of stores, then of atomics; row by row, the lowest addresses first.
  const std::vector<std::uint32_t> &cells() const { return cells_; }

private:
  static constexpr std::uint32_t kClasses = 3;
  DensityBounds bounds_;
  std::vector<std::uint32_t> cells_;
};

} // namespace cupr::viewer

#endif
