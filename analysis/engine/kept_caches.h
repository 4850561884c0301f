/// What caches make of accesses, kept for the next question (kept_work.h).
#ifndef CUPR_ANALYSIS_KEPT_CACHES_H
#define CUPR_ANALYSIS_KEPT_CACHES_H

#include "cache_model.h"

namespace cupr::analysis {

/// As cacheUse, which is asked if nobody was before.
CacheUse keptCacheUse(const Model &model, const CacheGeometry &geometry, const CacheOptions &options = {});

} // namespace cupr::analysis

#endif
