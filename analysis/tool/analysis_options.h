/// The options of verbs that go through the whole trace.
#ifndef CUPR_ANALYSIS_ANALYSIS_OPTIONS_H
#define CUPR_ANALYSIS_ANALYSIS_OPTIONS_H

#include "analysis/engine/communication.h"

#include <CLI/CLI.hpp>

namespace cupr::analysis {

/// Adds --device-copies, --threads, --memory and --quiet, which fill in `options`.
void addAnalysisOptions(CLI::App &command, AnalysisOptions &options);

} // namespace cupr::analysis

#endif
