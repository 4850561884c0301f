/// Which accesses of shared memory meet in banks, and why.
///
/// The *waste* of an access (source_accesses.h) is what its requests take more wavefronts than they would without conflicts
/// (engine/bank_wavefronts.h). The cause is read off the pattern that wastes most, off the thread's next access, and off what the kernel's
/// other accesses do. What rows would have to be padded by is tried out, on the same rules.
///
/// Of whole numbers of 32 bits that are added by atomics, only what words do is held against them: where 1 is added, lanes that have one
/// word go together, and a trace doesn't tell what is added.
#ifndef CUPR_ANALYSIS_BANK_FINDINGS_H
#define CUPR_ANALYSIS_BANK_FINDINGS_H

#include "source_accesses.h"

#include <map>
#include <vector>

namespace cupr::analysis {

/// In no order.
std::vector<Finding> bankFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns);

} // namespace cupr::analysis

#endif
