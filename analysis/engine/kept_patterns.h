/// The patterns of accesses, kept for the next question (kept_work.h).
#ifndef CUPR_ANALYSIS_KEPT_PATTERNS_H
#define CUPR_ANALYSIS_KEPT_PATTERNS_H

#include "access_patterns.h"

namespace cupr::analysis {

/// As accessPatterns, which is asked if nobody was before.
std::map<KernelSite, SitePatterns> keptPatterns(const Model &model, const PatternOptions &options = {});

} // namespace cupr::analysis

#endif
