/// Writes the trace files of cuda-memtrace (layout.h).
#ifndef CUPR_ANALYSIS_MEMTRACE_EXPORTER_H
#define CUPR_ANALYSIS_MEMTRACE_EXPORTER_H

#include "analysis/export/exporter.h"

namespace cupr::analysis {

/// `version`: 1 to 3.
std::unique_ptr<Exporter> memtraceExporter(ByteSink &sink, unsigned version);

} // namespace cupr::analysis

#endif
