#include "fault.h"

#include "hostlib/trace/cut_off.h"

namespace cupr::analysis {

const char *idOf(FaultRule rule) {
  switch (rule) {
#define CUPR_FAULT_RULE(enumerator, id, what, fails)                                                         \
  case FaultRule::enumerator:                                                                                \
    return id;
#include "fault_rules.def"
  }
  return "";
}

const char *meaningOf(FaultRule rule) {
  switch (rule) {
#define CUPR_FAULT_RULE(enumerator, id, what, fails)                                                         \
  case FaultRule::enumerator:                                                                                \
    return what;
#include "fault_rules.def"
  }
  return "";
}

std::string_view failureOf(const LaunchInfo &launch) {
  const std::string_view reason = launch.totals.end.reason;
  for (const std::string_view begin : {"the kernel ended with ", "the GPU stopped with "})
    if (launch.ended && !launch.complete() && reason.starts_with(begin))
      return reason.substr(begin.size());
  return {};
}

bool isCutOff(const LaunchInfo &launch) {
  return launch.ended && !launch.complete() && launch.totals.end.reason == trace::kCutOff;
}

bool failsBy(FaultRule rule) {
  switch (rule) {
#define CUPR_FAULT_RULE(enumerator, id, what, fails)                                                         \
  case FaultRule::enumerator:                                                                                \
    return fails;
#include "fault_rules.def"
  }
  return true;
}

} // namespace cupr::analysis
