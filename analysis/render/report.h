/// The report: one HTML page that shows results, needs nothing else, and loads nothing.
#ifndef CUPR_ANALYSIS_REPORT_H
#define CUPR_ANALYSIS_REPORT_H

#include "analysis/metrics/results.h"
#include "analysis/output/byte_sink.h"

namespace cupr::analysis {

/// What the page's results are compared with.
struct EarlierTrace {
  const Model &model;
  const Results &results;
};

/// Writes the page to `sink`, which is the caller's to finish. Memory doesn't grow with the page. `earlier` may be
/// null.
void writeReport(const Model &model, const Results &results, ByteSink &sink,
                 const EarlierTrace *earlier = nullptr);

} // namespace cupr::analysis

#endif
