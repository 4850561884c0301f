/// Which accesses two traces don't share, for people and for machines.
#ifndef CUPR_ANALYSIS_RENDER_ACCESS_DIFFERENCE_H
#define CUPR_ANALYSIS_RENDER_ACCESS_DIFFERENCE_H

#include "analysis/metrics/access_difference.h"

#include <string>

namespace cupr::analysis {

/// `<` marks what only the trace before has, `>` what only the one after has.
std::string accessDifferenceText(const AccessDifference &difference);
/// One object; docs/analysis.md describes its members.
std::string accessDifferenceJson(const AccessDifference &difference);

} // namespace cupr::analysis

#endif
