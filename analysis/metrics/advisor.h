/// What several GPUs would have to exchange if they shared the CTAs of each launch, for the ways to cut the
/// grids that placement.h and cta_graph.h define. docs/analysis.md has the formulas and what they assume.
///
/// What crosses: a byte that one launch wrote on GPU g and a later launch reads on GPU h, counted once for
/// each reading launch and each h. Data stays on the GPU whose CTA wrote it last; nothing is kept of what was
/// read in an earlier launch. Only communication in order counts (communication.h).
///
/// The transfers between CTAs tell how many bytes a CTA reads of what another wrote, but not whether two
/// readers on one GPU read the same bytes. So what crosses lies between two bounds, for each writing CTA and
/// each reading GPU: at least the largest of its transfers, at most their sum. No sum is more than what any
/// CTA of the writing launch stored, nor are all of one pair of launches and one GPU more than the pair's
/// distinct bytes. Where every byte has one reader per GPU, or all readers read the same, the bounds meet.
#ifndef CUPR_ANALYSIS_ADVISOR_H
#define CUPR_ANALYSIS_ADVISOR_H

#include "communication.h"
#include "placement.h"
#include "topology.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

struct AdvisorOptions {
  std::vector<unsigned> devices = {2, 4, 8}; ///< each from 2 to kMostDevices
  double bytesPerSecond = 450e9;             ///< of a GPU's link, in each direction
  double latencySeconds = 0;                 ///< for each superstep in which something crosses
  TopologyKind topology = TopologyKind::Switch;
  unsigned packetBytes = 1;       ///< what goes over a link is a multiple of it, for each transfer
  bool overlaps = false;          ///< exchange and computation of a superstep go on at the same time
  unsigned multiprocessors = 132; ///< of each GPU, as an H100 has; each has one CTA at a time
  /// What all launches take on one GPU, without instrumentation; 0: unknown.
  double kernelSeconds = 0;
};
inline constexpr unsigned kMostDevices = 256;

/// What is known of GPUs by their names, and else of an H100: link, multiprocessors, and, with any of them,
/// the latency and packets of links between GPUs.
AdvisorOptions optionsFor(std::string_view deviceName);

struct AdvisorCut {
  CutKind kind = CutKind::X;
  unsigned devices = 1;
  Tiles tiles;                     ///< of X, Y, Z and Block
  std::uint64_t crossing = 0;      ///< bytes, at most
  std::uint64_t leastCrossing = 0; ///< and at least
  double crossingShare = 0;        ///< crossing, of the bytes of all transfers between launches
  std::uint64_t readFromHost = 0;  ///< distinct bytes per launch and GPU that the host wrote, at most
  /// Bytes of dependences inside a launch between CTAs on different GPUs, atomics among them: such a launch
  /// works on several GPUs only if they see each other's memory while it runs.
  std::uint64_t insideLaunches = 0;
  double balance = 1;              ///< bytes accessed by the busiest GPU / mean
  double accessBalance = 1;        ///< the same of accesses
  /// How much faster the work would be if nothing had to cross, from 1 to `devices`: the time of one GPU /
  /// that of the busiest, superstep by superstep, where time goes with the bytes of the busiest
  /// multiprocessor, at the least: those of the largest CTA, or of all CTAs shared evenly.
  double parallelism = 1;
  double seconds = 0;                    ///< on the link, superstep by superstep, at most
  std::optional<double> speedup;         ///< over one GPU; if kernelSeconds is known
  std::vector<std::uint64_t> supersteps; ///< crossing bytes by the reader's superstep
};

struct Advisor {
  AdvisorOptions options;
  std::vector<AdvisorCut> cuts;   ///< by devices, then kind: one of each
  std::vector<std::size_t> best;  ///< for each number of devices, an index in cuts
  std::vector<std::string> notes; ///< what was left out
  /// What the figures take for granted, one sentence each.
  std::vector<std::string> assumptions;
};

/// None if of each launch only the first CTA accesses memory. Goes through the transfers once for each number
/// of devices.
std::optional<Advisor> advise(const Model &model, const Communication &communication,
                              const AdvisorOptions &options = {});

/// The index of the best of `cuts`, which are not empty: with `speedup`, the highest. Else the least time on
/// the link among those whose parallelism is at least 0.9 of the highest; then the fewest bytes; then the
/// first.
std::size_t bestOf(const std::vector<AdvisorCut> &cuts);

} // namespace cupr::analysis

#endif
