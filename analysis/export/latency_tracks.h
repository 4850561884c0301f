/// The accesses of one timed launch in time, for timelines: a track for each warp, on which they follow each other.
///
/// Accesses of a warp that overlap have tracks beside each other. Multiprocessors have clocks of their own: 0 is, on each, when its first
/// access began.
#ifndef CUPR_ANALYSIS_LATENCY_TRACKS_H
#define CUPR_ANALYSIS_LATENCY_TRACKS_H

#include "latency_exports.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cupr::analysis {

struct LatencySlice {
  std::uint64_t track; ///< from 1
  bool isFirst;        ///< on its track
  std::size_t beside;  ///< how many tracks its warp had before this one
  std::uint64_t start, end;
  const LaunchInfo &launch;
  const trace::Module &module;
  const trace::Site &site;
  const LatencySample &sample;

  /// "heat.cu:7 load".
  std::string name() const;
  /// Of the track, where this is the first on it: "block 0,0,0 warp 3".
  std::string trackName() const;
};

class LatencyTracks {
public:
  /// Reads the trace once. `bytesPerTrack`: of memory, that its user takes. Throws std::runtime_error where more than one launch is selected.
  LatencyTracks(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                std::uint64_t bytesPerTrack);
  /// When the first access on each began, by its clock.
  const std::map<std::uint32_t, std::uint64_t> &multiprocessors() const { return firsts_; }
  /// Those that touch the window. Reads the trace once more. Of a track, in their order.
  void forEach(const std::function<void(const LatencySlice &)> &visit, Progress *progress);

private:
  /// By its place among the tracks of its warp.
  struct Track {
    std::uint64_t number;
    std::uint64_t end; ///< of its last slice
  };

  const Model &model_;
  const LatencySamples samples_;
  const LatencyWindow window_;
  const std::uint64_t bytesPerTrack_;
  std::map<std::uint32_t, std::uint64_t> firsts_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Track>> tracks_; ///< by it, and the warp
  std::uint64_t count_ = 0;                                                      ///< of tracks
};

} // namespace cupr::analysis

#endif
