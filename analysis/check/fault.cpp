#include "fault.h"

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
