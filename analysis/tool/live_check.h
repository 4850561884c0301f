/// The check of a program while it runs (docs/design/0031): the program's runtime asks, by lines on stdin, and is answered on stdout.
///
///     look    takes what the trace holds by now
///     tell    the same, and says what is new
///     end     the same, when the trace has its end
///
/// Each is answered by two numbers, how many faults there are so far and how many bytes of text follow, each of 19 characters, with a space
/// between and a line's end behind them; and by the text.
#ifndef CUPR_ANALYSIS_LIVE_CHECK_H
#define CUPR_ANALYSIS_LIVE_CHECK_H

#include "analysis/check/checker.h"

#include <string>

namespace cupr::analysis {

/// Until stdin ends; gives the exit code. Throws as GrowingCheck does.
int followLive(const std::string &path, const CheckOptions &options);

} // namespace cupr::analysis

#endif
