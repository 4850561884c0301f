/// What GPUs would exchange, kept for the next question (kept_work.h).
#ifndef CUPR_ANALYSIS_KEPT_CUTS_H
#define CUPR_ANALYSIS_KEPT_CUTS_H

#include "cut_traffic.h"

namespace cupr::analysis {

/// As followCuts, which is asked if nobody was before. `cuts` is new.
void keptCuts(const Model &model, CutSums &cuts, const AnalysisOptions &options);

} // namespace cupr::analysis

#endif
