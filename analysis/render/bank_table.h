/// The bank table of a request: which threads of a warp meet in which bank of shared memory.
#ifndef CUPR_ANALYSIS_RENDER_BANK_TABLE_H
#define CUPR_ANALYSIS_RENDER_BANK_TABLE_H

#include "analysis/engine/bank_wavefronts.h"
#include "analysis/model/shared_variables.h"

#include <span>
#include <string>

namespace cupr::analysis {

struct BankTable {
  const LaunchInfo &launch;
  const trace::Module &module; ///< the launch's
  const Record &record;
  std::span<const SharedVariable> variables; ///< the launch's, by offset
  BankWidth width;

  /// For people: a row for each bank that has something to do, and for each phase by itself. Between | are threads that wait for each other;
  /// those that access one word are listed together.
  std::string text() const;
  /// The same as an object of JSON, on one line.
  std::string json() const;
};

} // namespace cupr::analysis

#endif
