/// Figures that two traces don't share, for people and for machines.
#ifndef CUPR_ANALYSIS_RENDER_DIFFERENCE_H
#define CUPR_ANALYSIS_RENDER_DIFFERENCE_H

#include "analysis/metrics/difference.h"

#include <string>
#include <vector>

namespace cupr::analysis {

/// A table of the first `top`.
std::string differencesText(const std::vector<Difference> &differences, std::size_t top);
/// One object with all of them; docs/analysis.md describes its members.
std::string differencesJson(const std::vector<Difference> &differences);

} // namespace cupr::analysis

#endif
