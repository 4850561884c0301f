/// Profiles for other programs.
#ifndef CUPR_ANALYSIS_PROFILE_EXPORTS_H
#define CUPR_ANALYSIS_PROFILE_EXPORTS_H

#include "analysis/metrics/profile.h"
#include "analysis/output/byte_sink.h"

namespace cupr::analysis {

/// For Speedscope: a profile for each metric that is there, weighted by what each context has of its own.
void profileToSpeedscope(const Model &model, const Profile &profile, ByteSink &sink);

/// For Cube (https://www.scalasca.org/software/cube-4.x): the same tree, with a metric for each that is there.
void profileToCube(const Model &model, const Profile &profile, ByteSink &sink);

} // namespace cupr::analysis

#endif
