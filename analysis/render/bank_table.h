/// The bank table of a request: which threads of a warp meet in which bank of shared memory.
#ifndef CUPR_ANALYSIS_RENDER_BANK_TABLE_H
#define CUPR_ANALYSIS_RENDER_BANK_TABLE_H

#include "analysis/engine/bank_wavefronts.h"

#include <string>

namespace cupr::analysis {

/// For people: a row for each bank that has something to do, and for each phase by itself. Between | are threads that wait for each other;
/// those that access one word are listed together.
std::string bankTableText(const LaunchInfo &launch, const trace::Module &module, const Record &record,
                          BankWidth width);
/// The same as an object of JSON, on one line.
std::string bankTableJson(const LaunchInfo &launch, const trace::Module &module, const Record &record,
                          BankWidth width);

} // namespace cupr::analysis

#endif
