/// The options of verbs that advise on several GPUs.
#ifndef CUPR_ANALYSIS_ADVISOR_OPTIONS_H
#define CUPR_ANALYSIS_ADVISOR_OPTIONS_H

#include "analysis/metrics/advisor.h"

#include <CLI/CLI.hpp>

namespace cupr::analysis {

/// Adds --gpus, --link, --latency and --kernel-time, which fill in `options`, and gives them.
std::vector<CLI::Option *> addAdvisorOptions(CLI::App &command, AdvisorOptions &options);

} // namespace cupr::analysis

#endif
