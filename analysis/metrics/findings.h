/// What costs most, with the line, the cause, and what to do about it.
///
/// Rules of single accesses look at what their warps' requests are made of (engine/access_patterns.h), and are found without following
/// memory; the others are found in who wrote what others read.
#ifndef CUPR_ANALYSIS_FINDINGS_H
#define CUPR_ANALYSIS_FINDINGS_H

#include "analysis/engine/access_patterns.h"
#include "analysis/engine/communication.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupr::analysis {

enum class FindingRule : std::uint8_t {
#define CUPR_FINDING(enumerator, id, severity, unit, what) enumerator,
#include "finding_rules.def"
};
inline constexpr FindingRule kFindingRules[] = {
#define CUPR_FINDING(enumerator, id, severity, unit, what) FindingRule::enumerator,
#include "finding_rules.def"
};
enum class Severity : std::uint8_t {
  Correctness, ///< the result may depend on what nobody promises
  Cost,        ///< time
  Coverage     ///< something is not in the figures
};
const char *idOf(FindingRule rule);
Severity severityOf(FindingRule rule);
const char *nameOf(Severity severity);
/// Whether it is found by looking at single accesses.
constexpr bool isOfAccess(FindingRule rule) { return rule < FindingRule::NeverRead; }
/// "sectors", "wavefronts", "bytes", "accesses" or "launches".
const char *unitOf(FindingRule rule);

struct Finding {
  FindingRule rule{};
  std::string title;                  ///< what is the matter, with figures
  std::string advice;                 ///< what to do
  std::string kernel;                 ///< empty: it concerns no single one
  std::string file;                   ///< empty: it concerns no line
  std::uint32_t line = 0, column = 0; ///< 0: none, or unknown
  /// "load", "store" or "atomic": what the access at this place does; empty: it concerns no access.
  const char *operation = "";
  std::string expression = {}; ///< the source's words for the access; empty: not known
  std::uint64_t amount =
      0; ///< the cost, in the rule's unit; of sectors, wavefronts and accesses, what the fix would spare
  double share = 0; ///< amount, of all of this unit that the program has
  /// What `amount` takes at most, by the device's figures (docs/analysis.md); 0: not known.
  double seconds = 0;
};

/// By severity, then descending seconds, then share; docs/analysis.md lists the rules.
std::vector<Finding> findings(const Model &model, const Communication &communication,
                              const std::map<KernelSite, SitePatterns> &patterns);
/// Those of single accesses alone, in the same order: memory need not be followed for them.
std::vector<Finding> wasteFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns);

} // namespace cupr::analysis

#endif
