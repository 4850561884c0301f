/// The options of verbs that advise on several GPUs.
#ifndef CUPR_ANALYSIS_ADVISOR_OPTIONS_H
#define CUPR_ANALYSIS_ADVISOR_OPTIONS_H

#include "analysis/metrics/advisor.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// What the command line says; the rest is the traced device's to say.
struct AdvisorChoices {
  AdvisorOptions given;
  std::optional<double> bytesPerSecond, latencySeconds;
  std::optional<unsigned> packetBytes, multiprocessors;

  std::vector<const CLI::Option *> asking; ///< of addAdviseOptions: each of them asks for advice

  AdvisorOptions optionsFor(const Model &model) const;
};

/// Adds --gpus, --topology, --link, --latency, --packet, --overlap, --multiprocessors and --kernel-time, which
/// fill in `choices`, and gives them.
std::vector<CLI::Option *> addAdvisorOptions(CLI::App &command, AdvisorChoices &choices);

/// Of verbs that advise if they are asked to: the same, and --advise.
void addAdviseOptions(CLI::App &command, AdvisorChoices &choices);

/// None: it was not asked for. Reads the trace once more.
std::optional<Advisor> adviseIfAsked(const Model &model, const Communication &communication,
                                     const AdvisorChoices &choices, const AnalysisOptions &options);

} // namespace cupr::analysis

#endif
