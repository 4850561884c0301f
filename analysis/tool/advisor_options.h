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

  AdvisorOptions optionsFor(const Model &model) const;
};

/// Adds --gpus, --topology, --link, --latency, --packet, --overlap, --multiprocessors and --kernel-time, which
/// fill in `choices`, and gives them.
std::vector<CLI::Option *> addAdvisorOptions(CLI::App &command, AdvisorChoices &choices);

} // namespace cupr::analysis

#endif
