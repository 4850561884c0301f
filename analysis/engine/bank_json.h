/// What the banks of shared memory make of one access, as JSON: for the bank table (analysis/render/bank_table.h) and for the viewer.
#ifndef CUPR_ANALYSIS_ENGINE_BANK_JSON_H
#define CUPR_ANALYSIS_ENGINE_BANK_JSON_H

#include "analysis/model/shared_variables.h"
#include "analysis/output/json.h"
#include "bank_wavefronts.h"

#include <span>

namespace cupr::analysis {

/// Adds the members `variables`, `requests`, `wavefronts`, `idealWavefronts` and `phases` to an object that has been begun. `variables`:
/// the launch's, by offset, of which the names are added that are accessed.
void addBanks(Json &json, const Record &record, BankWidth width, const LaunchInfo &launch,
              std::span<const SharedVariable> variables);

} // namespace cupr::analysis

#endif
