/// Timed launches for other programs: every sample as a line of CSV, and timelines of one launch.
#ifndef CUPR_ANALYSIS_LATENCY_EXPORTS_H
#define CUPR_ANALYSIS_LATENCY_EXPORTS_H

#include "analysis/metrics/latency_samples.h"
#include "analysis/output/byte_sink.h"

#include <cstdint>
#include <string>

namespace cupr::analysis {

/// One line for each access of a warp, in the order of the trace. Throw as LatencySamples.
void writeLatencyCsv(const Model &model, const LatencySelection &selection, ByteSink &sink,
                     Progress *progress);

/// Cycles of a launch, from when its first access began: `from` is in it, `to` is not.
struct LatencyWindow {
  std::uint64_t from = 0, to = UINT64_MAX;
};

/// Chrome's trace event format in JSON, which Perfetto opens: a process for each multiprocessor, in it a track for each warp, on it a slice
/// for each access that touches the window. A cycle is a nanosecond there. Multiprocessors have clocks of their own: 0 is, on each, when
/// its first access began. Accesses of a warp that overlap have tracks beside each other.
///
/// Reads the trace twice. Throws std::runtime_error where more than one launch is selected.
void writeLatencyTimeline(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                          ByteSink &sink, Progress *progress);

/// The same as an archive of OTF2, which Vampir and other programs open: a folder, made by this, with a group of locations for each
/// multiprocessor, and a location for each track. A track takes 256 KiB of memory. Throws std::runtime_error as well where the folder is
/// there already, or can't be written; then nothing is left of it.
void writeLatencyOtf2(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                      const std::string &folder, Progress *progress);

} // namespace cupr::analysis

#endif
