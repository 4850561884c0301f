/// How the program launches: work that is too little for the device, and sequences that a graph would launch at once.
///
/// docs/findings.md says what each rule claims, and by which formula its time is estimated: always by the device's figures, since traced
/// launches take longer than plain ones. Launches of graphs are left alone.
#ifndef CUPR_ANALYSIS_LAUNCH_FINDINGS_H
#define CUPR_ANALYSIS_LAUNCH_FINDINGS_H

#include "call_sites.h"
#include "findings.h"

#include <vector>

namespace cupr::analysis {

/// In no order.
std::vector<Finding> launchFindings(const Model &model, CallSites &sites);

} // namespace cupr::analysis

#endif
