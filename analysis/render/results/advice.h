/// What the advisor found, as text.
#ifndef CUPR_ANALYSIS_RENDER_ADVICE_H
#define CUPR_ANALYSIS_RENDER_ADVICE_H

#include "analysis/metrics/advisor.h"

#include <string>

namespace cupr::analysis {

/// The best cut for each number of GPUs, in one line.
std::string adviceLine(const Advisor &advisor);
/// A table of all cuts, and the line.
std::string adviceText(const Advisor &advisor);

} // namespace cupr::analysis

#endif
