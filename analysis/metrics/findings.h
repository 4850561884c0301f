/// What costs most, with the line, the cause, and what to do about it.
///
/// Rules of single accesses look at what their warps' requests are made of (engine/access_patterns.h), and are found without following
/// memory; the others are found in who wrote what others read, and in what the host copied and launched.
#ifndef CUPR_ANALYSIS_FINDINGS_H
#define CUPR_ANALYSIS_FINDINGS_H

#include "analysis/engine/access_patterns.h"
#include "analysis/engine/communication.h"
#include "latency_figures.h"

#include <cstdint>
#include <map>
#include <optional>
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
/// Whether its cost is that requests are wider than their bytes need, which timed launches tell the cycles of (lost_cycles.h).
constexpr bool isOfWidth(FindingRule rule) {
  return rule <= FindingRule::Scatter || rule == FindingRule::BankConflict;
}
/// "sectors", "requests", "wavefronts", "bytes", "accesses", "copies" or "launches".
const char *unitOf(FindingRule rule);

/// What timed launches lost to an access's pattern.
struct LostCycles {
  double cycles =
      0; ///< beyond those of narrower accesses (latency_figures.h); below 0: it was faster than these
  double error = 0; ///< half width of the interval of 95 %
  double share = 0; ///< of the access's records: those that were timed, and had something to be compared with

  bool isLoss() const { return cycles > error; }
};

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
  /// The functions of the host that lead to the call at this place, outermost first; empty: it concerns no call, or is not known.
  std::string path = {};
  std::uint64_t amount =
      0; ///< the cost, in the rule's unit; of sectors, wavefronts and accesses, what the fix would spare
  double share = 0; ///< amount, of all of this unit that the program has
  /// What `amount` takes at most (docs/analysis.md); 0: not known.
  double seconds = 0;
  bool isMeasured = false;             ///< `seconds` are the trace's own times, not the device's figures
  std::uint64_t warpAccesses = 0;      ///< of the access; 0: it concerns none, or no single one
  std::optional<LostCycles> lost = {}; ///< none: not known
};

/// By severity. Among those of one severity what lost cycles (isLoss) comes first, by these: it was measured, or modelled, while seconds
/// are an estimate, and the two are never compared. Then, by descending seconds and share, what no cycles are known of; and last what was
/// timed and is not seen to lose any. docs/analysis.md lists the rules. `latency`: of the same launches; empty where none is timed.
std::vector<Finding> findings(const Model &model, const Communication &communication,
                              const std::map<KernelSite, SitePatterns> &patterns,
                              const LatencyFigures &latency);
/// Those of single accesses alone, in the same order: memory need not be followed for them.
std::vector<Finding> wasteFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns,
                                   const LatencyFigures &latency);

} // namespace cupr::analysis

#endif
