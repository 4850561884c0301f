/// How long accesses took, one by one: what timed launches (devicelib/abi/latency_scheme.h) say of each access of a warp.
///
/// One access of a warp is one *sample* (analysis/model/access_times.h).
#ifndef CUPR_ANALYSIS_LATENCY_SAMPLES_H
#define CUPR_ANALYSIS_LATENCY_SAMPLES_H

#include "analysis/model/launch_selection.h"
#include "analysis/model/record_selection.h"
#include "analysis/model/records.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace cupr::analysis {

class Progress;

struct LatencySample {
  std::uint64_t cta = 0;
  std::uint64_t start = 0; ///< the multiprocessor's clock
  std::uint32_t duration = 0;
  std::uint32_t site = 0; ///< of the launch's module
  std::uint32_t sm = 0;
  std::uint16_t warp = 0;
  std::uint8_t threads = 0;
  /// What the machine makes of it: sectors of global memory, wavefronts of shared memory, of others 0. And what it would make of the same
  /// bytes in the best order.
  std::uint32_t width = 0, leastWidth = 0;

  std::uint64_t end() const { return duration > UINT64_MAX - start ? UINT64_MAX : start + duration; }
};

struct LatencySamplesOfChunk {
  std::vector<LatencySample>
      samples; ///< in the order in which they were recorded, which is about that of their ends
  std::uint64_t records = 0;
  std::uint64_t untimed = 0; ///< accesses of warps that nothing was measured of
};

struct LatencySelection {
  LaunchSelection launches{};
  RecordSelection records{};
};

/// Whether durations are those of a model: the program ran on the CPU device.
inline bool isModelled(const Model &model) { return model.header().process.deviceKind == "cpu"; }

/// Whether one of the launches that are selected is timed.
bool isAnyTimed(const Model &model, const LaunchSelection &selection);

/// Whether samples of this memory have sectors, or wavefronts, as their width.
enum class LatencyWidth : std::uint8_t { None, Sectors, Wavefronts };
LatencyWidth latencyWidthOf(const trace::Site &site);

/// Reads timed launches: chunks on many threads, and what they hold to the caller in the trace's order, so that those of a launch, and of a
/// warp, come one behind the other. Memory: some tens of chunks.
class LatencySamples {
public:
  /// Throws std::runtime_error where no launch is timed that is selected, with what to do; BadTrace, trace::TooMuch.
  LatencySamples(const Model &model, const LatencySelection &selection);

  bool has(const LaunchInfo &launch) const {
    return launch.launch.timed != abi::LatencyScheme::None && launches_.has(launch);
  }
  std::uint64_t launches() const { return count_; }
  using Take = std::function<void(const LaunchInfo &, std::size_t launch, const LatencySamplesOfChunk &)>;
  /// May be called several times. `progress`: null: nobody is told.
  void forEachChunk(const Take &take, Progress *progress) const;

private:
  const Model &model_;
  const LaunchFilter launches_;
  const RecordFilter records_;
  std::uint64_t count_ = 0;
};

} // namespace cupr::analysis

#endif
