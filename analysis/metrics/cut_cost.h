/// Adds up what one way to cut the grids costs, while what crosses and the volumes of CTAs pass by.
#ifndef CUPR_ANALYSIS_CUT_COST_H
#define CUPR_ANALYSIS_CUT_COST_H

#include "advisor.h"

#include <cstdint>
#include <map>
#include <vector>

namespace cupr::analysis {

class CutCost {
public:
  CutCost(const Placement &placement, std::uint32_t supersteps, const AdvisorOptions &options);

  void addWork(std::uint32_t superstep, const CtaInGrid &cta, const EntityVolume &volume);
  /// What one GPU sends to another of what one launch wrote and another reads.
  void add(std::uint32_t superstep, unsigned from, unsigned to, std::uint64_t bytes);
  /// Of a dependence inside a launch.
  void addInside(LaunchIndex launch, const CtaInGrid &first, const CtaInGrid &second, std::uint64_t bytes);

  /// All but what GPUs keep. `transferred`: bytes of all transfers.
  AdvisorCut finish(const Model &model, std::uint64_t transferred) const;

private:
  std::size_t at(std::uint32_t superstep, unsigned device) const {
    return std::size_t{superstep} * placement_.devices() + device;
  }
  /// What the work of a superstep takes, in bytes of one multiprocessor.
  struct StepWork {
    double one = 0, several = 0;
  };
  std::uint64_t inPackets(std::uint64_t bytes) const;
  std::vector<InsideKernel> insideByKernel(const Model &model) const;
  StepWork workOf(std::uint32_t superstep) const;
  double secondsOnLink(std::uint32_t superstep) const;
  double speedup(double parallelism) const;

  const AdvisorOptions &options_;
  const Placement &placement_;
  const Topology topology_;
  const std::uint32_t steps_;
  std::vector<std::uint64_t> worked_;           ///< by superstep and GPU
  std::vector<std::uint64_t> loads_;            ///< by superstep and link
  std::vector<std::uint64_t> largest_;          ///< by superstep and GPU: bytes of one CTA
  std::vector<std::uint64_t> bytes_, accesses_; ///< by GPU
  std::vector<std::uint64_t> crossing_;         ///< by superstep
  std::map<LaunchIndex, std::uint64_t> inside_;
};

} // namespace cupr::analysis

#endif
