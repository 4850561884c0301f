/// What waiting for memory costs a program's timed launches: by access, line, kernel, multiprocessor and warp.
///
/// Each access of a warp is one sample (latency_samples.h).
///
/// *Share of time*: the union of the intervals from start to end of a warp's accesses, of its span, from the first start to the last end
/// (H. Kanda et al., An Instrumentation Method for Analyzing Efficiency of Memory Access in CUDA Programs, 2011, figure 5).
///
/// *Cycles that the pattern costs*: an access of global memory is as *wide* as its sectors are many, one of shared memory as its
/// wavefronts. Samples are compared with those that have the same least width (what the same bytes would take in the best order), and
/// the smallest width among these: of the same access, or where it has none that are narrower, of all accesses of the kernel that have its
/// operation, memory and size. What a sample takes beyond their mean is put down to its pattern. This is a comparison and no proof: what is
/// wide may be late for other reasons, too, such as that it comes first.
///
/// Means are given with the half width of their interval of confidence of 95 %. It takes samples as independent, which accesses
/// that wait in one queue are not.
#ifndef CUPR_ANALYSIS_LATENCY_FIGURES_H
#define CUPR_ANALYSIS_LATENCY_FIGURES_H

#include "access_key.h"
#include "latency_distribution.h"
#include "latency_excerpt.h"
#include "latency_samples.h"
#include "plain_times.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cupr::analysis {

/// What an access had to move: sectors or wavefronts, and the least for its bytes.
struct LatencyShape {
  std::uint32_t leastWidth = 0, width = 0;
  friend auto operator<=>(const LatencyShape &, const LatencyShape &) = default;
};

/// What the pattern of an access costs.
struct PatternCost {
  /// Whose samples it is compared with.
  enum class Reference : std::uint8_t { None, Access, Kernel };
  Reference reference = Reference::None;
  std::uint64_t samples = 0;   ///< that there is a narrower one for
  double cycles = 0;           ///< beyond the mean of those
  std::optional<double> error; ///< as of a mean; none: too few samples
};

struct LatencyOfAccess {
  LatencyDistribution durations;
  LatencyWidth widthOf = LatencyWidth::None;
  std::uint64_t width = 0, leastWidth = 0; ///< sums
  std::uint64_t threads = 0;
  std::map<LatencyShape, LatencyMoments> shapes; ///< empty where there is no width
  PatternCost pattern;
};
/// Copies that a loop's unrolling made are one access, and so are those in different memory, which have figures of their own.
struct LatencyKey {
  AccessKey access;
  abi::MemorySpace space = abi::MemorySpace::Global;
  friend auto operator<=>(const LatencyKey &, const LatencyKey &) = default;
};

struct LatencyLine {
  LaunchIndex kernel = 0;
  std::string file; ///< empty: unknown
  std::uint32_t line = 0;
  friend auto operator<=>(const LatencyLine &, const LatencyLine &) = default;
};

/// Of warps, in one kernel or on one multiprocessor.
struct LatencyOfWarps {
  LatencyMoments durations;
  std::uint64_t warps = 0;
  std::uint64_t memoryCycles = 0; ///< of warps: when one access or more was under way
  std::uint64_t spanCycles = 0;   ///< from first start to last end
  double shares = 0;              ///< of the warps that have a span, summed
  std::uint64_t spans = 0;        ///< warps that have one

  void add(const LatencyOfWarps &other);
  /// The mean of the warps' shares; none: no warp has a span.
  std::optional<double> share() const {
    return spans == 0 ? std::nullopt : std::optional(shares / static_cast<double>(spans));
  }
};

struct LatencyOfKernel : LatencyOfWarps {
  abi::LatencyScheme scheme = abi::LatencyScheme::None;
  std::uint64_t launches = 0;
  std::uint64_t untimed = 0; ///< accesses of warps that nothing was measured of
};

struct LatencyMultiprocessor {
  LaunchIndex kernel = 0;
  std::uint32_t sm = 0;
  friend auto operator<=>(const LatencyMultiprocessor &, const LatencyMultiprocessor &) = default;
};

struct LatencyOfWarp {
  LaunchIndex launch = 0;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0, sm = 0;
  LatencyMoments durations;
  std::uint64_t start = 0, end = 0, memoryCycles = 0;
};

/// An access of the warp whose series was asked for.
struct LatencyOfSeries {
  LaunchIndex launch = 0;
  std::uint64_t number = 0; ///< of the warp's accesses, from 0, by their start
  const trace::Module *module = nullptr;
  LatencySample sample;
};

/// One warp of each launch.
struct WarpChoice {
  std::string block; ///< as RecordSelection has it
  std::uint32_t warp = 0;
};

inline constexpr std::size_t kMostExcerpts = 8;

struct LatencyOptions {
  LatencySelection selection{};
  bool listWarps = false;
  std::optional<WarpChoice> series{};
  /// Of the first launch of each of the first kMostExcerpts kernels.
  bool excerpts = false;
  Progress *progress = nullptr;
};

struct LatencyFigures {
  std::uint64_t launches = 0;
  std::uint64_t cycles = 0; ///< of all samples
  std::map<LatencyKey, LatencyOfAccess> accesses;
  std::map<LatencyLine, LatencyDistribution> lines;
  std::map<LaunchIndex, LatencyOfKernel> kernels; ///< by the kernel's first launch
  std::map<LaunchIndex, Slowdown> slowdowns;      ///< likewise; of those whose plain times are known
  std::map<LatencyMultiprocessor, LatencyOfWarps> multiprocessors;
  std::vector<LatencyOfWarp> warps;    ///< by launch, multiprocessor, block and warp; if they were asked for
  std::vector<LatencyOfSeries> series; ///< likewise
  std::vector<LatencyExcerpt> excerpts;
};

/// Of the launches that are selected; empty where none of them is timed. As latencyFigures otherwise.
LatencyFigures latencyFiguresIfTimed(const Model &model, const LatencyOptions &options = {});

/// Reads the trace once. Memory: what the results take, and 150 bytes for each warp of the largest launch. Throws as LatencySamples.
LatencyFigures latencyFigures(const Model &model, const LatencyOptions &options = {});

} // namespace cupr::analysis

#endif
