/// Traces that benchmarks of the analysis read, and how much memory they take for it.
#ifndef CUPR_BENCH_MEASURED_TRACE_H
#define CUPR_BENCH_MEASURED_TRACE_H

#include "page_stream.h"

#include <string>

namespace cupr::bench {

/// A trace of so many launches of the stream's kernel.
void writeTrace(const std::string &path, const PageStream &stream, unsigned launches);

/// From here on the peak is counted anew; where the system can't do that, it is that of the whole run.
void forgetPeak();
long peakMebibytes();

} // namespace cupr::bench

#endif
