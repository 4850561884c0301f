/// Faults that the host makes by itself: frees that failed, errors that nobody looks at, memory that is never freed.
#ifndef CUPR_ANALYSIS_HOST_FAULTS_H
#define CUPR_ANALYSIS_HOST_FAULTS_H

#include "fault.h"
#include "memory_lifetimes.h"

#include <cstddef>
#include <vector>

namespace cupr::analysis {

// Each adds to `faults`.

/// Frees that failed, from the one with this number on (Model::strayFrees).
void tellFrees(const Model &model, const MemoryLifetimes &lifetimes, std::size_t first,
               std::vector<Fault> &faults);
/// Errors that calls returned and the program did not look at; those of one place of the source are one. They are known at the end.
void tellErrors(const Model &model, std::vector<Fault> &faults);
/// What is still allocated at the end.
void tellLeaks(const Model &model, std::vector<Fault> &faults);

} // namespace cupr::analysis

#endif
