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

struct Results {
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

/// Volumes and source lines alone.
inline Results volumesOf(const Model &model, Communication communication) {
  Results results;
  results.communication = std::move(communication);
  results.sources = sourceLines(model, results.communication);
  return results;
}
/// With accesses and findings, for which the trace is read once more, and where launches are timed twice.
inline Results costsOf(const Model &model, Communication communication) {
  Results results = volumesOf(model, std::move(communication));
  const std::map<KernelSite, SitePatterns> patterns = accessPatterns(model);
  results.accesses = accessCosts(model, patterns);
  results.banks = bankCosts(model, patterns);
  results.latency = latencyFiguresIfTimed(model, {.excerpts = true});
  results.findings = findings(model, results.communication, patterns, results.latency);
  return results;
}
/// All of it, with what is found of transfers, for which each is looked at.
inline Results resultsOf(const Model &model, Communication communication) {
  Results results = costsOf(model, std::move(communication));
  results.transfers = transferMetrics(model, results.communication);
  return results;
}
/// Throws as `communication`.
inline Results resultsOf(const Model &model, const AnalysisOptions &options = {}) {
  return resultsOf(model, communication(model, options));
}
/// The trace is read once more for it.
inline void addProfileTo(const Model &model, Results &results) {
  results.profile = profileOf(model);
  results.procedures = proceduresOf(model, *results.profile);
}

} // namespace cupr::analysis

#endif
