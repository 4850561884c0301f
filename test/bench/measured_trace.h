/// Traces that benchmarks of the analysis read, and how much memory they take for it.
#ifndef CUPR_BENCH_MEASURED_TRACE_H
#define CUPR_BENCH_MEASURED_TRACE_H

#include "page_stream.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupr::bench {

/// A trace of so many launches of the stream's kernel.
void writeTrace(const std::string &path, const PageStream &stream, unsigned launches);

/// The runs of a benchmark of the analysis, kernel by kernel.
struct MeasuredRuns {
  unsigned elements = 4194304;
  std::vector<unsigned> launches{4}, threads{2};
  std::string folder, only; ///< the system's folder for temporary files; all kernels

  /// --elements, --launches, --threads, --folder and --only, which it gives.
  CLI::Option *addTo(CLI::App &app);
  /// Makes each trace in turn, in `path` (if that is empty, in the folder, and removes it), and calls `measure` with it, its stream without pages,
  /// and the number of its launches. Whether all calls were good.
  bool forEach(std::string path,
               const std::function<bool(const std::string &path, const PageStream &stream, unsigned launches)>
                   &measure) const;
};

/// From here on the peak is counted anew; where the system can't do that, it is that of the whole run.
void forgetPeak();
long peakMebibytes();

} // namespace cupr::bench

#endif
