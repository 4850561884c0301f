/// The options of verbs that say what bounds the time.
#ifndef CUPR_ANALYSIS_ROOFLINE_OPTIONS_H
#define CUPR_ANALYSIS_ROOFLINE_OPTIONS_H

#include "analysis/metrics/roofline.h"
#include "analysis/model/launch_selection.h"

#include <CLI/CLI.hpp>
#include <string>

namespace cupr::analysis {

struct RooflineChoices {
  std::string ceilings, times; ///< paths; empty: none
  std::string device;          ///< whose caches are modelled; empty: that of the ceilings, or the trace's
  bool cold = false;
  LaunchSelection launches;
};

/// Adds --ceilings and --times, which fill in `choices`.
void addRooflineOptions(CLI::App &command, RooflineChoices &choices);

/// Reads the trace twice more, and that of the times. Warns on stderr where that has no times of these kernels.
/// Throws as cacheUse, instructionMixes, readCeilings and Model do.
Roofline rooflineOf(const Model &model, const RooflineChoices &choices, bool quiet);

} // namespace cupr::analysis

#endif
