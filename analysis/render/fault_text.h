/// Faults as `check` prints them, and as programs say them that are checked while they run.
#ifndef CUPR_ANALYSIS_FAULT_TEXT_H
#define CUPR_ANALYSIS_FAULT_TEXT_H

#include "shown_faults.h"

#include <cstddef>
#include <string>

namespace cupr::analysis {

/// Lines, and an empty one behind them; with colours where stdout has some.
std::string faultText(const ShownFault &fault);
/// "2 faults in 1,024 accesses of 3 launches; looked for: ...": a line. `faults`: how many are shown.
std::string checkedText(const Checked &checked, std::size_t faults);
/// "not checked: ...": a line for each reason, or none.
std::string uncheckedText(const Checked &checked);

} // namespace cupr::analysis

#endif
