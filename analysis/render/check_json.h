/// Faults for machines.
#ifndef CUPR_ANALYSIS_CHECK_JSON_H
#define CUPR_ANALYSIS_CHECK_JSON_H

#include "shown_faults.h"

#include <string>
#include <vector>

namespace cupr::analysis {

/// As docs/check.schema.json says; it ends with a new line.
std::string checkJson(const Model &model, const Checked &checked, const std::vector<ShownFault> &faults);

/// SARIF 2.1.0, with what GitHub's code scanning needs of it: each result has a place. Paths below `root` are relative to it.
std::string checkSarif(const Model &model, const Checked &checked, const std::vector<ShownFault> &faults,
                       const std::string &root, const std::string &version);

} // namespace cupr::analysis

#endif
