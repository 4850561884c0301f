/// How the program copies: from memory that is not page-locked, piece by piece, and while nobody goes on.
///
/// docs/findings.md says what each rule claims, and by which formula its time is estimated. Copies of graphs are left alone: they are made
/// by the device.
#ifndef CUPR_ANALYSIS_TRANSFER_FINDINGS_H
#define CUPR_ANALYSIS_TRANSFER_FINDINGS_H

#include "call_sites.h"
#include "call_times.h"
#include "findings.h"

#include <vector>

namespace cupr::analysis {

/// In no order.
std::vector<Finding> transferFindings(const Model &model, CallSites &sites, const CallTimes &times);

} // namespace cupr::analysis

#endif
