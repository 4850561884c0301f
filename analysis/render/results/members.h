/// Members of docs/results.schema.json that are more than the rows of a table. They only render: every figure
/// comes from a metric.
#ifndef CUPR_ANALYSIS_RENDER_RESULTS_MEMBERS_H
#define CUPR_ANALYSIS_RENDER_RESULTS_MEMBERS_H

#include "writer.h"

namespace cupr::analysis {

void transferSizes(ResultsWriter &to);
void bisection(ResultsWriter &to);
void strides(ResultsWriter &to);
/// If they were asked for.
void ctaStrides(ResultsWriter &to);
void matrix(ResultsWriter &to);
void density(ResultsWriter &to);
void advisor(ResultsWriter &to);
void latencyExcerpts(ResultsWriter &to);

} // namespace cupr::analysis

#endif
