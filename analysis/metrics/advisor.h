/// What several GPUs would have to exchange if they shared the CTAs of each launch, for the ways to cut the
/// grids that placement.h and cta_graph.h define. docs/analysis.md has the formulas and what they assume.
///
/// What crosses: a byte that one launch wrote on GPU g and a later launch reads on GPU h, counted once for
/// each reading launch and each h. Data stays on the GPU whose CTA wrote it last. Only communication in order
/// counts (communication.h). The transfers between CTAs don't tell whether two readers on one GPU read the same
/// bytes; so the trace is read once more, when the cuts are known, and bytes are followed (cut_traffic.h).
#ifndef CUPR_ANALYSIS_ADVISOR_H
#define CUPR_ANALYSIS_ADVISOR_H

#include "analysis/engine/communication.h"
#include "analysis/engine/placement.h"
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

/// What CTAs of one kernel exchange inside its launches.
struct InsideKernel {
  std::string kernel;
  std::uint64_t bytes = 0;
};

/// An atomic access of the source on bytes that several CTAs of one launch access.
struct SharedAtomic {
  std::string kernel, file;
  std::uint32_t line = 0, column = 0;
  std::uint64_t bytes = 0; ///< of dependences inside launches that it is an end of
};

struct AdvisorCut {
  CutKind kind = CutKind::X;
  unsigned devices = 1;
  Tiles tiles;                ///< of X, Y, Z and Block
  std::uint64_t crossing = 0; ///< bytes
  double crossingShare = 0;   ///< of the bytes of all transfers between launches
  /// Bytes that would cross if each GPU kept what it has read until that is written again; and likewise those
  /// that GPUs read of what the host wrote.
  std::uint64_t crossingOnce = 0, readFromHost = 0;
  /// Of the GPU that needs most: of each allocation the bytes that its CTAs access, at the time when those that
  /// are alive are most.
  std::uint64_t memory = 0;
  /// Bytes of dependences inside a launch between CTAs on different GPUs, atomics among them: such a launch
  /// works on several GPUs only if they see each other's memory while it runs.
  std::uint64_t insideLaunches = 0;
  std::vector<InsideKernel> inside; ///< by kernel, the one with most bytes first
  double balance = 1;               ///< bytes accessed by the busiest GPU / mean
  double accessBalance = 1;         ///< the same of accesses
  /// How much faster the work would be if nothing had to cross, from 1 to `devices`: the time of one GPU /
  /// that of the busiest, superstep by superstep, where time goes with the bytes of the busiest
  /// multiprocessor, at the least: those of the largest CTA, or of all CTAs shared evenly.
  double parallelism = 1;
  double seconds = 0;                    ///< on the link, superstep by superstep
  std::optional<double> speedup;         ///< over one GPU; if kernelSeconds is known
  std::vector<std::uint64_t> supersteps; ///< crossing bytes by the reader's superstep
  std::vector<std::uint16_t> parts;      ///< of Graph, by vertex (Grids): the GPU
};

struct Advisor {
  AdvisorOptions options;
  std::vector<AdvisorCut> cuts;      ///< by devices, then kind: one of each
  std::vector<std::size_t> best;     ///< for each number of devices, an index in cuts
  std::vector<SharedAtomic> atomics; ///< the one with most bytes first
  std::vector<std::string> notes;    ///< what was left out
  /// What the figures take for granted, one sentence each.
  std::vector<std::string> assumptions;
};

/// None if of each launch only the first CTA accesses memory. Reads the trace once; throws as `communication`.
std::optional<Advisor> advise(const Model &model, const Communication &communication,
                              const AdvisorOptions &options = {}, const AnalysisOptions &analysis = {});

/// The index of the best of `cuts`, which are not empty: with `speedup`, the highest. Else the least time on
/// the link among those whose parallelism is at least 0.9 of the highest; then the fewest bytes; then the
/// first.
std::size_t bestOf(const std::vector<AdvisorCut> &cuts);

} // namespace cupr::analysis

#endif
