/// Accesses that come to few addresses: what many threads meet at is served one after the other (engine/address_tally.h).
#ifndef CUPR_ANALYSIS_MEETING_RULES_H
#define CUPR_ANALYSIS_MEETING_RULES_H

#include "device_figures.h"
#include "source_accesses.h"

#include <optional>

namespace cupr::analysis {

/// `atomics-on-one-address`, `contended-atomics`, `false-sharing` or `broadcast`; none: it is none of these. `totals`: of global memory.
std::optional<AccessCause> meetingCause(const SourceAccess &access, const AccessTotals &totals,
                                        const DeviceFigures &device);

} // namespace cupr::analysis

#endif
