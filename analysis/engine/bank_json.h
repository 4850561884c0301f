/// What the banks of shared memory make of one access, as JSON: for the bank table (analysis/render/bank_table.h) and for the viewer.
#ifndef CUPR_ANALYSIS_ENGINE_BANK_JSON_H
#define CUPR_ANALYSIS_ENGINE_BANK_JSON_H

#include "analysis/output/json.h"
#include "bank_wavefronts.h"

namespace cupr::analysis {

/// Adds the members `requests`, `wavefronts`, `idealWavefronts` and `phases` to an object that has been begun.
void addBanks(Json &json, const Record &record, BankWidth width);

} // namespace cupr::analysis

#endif
