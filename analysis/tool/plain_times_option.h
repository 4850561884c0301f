/// The option of verbs that set what was traced beside how long it takes untraced.
#ifndef CUPR_ANALYSIS_PLAIN_TIMES_OPTION_H
#define CUPR_ANALYSIS_PLAIN_TIMES_OPTION_H

#include "analysis/metrics/plain_times.h"

#include <CLI/CLI.hpp>
#include <string>

namespace cupr::analysis {

/// Adds --times.
void addPlainTimes(CLI::App &command, std::string &path);

/// Warns on stderr where the times are the CPU device's. Throws as Model does.
PlainTimes readPlainTimes(const std::string &path);

/// To be said where the trace of `path` has no times of what was traced.
void warnOfNoTimes(const std::string &path);

} // namespace cupr::analysis

#endif
