/// What single accesses of the source waste, and why.
///
/// The *waste* of an access (source_accesses.h) is what its requests have more sectors than their bytes need. The cause is read off the
/// pattern that wastes most (engine/request_pattern.h), off how far the thread's next access and its neighbour's along y are, and off what
/// the kernel's other accesses do.
#ifndef CUPR_ANALYSIS_ACCESS_FINDINGS_H
#define CUPR_ANALYSIS_ACCESS_FINDINGS_H

#include "source_accesses.h"

#include <map>
#include <vector>

namespace cupr::analysis {

/// In no order.
std::vector<Finding> accessFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns);

} // namespace cupr::analysis

#endif
