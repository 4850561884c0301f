/// Which acts of a program may run beside others.
#ifndef CUPR_ANALYSIS_OVERLAPPING_ACTS_H
#define CUPR_ANALYSIS_OVERLAPPING_ACTS_H

#include "analysis/model/ordering.h"

#include <vector>

namespace cupr::analysis {

/// By number of the act: whether there is one of another stream that neither happens before it nor behind it.
std::vector<bool> overlappingActs(const Model &model, const Ordering &ordering);

} // namespace cupr::analysis

#endif
