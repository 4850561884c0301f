/// What could not be looked for, and why.
#ifndef CUPR_ANALYSIS_UNCHECKED_H
#define CUPR_ANALYSIS_UNCHECKED_H

#include "fault.h"

#include <string>
#include <vector>

namespace cupr::analysis {

struct Unchecked {
  std::vector<FaultRule> rules;
  std::string why;
};

} // namespace cupr::analysis

#endif
