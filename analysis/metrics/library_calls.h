/// Kernels of libraries of headers (CUB, Thrust, CUTLASS), which a program is built with but its user has not written: what is found in
/// them is told of the user's call that led there.
#ifndef CUPR_ANALYSIS_LIBRARY_CALLS_H
#define CUPR_ANALYSIS_LIBRARY_CALLS_H

#include "findings.h"

#include <string_view>
#include <vector>

namespace cupr::analysis {

class CallSites;

/// Whether the source file is a library's, by the folders that it is in.
bool isOfLibrary(std::string_view file);
inline bool isInLibrary(const Finding &finding) { return isOfLibrary(finding.file); }

/// Findings of accesses in library's files get the place and the path of the call with most of the kernel's launches, if the trace knows
/// it, and those of one rule at one call are one: amounts, shares and times are summed, and the text is that of the largest. In no order.
void foldLibraries(std::vector<Finding> &findings, const Model &model, CallSites &sites);

} // namespace cupr::analysis

#endif
