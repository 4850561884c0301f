/// Everything that is computed of a trace, once, for all that show it.
#ifndef CUPR_ANALYSIS_RESULTS_H
#define CUPR_ANALYSIS_RESULTS_H

#include "access_costs.h"
#include "advisor.h"
#include "analysis/engine/communication.h"
#include "findings.h"
#include "instruction_mix.h"
#include "latency_figures.h"
#include "profile.h"
#include "roofline.h"
#include "shown_part.h"
#include "source_lines.h"
#include "transfer_metrics.h"

#include <map>
#include <optional>
#include <vector>

namespace cupr::analysis {

struct CacheCosts {
  std::map<AccessKey, CacheFigures> accesses;
  std::map<std::uint32_t, CacheFigures> allocations; ///< as CacheUse has them
  // Likewise, if they were asked for.
  std::map<AccessKey, CacheReuse> reuse;
  std::map<std::uint32_t, CacheReuse> allocationReuse;
};

/// Communication and transfers are those of the whole program, whatever is shown.
struct Results {
  ShownPart shown;
  Communication communication;
  TransferMetrics transfers;
  std::vector<SourceFile> sources;
  std::map<AccessKey, AccessCost> accesses;
  std::map<AccessKey, BankCost> banks;
  CacheCosts caches;             ///< empty unless they were asked for
  LatencyFigures latency;        ///< empty where no launch is timed, or with volumes alone
  InstructionMixes instructions; ///< empty unless they were asked for
  std::vector<Finding> findings;
  std::optional<Advisor> advisor;    ///< only if it was asked for
  std::optional<Profile> profile;    ///< likewise
  std::optional<Roofline> roofline;  ///< likewise
  std::vector<Procedure> procedures; ///< of the profile
};

/// Volumes and source lines alone. Where launches or blocks are chosen also accesses, which have the figures of these.
Results volumesOf(const Model &model, Communication communication, ShownPart shown = {});
/// With accesses and findings, for which the trace is read once more, and where launches are timed twice.
Results costsOf(const Model &model, Communication communication, ShownPart shown = {});
/// All of it, with what is found of transfers, for which each is looked at.
Results resultsOf(const Model &model, Communication communication, ShownPart shown = {});
/// Throws as `communication`.
inline Results resultsOf(const Model &model, const AnalysisOptions &options = {}) {
  return resultsOf(model, communication(model, options));
}
/// The trace is read once more for it.
void addProfileTo(const Model &model, Results &results);

} // namespace cupr::analysis

#endif
