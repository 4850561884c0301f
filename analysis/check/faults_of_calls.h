/// Faults between copies, sets and launches that the same calls of the source have made, as one each.
#ifndef CUPR_ANALYSIS_FAULTS_OF_CALLS_H
#define CUPR_ANALYSIS_FAULTS_OF_CALLS_H

#include "fault.h"
#include "site_traits.h"

#include "analysis/model/ordering.h"

#include <vector>

namespace cupr::analysis {

/// By launch, the first launch of its kernel in its module, and the module, as FaultList has them. Copies and sets whose calls are not known
/// stay apart.
void mergeByCall(const Model &model, const Ordering &ordering, const std::vector<LaunchIndex> &kernels,
                 const std::vector<const ModuleTraits *> &modules, std::vector<Fault> &faults);

} // namespace cupr::analysis

#endif
