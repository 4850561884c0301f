/// What the patterns that findings are told of cost in cycles, where launches were timed.
///
/// A finding is of all kernels, copies and instances that have an access at its place, so it loses what each of these loses
/// (LatencyOfAccess::pattern). Of a sum the error is that of independent parts. Where one part has too few samples for an error, nothing is
/// said of the sum. Places without a line are not told apart in the two, so nothing is said of them either.
#ifndef CUPR_ANALYSIS_LOST_CYCLES_H
#define CUPR_ANALYSIS_LOST_CYCLES_H

#include "findings.h"

#include <vector>

namespace cupr::analysis {

/// Fills in Finding::lost of what is isOfWidth.
void setLostCycles(std::vector<Finding> &findings, const LatencyFigures &latency);

} // namespace cupr::analysis

#endif
