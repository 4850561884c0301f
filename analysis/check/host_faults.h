/// Faults that the host makes by itself: frees that failed, errors that nobody looks at, memory that is never freed.
#ifndef CUPR_ANALYSIS_HOST_FAULTS_H
#define CUPR_ANALYSIS_HOST_FAULTS_H

#include "fault.h"
#include "memory_lifetimes.h"

#include <vector>

namespace cupr::analysis {

/// Adds them to `faults`, each place once.
void tellHostFaults(const Model &model, const MemoryLifetimes &lifetimes, std::vector<Fault> &faults);

} // namespace cupr::analysis

#endif
