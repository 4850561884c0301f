/// What costs most, with the line and what to do about it.
#ifndef CUPR_ANALYSIS_FINDINGS_H
#define CUPR_ANALYSIS_FINDINGS_H

#include "analysis/engine/communication.h"
#include "source_lines.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

struct Finding {
  std::string id;                     ///< of the rule
  std::string title;                  ///< what is the matter, with figures
  std::string advice;                 ///< what to do
  std::string kernel;                 ///< empty: it concerns no single one
  std::string file;                   ///< empty: it concerns no line
  std::uint32_t line = 0, column = 0; ///< 0: none, or unknown
  /// "load", "store" or "atomic": what the access at this place does; empty: it concerns no access.
  const char *operation = "";
  std::uint64_t amount = 0; ///< the cost
  const char *unit = "";    ///< of amount: "sectors", "bytes", "accesses" or "launches"
  double share = 0;         ///< amount, of all of this unit that the program has
};

/// By descending share; docs/analysis.md lists the rules.
std::vector<Finding> findings(const Model &model, const Communication &communication,
                              const std::vector<SourceFile> &sources);

} // namespace cupr::analysis

#endif
