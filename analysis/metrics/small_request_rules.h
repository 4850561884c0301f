/// Requests without gaps that carry little: what they touch is used, but by other requests.
#ifndef CUPR_ANALYSIS_SMALL_REQUEST_RULES_H
#define CUPR_ANALYSIS_SMALL_REQUEST_RULES_H

#include "device_figures.h"
#include "source_accesses.h"

#include <optional>

namespace cupr::analysis {

/// `partial-sectors` or `narrow-elements`; none: it is neither. `totals`: of global memory.
std::optional<AccessCause> smallRequestCause(const SourceAccess &access, const AccessTotals &totals,
                                             const DeviceFigures &device);

} // namespace cupr::analysis

#endif
