/// The options by which verbs choose launches and records.
#ifndef CUPR_ANALYSIS_SELECTION_OPTIONS_H
#define CUPR_ANALYSIS_SELECTION_OPTIONS_H

#include "analysis/export/exporter.h"

#include <CLI/CLI.hpp>

namespace cupr::analysis {

/// Adds --kernel, --launch and --limit, which fill in `selection`.
void addSelection(CLI::App &command, Selection &selection);

} // namespace cupr::analysis

#endif
