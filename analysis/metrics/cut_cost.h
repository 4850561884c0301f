/// Adds up what one way to cut the grids costs, while transfers and volumes of CTAs pass by.
#ifndef CUPR_ANALYSIS_CUT_COST_H
#define CUPR_ANALYSIS_CUT_COST_H

#include "advisor.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

class CutCost {
public:
  CutCost(Placement placement, std::uint32_t supersteps, const AdvisorOptions &options);

  void addWork(std::uint32_t superstep, const CtaPlace &cta, const EntityVolume &volume);

  // Transfers come by pairs of launches: `add` for each, and then `endPair`.
  void add(const CtaPlace &source, const CtaPlace &destination, std::uint64_t bytes);
  void addFromHost(const CtaPlace &destination, std::uint64_t bytes);
  /// `pairBytes`: distinct bytes of the pair. `mostStored`: by any CTA of the source.
  void endPair(std::uint32_t superstep, std::uint64_t pairBytes, std::uint64_t mostStored);
  void endHostPair(std::uint64_t pairBytes);
  /// Of a dependence inside a launch.
  void addInside(const CtaPlace &first, const CtaPlace &second, std::uint64_t bytes);

  /// `transferred`: bytes of all transfers.
  AdvisorCut finish(std::uint64_t transferred) const;

private:
  /// What the CTAs of one GPU read of one CTA's data.
  struct Reads {
    std::uint64_t sum = 0, largest = 0;
  };
  std::size_t at(std::uint32_t superstep, unsigned device) const {
    return std::size_t{superstep} * placement_.devices() + device;
  }
  /// What the work of a superstep takes, in bytes of one multiprocessor.
  struct StepWork {
    double one = 0, several = 0;
  };
  std::uint64_t inPackets(std::uint64_t bytes) const;
  StepWork workOf(std::uint32_t superstep) const;
  double secondsOnLink(std::uint32_t superstep) const;
  double speedup(double parallelism) const;

  const AdvisorOptions &options_;
  const Placement placement_;
  const Topology topology_;
  const std::uint32_t steps_;
  /// Of the present pair: (source CTA, source GPU, destination GPU), in bits of 32, 16 and 16.
  std::unordered_map<std::uint64_t, Reads> pair_;
  /// Of the present pair, between two GPUs: (source GPU, destination GPU), in bits of 16 each.
  std::unordered_map<std::uint32_t, std::uint64_t> links_;
  std::vector<std::uint64_t> hostPair_;                 ///< by GPU
  std::vector<std::uint64_t> incoming_;                 ///< by GPU, of the present pair
  std::vector<std::uint64_t> worked_;                   ///< by superstep and GPU
  std::vector<std::uint64_t> loads_;                    ///< by superstep and link
  std::vector<std::uint64_t> largest_;                  ///< by superstep and GPU: bytes of one CTA
  std::vector<std::uint64_t> bytes_, accesses_;         ///< by GPU
  std::vector<std::uint64_t> crossing_;                 ///< by superstep
  std::uint64_t leastCrossing_ = 0, readFromHost_ = 0, insideLaunches_ = 0;
};

} // namespace cupr::analysis

#endif
